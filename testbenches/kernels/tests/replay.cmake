# Runs KERNEL with --record in MODE on PRODUCT, and replays the program with VCORE_SIM: both must succeed (the program holds
# the bytes that left the UB as `expect`) and take the same cycles. In FOLDER.
file(MAKE_DIRECTORY ${FOLDER})
set(ENV{VCORE_ARGS} "--product ${PRODUCT} --mode ${MODE} --quiet --record k.vprog --report kernel.json")
execute_process(COMMAND ${KERNEL} WORKING_DIRECTORY ${FOLDER} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${VCORE_SIM} run k.vprog --product ${PRODUCT} --mode ${MODE} --quiet --report replay.json
                WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
foreach(run kernel replay)
  file(READ ${FOLDER}/${run}.json report)
  string(JSON ${run}_cycles GET ${report} cycles)
  string(JSON ${run}_ub GET ${report} ub)
endforeach()
if(kernel_cycles EQUAL 0 OR NOT kernel_cycles EQUAL replay_cycles OR NOT kernel_ub STREQUAL replay_ub)
  message(FATAL_ERROR "the kernel took ${kernel_cycles} cycles, its recording ${replay_cycles}; UB: ${kernel_ub} / ${replay_ub}")
endif()
