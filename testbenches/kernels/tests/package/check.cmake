# Builds and runs a kernel in a project of its own, in FOLDER. With BUILD: from a package that is installed from that
# build folder; with SOURCE: by add_subdirectory().
file(REMOVE_RECURSE ${FOLDER}/project)
set(from -DVCORE_SOURCE=${SOURCE})
if(BUILD)
  file(REMOVE_RECURSE ${FOLDER}/prefix)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/prefix
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  set(from -DCMAKE_PREFIX_PATH=${FOLDER}/prefix)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${FOLDER}/project ${from}
                        -DKERNEL_FOLDER=${KERNEL_FOLDER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/project --target plain COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE programs ${FOLDER}/project/plain)
execute_process(COMMAND ${programs} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "ascend950, mode at: [0-9]+ cycles")
  message(FATAL_ERROR "the kernel did not say how long it took: ${output}")
endif()
