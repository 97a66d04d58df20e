# Builds the simulator as the course's backend. Of CUDA, the chapters can use only what the course needs: anything else
# does not compile. All chapters share the translated headers.

set(SIMULATOR_SANITIZE ${COURSE_SANITIZE})
set(SIMULATOR_HELPERS "common/cuda/:common/problem/")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_subdirectory(common/simulator)
# With UndefinedBehaviorSanitizer, g++ takes twice as long to compile, so it compiles the simulator without this
# sanitizer. CI checks the simulator with clang's.
add_library(sanitized_library INTERFACE)
target_compile_options(sanitized_library INTERFACE $<$<AND:$<BOOL:${COURSE_SANITIZE}>,$<CXX_COMPILER_ID:GNU>>:-fno-sanitize=undefined>)
target_link_libraries(simulator PUBLIC course_options PRIVATE sanitized_library)
target_link_libraries(translate PRIVATE course_options sanitized_library)
add_library(course_nccl INTERFACE)  # the simulator has its own

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

# All headers are translated before anything that might include them is compiled.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  "common/*/*.cuh" "common/*/*.hpp" "common/simulator/checks/*/*.cuh" "common/simulator/checks/*/*.hpp"
  "common/checks/self/*.cuh" "common/checks/self/*.hpp" "common/simulator/include/simulator/json.hpp"
  "[0-9][0-9]_*/*.cuh" "[0-9][0-9]_*/applications/*.cuh" "[0-9][0-9]_*/applications/*.hpp"
  "[0-9][0-9]_*/applications/*/*.cuh" "[0-9][0-9]_*/applications/*/*.hpp")
foreach(header IN LISTS headers)
  translate_file(${header} ${translated_dir}/${header})
  list(APPEND translated_headers ${translated_dir}/${header})
endforeach()
add_custom_target(translated_headers DEPENDS ${translated_headers})

include(${PROJECT_SOURCE_DIR}/common/simulator/clang/rejected.cmake)

# Compiling programs and checks takes longer than running them, so they are compiled with little optimization.
set(quickly $<$<NOT:$<CONFIG:Debug>>:-Og>)

function(course_executable target source)
  set(translated ${translated_dir}/${source}.cpp)
  translate_file(${source} ${translated})
  add_executable(${target} ${translated})
  add_dependencies(${target} translated_headers)
  target_link_libraries(${target} PRIVATE simulated_code)
  if(source MATCHES "main\\.cu$")
    reject_what_nvcc_does(${target} ${source})
  endif()
  if(NOT source MATCHES "^01_cpu_baseline/main|benchmark")  # chapter 01's loops are measured, as is the simulator
    target_compile_options(${target} PRIVATE ${quickly})
  endif()
endfunction()

# The includes of a generated source are relative to work/. Timed objects are compiled as chapter 01's loops are.
function(course_objects target source)
  set(folder work)
  if(NOT IS_ABSOLUTE ${source})
    get_filename_component(folder ${source} DIRECTORY)
  endif()
  set(translated ${translated_dir}/${folder}/${target}.cu.cpp)
  translate_file(${source} ${translated})
  add_library(${target} OBJECT ${translated})
  add_dependencies(${target} translated_headers)
  if(NOT target MATCHES "_timed_objects$")
    target_compile_options(${target} PRIVATE ${quickly})
  endif()
  target_link_libraries(${target} PUBLIC simulated_code)
endfunction()

# program and program_lens: tools/course/program.py compiles and links a program from elsewhere by the commands for
# these targets, with the program's file in place of program.cpp. The warnings that the course's own code is compiled
# with are off, and a program's warnings are no errors.
file(WRITE ${PROJECT_BINARY_DIR}/program.cpp "int main() {}\n")
get_target_property(of_simulated_code simulated_code INTERFACE_COMPILE_OPTIONS)  # without those of what it links to
function(program_from_elsewhere target)
  add_executable(${target} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/program.cpp)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS ON)
  target_compile_options(${target} PRIVATE ${of_simulated_code} ${sanitizers}
    $<$<BOOL:${COURSE_SANITIZE}>:-fsanitize=float-cast-overflow> $<$<BOOL:${COURSE_SANITIZE}>:-fsanitize-recover=signed-integer-overflow> -O2 -g -Wno-narrowing -Wno-unknown-pragmas -Wno-error
    "SHELL:-include ${SIMULATOR_FOLDER}/api/more/prelude.h" "SHELL:-x c++")
  target_include_directories(${target} PRIVATE ${SIMULATOR_FOLDER}/api/more/include)
  add_library(${target}_libraries INTERFACE)  # before CMake 3.24, LINK_ONLY has an effect only here
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target}_libraries INTERFACE $<LINK_ONLY:${library}>)
  endforeach()
  target_link_libraries(${target} PRIVATE ${target}_libraries)
endfunction()
program_from_elsewhere(program simulator)
if(TARGET lens)
  program_from_elsewhere(program_lens lens simulator)
  target_compile_options(program_lens PRIVATE "SHELL:${LENS_OPTIONS}")
endif()

course_executable(simulator_benchmark common/simulator/benchmark.cu)

add_test(NAME "simulator/what the translator says of broken files"
  COMMAND ${PROJECT_SOURCE_DIR}/common/simulator/checks/translate/translator.sh $<TARGET_FILE:translate>)
set_tests_properties("simulator/what the translator says of broken files" PROPERTIES LABELS simulator)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(at_the_launch -ftrack-macro-expansion=0)
endif()
add_test(NAME "simulator/what the compiler rejects at a launch's line"
  COMMAND ${PROJECT_SOURCE_DIR}/common/simulator/checks/clang/rejected.sh $<TARGET_FILE:translate> ${CMAKE_CXX_COMPILER} ${at_the_launch})
set_tests_properties("simulator/what the compiler rejects at a launch's line" PROPERTIES LABELS simulator)
if(clang_reads_cuda AND NOT COURSE_SANITIZE)
  add_test(NAME "simulator/what nvcc rejects, clang rejects" COMMAND ${PROJECT_SOURCE_DIR}/common/simulator/checks/clang/rejected.sh ${CLANGXX})
  set_tests_properties("simulator/what nvcc rejects, clang rejects" PROPERTIES LABELS simulator)
endif()
add_test(NAME "simulator/programs from elsewhere run, or a message says what is missing"
  COMMAND ${PROJECT_SOURCE_DIR}/common/simulator/checks/api/more/programs.sh ${PROJECT_BINARY_DIR})
set_tests_properties("simulator/programs from elsewhere run, or a message says what is missing"
  PROPERTIES LABELS simulator COST 50)  # starts early, since it takes second longest
