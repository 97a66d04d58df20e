# How code that uses CUDA is compiled for the simulator.

# simulated_code: options for translated files. Translated code calls functions of faults/faults.cpp at errors that a
# CPU allows: an address that is misaligned for its type, an index outside an array of known size, such as a shared
# array, the end of a function that must return a value, and on Arm an integer division by zero. With
# SIMULATOR_SANITIZE, the sanitizers' own libraries make these checks.
add_library(simulated_code INTERFACE)
target_link_libraries(simulated_code INTERFACE simulator)
if(NOT SIMULATOR_SANITIZE)
  set(checks alignment,$<IF:$<CXX_COMPILER_ID:GNU>,bounds,array-bounds>)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")  # x86-64 traps at a division by 0, Arm does not
    string(APPEND checks ,integer-divide-by-zero)
  endif()
  target_compile_options(simulated_code INTERFACE -fsanitize=${checks},return -fno-sanitize-recover=${checks})
endif()
# For messages that name a line: -g1 records lines but no variables. Functions with the same code must not be merged,
# and a large stack frame must touch the guard. A kernel's assertions are compiled, as by nvcc. For a wrong launch argument,
# g++ names the line of the launch, not that of the macro in launch.h.
target_compile_options(simulated_code INTERFACE -UNDEBUG -fstack-clash-protection $<$<CONFIG:Release>:-g1>
  $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-icf> $<$<CXX_COMPILER_ID:GNU>:-ftrack-macro-expansion=0>)

# Copies of any size are calls, which are seen (kernel.h). Otherwise, g++ compiles small ones to instructions that are not,
# and with Ubuntu's _FORTIFY_SOURCE, to builtin functions.
set(COPIES_ARE_CALLS -U_FORTIFY_SOURCE -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset CACHE INTERNAL "How copies are compiled where accesses are seen")

# interleaved_code(target): code whose threads are interrupted between a load and a store. Each access is a call, and
# with -O1, there are fewer accesses than with -Og. interleaved(target): a program of such code.
function(interleaved_code target)
  target_compile_options(${target} PRIVATE -fsanitize=thread ${COPIES_ARE_CALLS} $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()
function(interleaved target)
  interleaved_code(${target})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:simulator_interleave>)
endfunction()

# lens_of(target): a translated executable whose accesses the lens sees. The lens comes first, so that the linker takes
# its functions. The options keep all accesses of the source, in the source's order.
set(options -O2 -fsanitize=thread ${COPIES_ARE_CALLS} -fno-unroll-loops)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND options -fsanitize-coverage=trace-pc --param=tsan-distinguish-volatile=1 -fno-tree-vectorize -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-store-merging
    -fno-tree-loop-distribute-patterns -fno-split-loops -fno-unswitch-loops -fno-peel-loops -fno-thread-jumps)
else()
  list(APPEND options -fsanitize-coverage=bb,no-prune,trace-pc -fno-vectorize -fno-slp-vectorize -mllvm -tsan-instrument-read-before-write=1
    -mllvm -tsan-distinguish-volatile=1
    -mllvm -jump-threading-threshold=0 -mllvm -disable-loop-idiom-all)
endif()
list(JOIN options " " options)
set(LENS_OPTIONS ${options} CACHE INTERNAL "How programs are compiled for the lens")
if(TARGET lens)
  function(lens_of target)
    target_link_libraries(${target} PRIVATE lens simulator)
    target_compile_options(${target} PRIVATE "SHELL:${LENS_OPTIONS}")
  endfunction()
endif()

# simulator_executable(target file.cu...): a CUDA program. Its files, and the headers that they include by "…", are
# translated whenever one of them changes.
set(SIMULATOR_FOLDER ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "Where the simulator's headers are")
function(simulator_executable target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.translated)
  add_executable(${target})
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    set(translated ${folder}${path})
    add_custom_command(OUTPUT ${translated} DEPFILE ${translated}.d VERBATIM COMMENT "Translating ${source}"
      COMMAND translate --program ${path} ${folder} DEPENDS ${path} translate)
    set_source_files_properties(${translated} PROPERTIES LANGUAGE CXX)
    get_filename_component(beside ${path} DIRECTORY)
    target_sources(${target} PRIVATE ${translated})
    target_include_directories(${target} PRIVATE ${beside})
  endforeach()
  target_include_directories(${target} PRIVATE ${SIMULATOR_FOLDER}/api/more/include)
  target_compile_options(${target} PRIVATE -include${SIMULATOR_FOLDER}/api/more/prelude.h -Wno-narrowing -Wno-unknown-pragmas)
  target_link_libraries(${target} PRIVATE simulated_code)
endfunction()
function(lens_executable target)
  simulator_executable(${target} ${ARGN})
  lens_of(${target})
endfunction()
