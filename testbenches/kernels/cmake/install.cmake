# The package `vcore`: what kernels need to be built elsewhere, by find_package(vcore). Included where the libraries are
# known.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(vcore_kernels PROPERTIES EXPORT_NAME kernels)
set_target_properties(vcore-kernel-rewrite PROPERTIES EXPORT_NAME kernel-rewrite)
install(
  TARGETS vcore_kernels vcore_runner vcore_sweep vcore_program vcore_platforms vcore_products vcore_models vcore_transport
          vcore_engine vcore_timing vcore_isa vcore-kernel-rewrite vcore-sim
  EXPORT vcore-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(headers ${CMAKE_INSTALL_INCLUDEDIR}/vcore)
install(DIRECTORY include/ DESTINATION ${headers}/kernels)
install(DIRECTORY runtime/ DESTINATION ${headers}/testbenches/kernels/runtime FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/isa/ DESTINATION ${headers}/models/isa FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/products/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vcore/products
        FILES_MATCHING PATTERN "*.json")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/vcore)
install(EXPORT vcore-targets NAMESPACE vcore:: DESTINATION ${package})
configure_package_config_file(cmake/vcore-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/vcore-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/vcore-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vcore-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/vcore-config-version.cmake
              cmake/VcoreKernels.cmake
        DESTINATION ${package})
