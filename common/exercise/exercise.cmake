# Each exercise has programs that are built only when they are asked for: exercise_03.2 checks the student's file,
# exercise_03.2_interleaved too, and exercise_03.2_table is the chapter's program with the student's variant in its
# table. After a change only the student's file is compiled.

find_package(Python3 COMPONENTS Interpreter)
set(assemble ${PROJECT_SOURCE_DIR}/tools/exercises/assemble.py)
set(orders plain)
if(backend STREQUAL "simulator" AND NOT COURSE_SANITIZE)
  list(APPEND orders interleaved)
endif()
foreach(order IN LISTS orders)
  course_objects(exercise_check_${order} common/exercise/check.cu)
  set_target_properties(exercise_check_${order} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(order STREQUAL "interleaved")
    target_compile_options(exercise_check_${order} PRIVATE -fsanitize=thread)
  endif()
endforeach()

function(exercise number chapter page file)
  set(source ${PROJECT_BINARY_DIR}/exercise_${number}.cu)
  add_custom_command(OUTPUT ${source} COMMAND ${Python3_EXECUTABLE} ${assemble} ${number} ${source} VERBATIM
    DEPENDS ${assemble} ${PROJECT_SOURCE_DIR}/tools/exercises/starter.py ${PROJECT_SOURCE_DIR}/${file}
      ${PROJECT_SOURCE_DIR}/${page} ${PROJECT_SOURCE_DIR}/${chapter}/kernels.cuh COMMENT "Reading ${file}")
  foreach(order IN LISTS orders)
    set(name exercise_${number}_${order})
    course_objects(${name}_student ${source})
    set_target_properties(${name}_student PROPERTIES EXCLUDE_FROM_ALL ON)
    if(backend STREQUAL "simulator")  # quick to compile, and nothing of it is timed
      target_compile_options(${name}_student PRIVATE -O1 -g -Wno-unused-parameter -Wno-unused-variable)
    endif()
    add_executable(${name} EXCLUDE_FROM_ALL
      $<TARGET_OBJECTS:${name}_student> $<TARGET_OBJECTS:exercise_check_${order}>)
    target_link_libraries(${name} PRIVATE ${name}_student)
    if(order STREQUAL "interleaved")
      target_compile_options(${name}_student PRIVATE -fsanitize=thread)
      interleaved(${name})
    endif()
  endforeach()
  add_executable(exercise_${number}_table EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${chapter}>
    $<TARGET_OBJECTS:course_commit> $<TARGET_OBJECTS:exercise_${number}_plain_student>)
  target_link_libraries(exercise_${number}_table PRIVATE exercise_${number}_plain_student)
endfunction()

file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS "[0-9][0-9]_*/exercises/*_*.md")
foreach(page IN LISTS pages)
  if(page MATCHES "^(([0-9][0-9])_[^/]*)/exercises/(([0-9]+)_[^/]*)\\.md$")
    exercise(${CMAKE_MATCH_2}.${CMAKE_MATCH_4} ${CMAKE_MATCH_1} ${page} work/${CMAKE_MATCH_2}.${CMAKE_MATCH_3}.cuh)
  endif()
endforeach()
