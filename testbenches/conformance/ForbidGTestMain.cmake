# SystemC's library brings main(), which calls sc_main(). With a second one in gtest_main the linker and the order of
# the libraries decide which runs, so a test program that links both is refused.
function(vcore_forbid_gtest_main TARGET)
  get_target_property(LIBRARIES ${TARGET} LINK_LIBRARIES)
  foreach(LIBRARY IN LISTS LIBRARIES)
    if(LIBRARY MATCHES "g(test|mock)_main")
      message(FATAL_ERROR "${TARGET} links ${LIBRARY}, but SystemC brings main() already: tests with SystemC run under "
                          "the sc_main of testbenches/conformance/main.cpp. Link GTest::gtest instead.")
    endif()
  endforeach()
endfunction()
