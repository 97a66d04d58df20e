# cmake -DPYTHON=python3 -P tools/course/ninja.cmake: builds build/sources/ninja, without make.
include(${CMAKE_CURRENT_LIST_DIR}/sources.cmake)
source_of(ninja)
execute_process(COMMAND ${CMAKE_COMMAND} -E env CFLAGS=-w ${PYTHON} configure.py --bootstrap  # -w: no warnings
  WORKING_DIRECTORY ${ninja_source} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${ninja_source}/ninja ${source_folder}/ninja)
