# The simulator's backend: .cu and .cuh files are translated to C++20 and run on the CPU.

find_package(Boost 1.71 REQUIRED COMPONENTS context)

set(simulator_dir ${CMAKE_CURRENT_LIST_DIR})
add_executable(translate ${simulator_dir}/translate.cpp)
target_link_libraries(translate PRIVATE course_options)

add_library(simulator STATIC
  ${simulator_dir}/launch.cpp ${simulator_dir}/worker.cpp ${simulator_dir}/kernel.cpp ${simulator_dir}/faults.cpp
  ${simulator_dir}/signals.cpp ${simulator_dir}/device_memory.cpp
  ${simulator_dir}/runtime.cpp ${simulator_dir}/memory.cpp ${simulator_dir}/errors.cpp
  ${simulator_dir}/compat/memory.cpp ${simulator_dir}/compat/cooperative.cpp)
target_include_directories(simulator PUBLIC ${simulator_dir}/include)
target_link_libraries(simulator PUBLIC course_options PRIVATE Boost::context)

# translate_file(source output): translates one file into the build tree, under the same path.
set(translated_dir ${PROJECT_BINARY_DIR}/translated)
function(translate_file source output)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${output}
    COMMAND translate ${PROJECT_SOURCE_DIR}/${source} ${output}
    DEPENDS ${PROJECT_SOURCE_DIR}/${source} translate VERBATIM
    COMMENT "Translating ${source}")
endfunction()

# All headers are translated before anything that might include them is compiled.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  "common/*/*.cuh" "common/*/*.hpp" "common/simulator/checks/*.cuh"
  "[0-9][0-9]_*/*.cuh" "[0-9][0-9]_*/broken/*.cuh" "[0-9][0-9]_*/applications/*.cuh"
  "[0-9][0-9]_*/applications/*.hpp" "[0-9][0-9]_*/applications/broken/*.cuh")
list(FILTER headers EXCLUDE REGEX "^common/simulator/[^/]*$")  # the simulator's own are C++
foreach(header IN LISTS headers)
  translate_file(${header} ${translated_dir}/${header})
  list(APPEND translated_headers ${translated_dir}/${header})
endforeach()
add_custom_target(translated_headers DEPENDS ${translated_headers})

# Translated code calls faults.cpp for what a CPU would not mind: an address that is misaligned for its type, and an
# index outside of an array whose size is known, as of a shared one. The sanitize preset has this and more.
if(NOT COURSE_SANITIZE)
  set(bounds $<IF:$<CXX_COMPILER_ID:GNU>,bounds,array-bounds>)
  set(checked -fsanitize=alignment,${bounds} -fno-sanitize-recover=alignment,${bounds})
endif()

function(course_executable target source)
  set(translated ${translated_dir}/${source}.cpp)
  translate_file(${source} ${translated})
  add_executable(${target} ${translated})
  add_dependencies(${target} translated_headers)
  target_compile_options(${target} PRIVATE ${checked})
  target_link_libraries(${target} PRIVATE simulator)
endfunction()

# interleaved(target): a translated executable whose threads are interrupted in the midst of their work.
function(interleaved target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:simulator_interleave>)
  target_compile_options(${target} PRIVATE -fsanitize=thread)
endfunction()
add_library(simulator_interleave OBJECT ${simulator_dir}/interleave.cpp)
target_link_libraries(simulator_interleave PRIVATE simulator Boost::context)

course_executable(simulator_benchmark common/simulator/benchmark.cu)

add_test(NAME "simulator/what the translator says of broken files"
  COMMAND ${simulator_dir}/checks/translator.sh $<TARGET_FILE:translate>)
set_tests_properties("simulator/what the translator says of broken files" PROPERTIES LABELS simulator)
add_test(NAME "simulator/programs from elsewhere run, or it is said what is missing"
  COMMAND ${simulator_dir}/compat/checks/programs.sh ${PROJECT_BINARY_DIR})
set_tests_properties("simulator/programs from elsewhere run, or it is said what is missing"
  PROPERTIES LABELS simulator)
