# Fails where a case has no test that carries its id in its name.
#
#   cmake -DBUILD=folder -P check_ids.cmake
cmake_minimum_required(VERSION 3.25)

set(IDS
  A01 A02 A03 A04 A06 A08 A10 A12 A13 A15 A16 A17 A19 A23 A24 A26 A27 A28 A30 A31 A32 A33 A35 A37 A38 A39 A40 A42 A45
  A48 A49 A50 A51 A52
  S01 S02 S03 S05 S06 S08 S09 S10 S11 S12 S15 S16 S18 S21 S22
  T01 T02 T03 T04 T05 T07 T08 T09 T10 T12 T14 T19 T20 T21 T23 T26 T27 T28 T29 T30 T31 T32)

execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} -N
                OUTPUT_VARIABLE TESTS RESULT_VARIABLE STATUS)
if(NOT STATUS EQUAL 0)
  message(FATAL_ERROR "the tests in ${BUILD} cannot be listed")
endif()
foreach(ID IN LISTS IDS)
  string(REGEX MATCHALL "[:./ ]${ID}a?[_.][^\n]*" NAMES "${TESTS}")
  list(LENGTH NAMES COUNT)
  message("${ID}: ${COUNT}")
  if(COUNT EQUAL 0)
    message(SEND_ERROR "no test for ${ID}")
  endif()
endforeach()
