# Runs one program and compares what came of it with what its comments announce.
#
#   cmake -DSIM=vcore-sim -DPROGRAM=file.vprog -DREPORT=file.json -P run_case.cmake
#
# The exit status must be 0. Beside `expect` and `expect.fault`, a program announces
#
#   # arguments: --set ub.size_bytes=253952    what its command line has
#   # says: ID: TEXT                           a diagnostic with this id, whose message contains the text
#   # prints: TEXT                             text in what the run prints
#
# A warning that no `says` announces fails the case.
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${PROGRAM} ANNOUNCED REGEX "^# (arguments|says|prints): ")
set(ARGUMENTS)
set(SAYINGS)
set(PRINTS)
foreach(LINE IN LISTS ANNOUNCED)
  string(REGEX MATCH "^# ([a-z]+): (.*)$" MATCHED "${LINE}")
  if(CMAKE_MATCH_1 STREQUAL "arguments")
    separate_arguments(ARGUMENTS UNIX_COMMAND "${CMAKE_MATCH_2}")
  elseif(CMAKE_MATCH_1 STREQUAL "says")
    list(APPEND SAYINGS "${CMAKE_MATCH_2}")
  else()
    list(APPEND PRINTS "${CMAKE_MATCH_2}")
  endif()
endforeach()

file(REMOVE ${REPORT})
execute_process(COMMAND ${SIM} run ${PROGRAM} ${ARGUMENTS} --report ${REPORT}
                RESULT_VARIABLE STATUS OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE ERRORS)
message("${OUTPUT}${ERRORS}")
if(NOT STATUS EQUAL 0)
  message(FATAL_ERROR "exit status ${STATUS}")
endif()
foreach(TEXT IN LISTS PRINTS)
  string(FIND "${OUTPUT}" "${TEXT}" AT)
  if(AT EQUAL -1)
    message(SEND_ERROR "not printed: ${TEXT}")
  endif()
endforeach()

# Marks the announcements that this diagnostic fulfils in HEARD; UNEXPECTED is whether there were none.
function(match ID MESSAGE)
  set(UNEXPECTED TRUE PARENT_SCOPE)
  foreach(SAYING IN LISTS SAYINGS)
    string(REGEX MATCH "^([a-z-]+): (.*)$" MATCHED "${SAYING}")
    string(FIND "${MESSAGE}" "${CMAKE_MATCH_2}" AT)
    if(CMAKE_MATCH_1 STREQUAL ID AND NOT AT EQUAL -1)
      list(APPEND HEARD "${SAYING}")
      set(UNEXPECTED FALSE PARENT_SCOPE)
    endif()
  endforeach()
  set(HEARD ${HEARD} PARENT_SCOPE)
endfunction()

file(READ ${REPORT} JSON)
string(JSON COUNT LENGTH "${JSON}" diagnostics)
set(HEARD)
set(INDEX 0)
while(INDEX LESS COUNT)
  foreach(FIELD severity id line message)
    string(JSON ${FIELD} GET "${JSON}" diagnostics ${INDEX} ${FIELD})
  endforeach()
  match("${id}" "${message}")
  if(UNEXPECTED AND NOT severity STREQUAL "error")
    message(SEND_ERROR "line ${line}: not announced: ${id}: ${message}")
  endif()
  math(EXPR INDEX "${INDEX} + 1")
endwhile()
foreach(SAYING IN LISTS SAYINGS)
  if(NOT SAYING IN_LIST HEARD)
    message(SEND_ERROR "nothing says: ${SAYING}")
  endif()
endforeach()
