# The simulator's backend: .cu and .cuh files are translated to C++20 and run on the CPU.

set(simulator_dir ${CMAKE_CURRENT_LIST_DIR})
add_executable(translate ${simulator_dir}/translate/translate.cpp)
target_link_libraries(translate PRIVATE course_options)

set(sources
  grid/converged.cpp grid/cooperative.cpp grid/kernel.cpp grid/launch.cpp grid/nested.cpp grid/worker.cpp
  memory/device_memory.cpp memory/shared_memory.cpp
  streams/captures.cpp streams/hazards.cpp streams/streams.cpp
  faults/errors.cpp faults/faults.cpp faults/progress.cpp faults/traps.cpp
  api/memory.cpp api/nccl.cpp api/runtime.cpp api/more/memory.cpp
  platform/linux/contexts.cpp platform/linux/memory.cpp platform/linux/process.cpp
  platform/linux/source_lines.cpp platform/linux/traps.cpp)
list(TRANSFORM sources PREPEND ${simulator_dir}/)
add_library(simulator STATIC ${sources})
target_include_directories(simulator PUBLIC ${simulator_dir}/include)
target_link_libraries(simulator PUBLIC course_options)
include(CheckLibraryExists)
check_library_exists(backtrace backtrace_pcinfo "" HAS_BACKTRACE)  # g++ brings it; without it, faults have no lines
if(HAS_BACKTRACE)
  target_link_libraries(simulator PRIVATE backtrace)
  target_compile_definitions(simulator PRIVATE SIM_BACKTRACE)
  # libbacktrace finds no lines of a program some of whose inline functions also have lines in this library.
  target_compile_options(simulator PRIVATE $<$<NOT:$<CONFIG:Debug>>:-g0>)
endif()

# translate_file(source output): translates one file, by its path in the repository or its absolute path.
set(translated_dir ${PROJECT_BINARY_DIR}/translated)
function(translate_file source output)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(path ${source} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  add_custom_command(OUTPUT ${output}
    COMMAND translate ${path} ${output} DEPENDS ${path} translate VERBATIM
    COMMENT "Translating ${source}")
endfunction()

add_library(course_nccl INTERFACE)  # the simulator has its own

# All headers are translated before anything that might include them is compiled.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  "common/*/*.cuh" "common/*/*.hpp" "common/simulator/checks/*/*.cuh" "common/simulator/checks/*/*.hpp"
  "common/checks/self/*.cuh" "common/checks/self/*.hpp"
  "[0-9][0-9]_*/*.cuh" "[0-9][0-9]_*/applications/*.cuh" "[0-9][0-9]_*/applications/*.hpp"
  "[0-9][0-9]_*/applications/*/*.cuh")
foreach(header IN LISTS headers)
  translate_file(${header} ${translated_dir}/${header})
  list(APPEND translated_headers ${translated_dir}/${header})
endforeach()
add_custom_target(translated_headers DEPENDS ${translated_headers})

# Translated code calls faults.cpp for faults that a CPU allows: an address that is misaligned for its type, and an
# index outside of an array of known size, such as a shared array. The sanitize preset includes these checks.
if(NOT COURSE_SANITIZE)
  set(bounds $<IF:$<CXX_COMPILER_ID:GNU>,bounds,array-bounds>)
  set(checked -fsanitize=alignment,${bounds} -fno-sanitize-recover=alignment,${bounds})
endif()
# For messages that name a line: -g1 records lines but no variables. Functions with the same code must not be merged,
# and a large stack frame must touch the guard. A kernel's assertions are compiled, as by nvcc.
list(APPEND checked -UNDEBUG -fstack-clash-protection $<$<CONFIG:Release>:-g1> $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-icf>)

# For a wrong launch argument, g++ then names the line of the launch, not that of the macro in launch.h.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(at_the_launch -ftrack-macro-expansion=0)
endif()

# Compiling programs and checks takes longer than running them.
set(quickly $<$<NOT:$<CONFIG:Debug>>:-Og>)

include(${simulator_dir}/clang/rejected.cmake)
function(course_executable target source)
  set(translated ${translated_dir}/${source}.cpp)
  translate_file(${source} ${translated})
  add_executable(${target} ${translated})
  add_dependencies(${target} translated_headers)
  target_compile_options(${target} PRIVATE ${checked} ${at_the_launch})
  target_link_libraries(${target} PRIVATE simulator)
  if(source MATCHES "main\\.cu$")
    reject_what_nvcc_does(${target} ${source})
  endif()
  if(NOT source MATCHES "^01_cpu_baseline/main|benchmark")  # chapter 01's loops are measured, as is the simulator
    target_compile_options(${target} PRIVATE ${quickly})
  endif()
endfunction()

# The includes of a generated source are relative to work/.
function(course_objects target source)
  set(folder work)
  if(NOT IS_ABSOLUTE ${source})
    get_filename_component(folder ${source} DIRECTORY)
  endif()
  set(translated ${translated_dir}/${folder}/${target}.cu.cpp)
  translate_file(${source} ${translated})
  add_library(${target} OBJECT ${translated})
  add_dependencies(${target} translated_headers)
  target_compile_options(${target} PRIVATE ${checked} ${at_the_launch} ${quickly})
  target_link_libraries(${target} PUBLIC simulator)
endfunction()

# interleaved(target): a translated executable whose threads are interrupted between a load and a store. With -O1,
# it has fewer accesses than with -Og, and each of them is a call.
set(interleaved_options -fsanitize=thread $<$<NOT:$<CONFIG:Debug>>:-O1>)
function(interleaved target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:simulator_interleave>)
  target_compile_options(${target} PRIVATE ${interleaved_options})
endfunction()
add_library(simulator_interleave OBJECT ${simulator_dir}/instrument/interleave.cpp)
target_link_libraries(simulator_interleave PRIVATE simulator)

if(NOT COURSE_SANITIZE)
  include(${simulator_dir}/lens/lens.cmake)
endif()

course_executable(simulator_benchmark common/simulator/benchmark.cu)

add_test(NAME "simulator/what the translator says of broken files"
  COMMAND ${simulator_dir}/checks/translate/translator.sh $<TARGET_FILE:translate>)
set_tests_properties("simulator/what the translator says of broken files" PROPERTIES LABELS simulator)
add_test(NAME "simulator/what the compiler rejects at a launch's line"
  COMMAND ${simulator_dir}/checks/clang/rejected.sh $<TARGET_FILE:translate> ${CMAKE_CXX_COMPILER} ${at_the_launch})
set_tests_properties("simulator/what the compiler rejects at a launch's line" PROPERTIES LABELS simulator)
if(clang_reads_cuda AND NOT COURSE_SANITIZE)
  add_test(NAME "simulator/what nvcc rejects, clang rejects" COMMAND ${simulator_dir}/checks/clang/rejected.sh ${CLANGXX})
  set_tests_properties("simulator/what nvcc rejects, clang rejects" PROPERTIES LABELS simulator)
endif()
add_test(NAME "simulator/programs from elsewhere run, or it is said what is missing"
  COMMAND ${simulator_dir}/checks/api/more/programs.sh ${PROJECT_BINARY_DIR})
set_tests_properties("simulator/programs from elsewhere run, or it is said what is missing"
  PROPERTIES LABELS simulator COST 50)  # begins early, since it takes longest but one
