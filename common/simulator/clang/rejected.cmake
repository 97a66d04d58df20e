# If clang is installed, code that nvcc would reject is an error even if g++ compiles its translation (see rejected.sh).

find_program(CLANGXX NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(rejected ${CMAKE_COMMAND} -E env CLANG=${CLANGXX} ${CMAKE_CURRENT_LIST_DIR}/rejected.sh)
set(clang_reads_cuda FALSE)
set(clang_lacks "clang is not installed")
if(CLANGXX)
  # The installed clang may be too old, or lack the headers of the C++ library.
  file(WRITE ${PROJECT_BINARY_DIR}/nothing.cu "int main() {}\n")
  execute_process(COMMAND ${rejected} ${PROJECT_BINARY_DIR}/nothing.cu
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  if(result EQUAL 0)
    set(clang_reads_cuda TRUE)
  endif()
  string(REGEX MATCH "[^\n]*error[^\n]*" clang_lacks "${errors}")
  set(clang_lacks "${CLANGXX} can't read CUDA: ${clang_lacks}")
endif()
if(NOT clang_reads_cuda)
  message(STATUS "What nvcc would reject of a kernel may compile here: ${clang_lacks}")
endif()
set(COURSE_CLANG ${clang_reads_cuda} CACHE INTERNAL "Whether clang looks for what nvcc would reject")
set(COURSE_CLANG_LACKS "${clang_lacks}" CACHE INTERNAL "Why not")

# reject_what_nvcc_does(target source): the target is not linked unless clang accepts its source. Both compilers work
# at the same time: only linking the program waits for clang, not the compilation.
function(reject_what_nvcc_does target source)
  if(NOT clang_reads_cuda OR NOT CMAKE_GENERATOR MATCHES "Ninja")
    return()
  endif()
  set(accepted ${PROJECT_BINARY_DIR}/accepted/${target})
  add_custom_command(OUTPUT ${accepted}
    COMMAND ${rejected} ${PROJECT_SOURCE_DIR}/${source} -MD -MF ${accepted}.d -MT ${accepted}
    COMMAND ${CMAKE_COMMAND} -E touch ${accepted}
    DEPENDS ${source} common/simulator/clang/flags.txt common/simulator/clang/rejected.sh
    DEPFILE ${accepted}.d VERBATIM
    COMMENT "Looking in ${source} for what nvcc would reject")
  add_custom_target(${target}_accepted DEPENDS ${accepted})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${accepted})
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/accepted)
