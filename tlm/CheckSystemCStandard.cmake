# SystemC's library carries the C++ standard it was built with in the name of a symbol (sc_api_version_…_cxx201703L), and
# links with no other. Without this check the linker would complain about that symbol, for every file.
# Uses: SYSTEMC_LINK_LIBRARIES, SYSTEMC_LIBRARY_DIRS (pkg_check_modules), CMAKE_CXX_STANDARD.
function(vcore_check_systemc_standard)
  find_library(SYSTEMC_LIBRARY systemc HINTS ${SYSTEMC_LIBRARY_DIRS})
  if(NOT SYSTEMC_LIBRARY)
    return()
  endif()
  file(STRINGS ${SYSTEMC_LIBRARY} SYMBOLS REGEX "sc_api_version_[0-9_]*cxx[0-9]+L" LIMIT_COUNT 1)
  if(NOT SYMBOLS MATCHES "cxx20([0-9][0-9])[0-9]+L")
    message(STATUS "${SYSTEMC_LIBRARY} does not say which C++ standard it was built with")
    return()
  endif()
  if(NOT CMAKE_MATCH_1 EQUAL CMAKE_CXX_STANDARD)
    message(FATAL_ERROR "SystemC (${SYSTEMC_LIBRARY}) was built as C++${CMAKE_MATCH_1}, this project is configured as "
                        "C++${CMAKE_CXX_STANDARD}. The two do not link: set CMAKE_CXX_STANDARD to ${CMAKE_MATCH_1} or "
                        "give a SystemC built as C++${CMAKE_CXX_STANDARD}.")
  endif()
endfunction()
