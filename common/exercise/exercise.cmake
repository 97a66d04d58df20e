# Each exercise has programs that are built only on request: exercise_03.2_plain and _interleaved check the student's
# file, faults_03.2_plain and _interleaved check the exercise's faults, attempts_03.2_lens shows the lens the attempts at
# it, and exercise_03.2_table is the chapter's program with the student's variant in its table. exercise_03.2_lens and
# faults_03.2_lens show the lens the student's file and the faults. In the _interleaved ones, threads are interrupted between
# a load and a store. For grading, solution_03.2_plain has the checks and answer_03.2_plain the student's file. After a
# change only the student's file is compiled.

find_package(Python3 COMPONENTS Interpreter)
set(orders plain)
if(backend STREQUAL "simulator" AND NOT COURSE_SANITIZE)
  list(APPEND orders interleaved lens)
endif()
# The check is neither interrupted nor seen by the lens: only the code that it checks is.
course_objects(exercise_check common/exercise/verdict.cu)
set_target_properties(exercise_check PROPERTIES EXCLUDE_FROM_ALL ON)
# A graded student's process, whose checks are in another one: exercise_answer in place of exercise_check.
if(backend STREQUAL "simulator")
  course_objects(exercise_answer common/exercise/answer.cu)
  target_sources(exercise_answer PRIVATE common/exercise/lock.cpp)
  set_target_properties(exercise_answer PROPERTIES EXCLUDE_FROM_ALL ON)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/common/exercise/lock.cpp PROPERTIES COMPILE_OPTIONS "$<$<BOOL:${COURSE_SANITIZE}>:-fno-sanitize=all>")
endif()

# linked(program main objects order): a program from the objects of two targets, of which the second is compiled for an order.
function(linked program main objects order)
  add_executable(${program} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${main}> $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${program} PRIVATE ${objects})
  if(order STREQUAL "interleaved")
    interleaved(${program})
  elseif(order STREQUAL "lens")
    lens_of(${program})
  endif()
endfunction()

# For the lens, and where threads are interrupted, code reads memory as often as its source does: a race between two reads
# of one variable must not disappear because the compiler makes them one. Checks of an index would read it again; the other
# programs have them.
add_library(as_written INTERFACE)
target_compile_options(as_written INTERFACE -fno-sanitize=bounds -fno-inline
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-fre> $<$<CXX_COMPILER_ID:GNU>:-fno-tree-pre> $<$<CXX_COMPILER_ID:GNU>:-fno-tree-dominator-opts>
  $<$<CXX_COMPILER_ID:GNU>:-fno-code-hoisting>)

# objects(target source): the objects of a source with a student's code. Most warnings about it are no errors.
function(objects target source)
  course_objects(${target} ${source})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(backend STREQUAL "simulator")
    target_compile_options(${target} PRIVATE -g1 -Wno-unused-parameter -Wno-unused-variable -Wno-error -Werror=uninitialized
      -Werror=address  # such as a barrier without (), which does nothing
      $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)  # which is a guess
    if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12))
      # Otherwise, a variable without a value may be 0 by luck. verify.hpp knows the pattern.
      target_compile_options(${target} PRIVATE -ftrivial-auto-var-init=pattern)
    endif()
  endif()
endfunction()

# programs(name source): name_plain and, on the simulator, name_interleaved and name_lens, which check the variants in a source.
function(programs name source)
  foreach(order IN LISTS orders)
    set(program ${name}_${order})
    objects(${program}_objects ${source})
    if(order STREQUAL "interleaved")
      interleaved_code(${program}_objects)
      target_link_libraries(${program}_objects PRIVATE as_written)
    elseif(order STREQUAL "lens")
      lens_of(${program}_objects)
      target_link_libraries(${program}_objects PRIVATE as_written)
      # Local arrays are seen, too. Compilers omit them where no other thread can have their address.
      target_compile_options(${program}_objects PRIVATE
        "$<IF:$<CXX_COMPILER_ID:GNU>,-fsanitize=object-size,SHELL:-mllvm -capture-tracking-max-uses-to-explore=0>")
    endif()
    linked(${program} exercise_check ${program}_objects ${order})
  endforeach()
endfunction()

# assembled(kind number output file...): makes a source from a student's file, an exercise's faults or attempts at it, or a lesson's steps.
file(GLOB tools CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/exercises/*.py)
function(assembled kind number output)
  add_custom_command(OUTPUT ${output} DEPENDS ${tools} ${ARGN} VERBATIM COMMENT "Assembling ${kind} ${number}"
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/exercises/assemble.py ${kind} ${number} ${output})
endfunction()

file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS "[0-9][0-9]_*/exercises/*_*.md")
foreach(page IN LISTS pages)
  get_filename_component(chapter ${page}/../.. ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(NOT EXISTS ${chapter}/kernels.cuh)  # a folder that is no chapter
    continue()
  endif()
  if(NOT page MATCHES "^(([0-9][0-9])_[^/]*)/exercises/(([0-9]+)_[^/]*)\\.md$")
    message(FATAL_ERROR "${page}: an exercise's page must be called K_name.md")
  endif()
  set(chapter ${CMAKE_MATCH_1})
  set(number ${CMAKE_MATCH_2}.${CMAKE_MATCH_4})
  set(file ${PROJECT_SOURCE_DIR}/work/${CMAKE_MATCH_2}.${CMAKE_MATCH_3}.cuh)
  file(GLOB more CONFIGURE_DEPENDS ${chapter}/exercises/${CMAKE_MATCH_3}.cuh)  # the exercise's further checks, which few exercises have
  set(sources ${PROJECT_SOURCE_DIR}/${page} ${PROJECT_SOURCE_DIR}/${chapter}/kernels.cuh ${more})
  assembled(student ${number} ${PROJECT_BINARY_DIR}/exercise_${number}.cu ${sources} ${file})
  programs(exercise_${number} ${PROJECT_BINARY_DIR}/exercise_${number}.cu)
  if(backend STREQUAL "simulator")
    foreach(order IN LISTS orders)
      linked(answer_${number}_${order} exercise_answer exercise_${number}_${order}_objects ${order})
    endforeach()
  endif()
  assembled(solution ${number} ${PROJECT_BINARY_DIR}/solution_${number}.cu ${sources})
  programs(solution_${number} ${PROJECT_BINARY_DIR}/solution_${number}.cu)
  assembled(faults ${number} ${PROJECT_BINARY_DIR}/faults_${number}.cu ${sources}
    ${PROJECT_SOURCE_DIR}/${chapter}/broken/faults.md)
  programs(faults_${number} ${PROJECT_BINARY_DIR}/faults_${number}.cu)
  file(GLOB attempts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${chapter}/broken/attempts.md)
  assembled(attempts ${number} ${PROJECT_BINARY_DIR}/attempts_${number}.cu ${sources} ${attempts})
  programs(attempts_${number} ${PROJECT_BINARY_DIR}/attempts_${number}.cu)
  objects(exercise_${number}_timed_objects ${PROJECT_BINARY_DIR}/exercise_${number}.cu)
  add_executable(exercise_${number}_table EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${chapter}>
    $<TARGET_OBJECTS:course_commit> $<TARGET_OBJECTS:exercise_${number}_timed_objects>)
  target_link_libraries(exercise_${number}_table PRIVATE exercise_${number}_timed_objects)
  if("lens" IN_LIST orders)
    add_executable(exercise_${number}_table_lens EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${chapter}_lens>
      $<TARGET_OBJECTS:course_commit> $<TARGET_OBJECTS:exercise_${number}_lens_objects>)
    target_link_libraries(exercise_${number}_table_lens PRIVATE exercise_${number}_lens_objects)
    lens_of(exercise_${number}_table_lens)
  endif()
endforeach()

# steps_03_plain and _interleaved check the steps of a chapter's lesson plan.
file(GLOB chapters RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS "[0-9][0-9]_*/exercises")
file(GLOB plans CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/instructors/*.md ${PROJECT_SOURCE_DIR}/docs/instructors/live/*.diff)
foreach(chapter IN LISTS chapters)
  string(SUBSTRING ${chapter} 0 2 number)
  assembled(steps ${number} ${PROJECT_BINARY_DIR}/steps_${number}.cu ${plans})
  programs(steps_${number} ${PROJECT_BINARY_DIR}/steps_${number}.cu)
endforeach()
