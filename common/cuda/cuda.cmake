# The GPU backend: nvcc compiles the .cu files as they are.

# The default architecture is that of the first visible GPU; without a GPU, all major architectures are built.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(which "")
  if(DEFINED ENV{CUDA_VISIBLE_DEVICES})  # indices or UUIDs; an empty value hides all GPUs
    string(REGEX MATCH "^[^,]*" first "$ENV{CUDA_VISIBLE_DEVICES}")
    set(which --id=${first})
  endif()
  execute_process(COMMAND nvidia-smi ${which} --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  if(failed EQUAL 0 AND capabilities MATCHES "([0-9]+)\\.([0-9]+)")
    set(CMAKE_CUDA_ARCHITECTURES "${CMAKE_MATCH_1}${CMAKE_MATCH_2}" CACHE STRING "")
  else()
    set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "")
  endif()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake before 3.26 does not know nvcc's option
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

list(REMOVE_ITEM host_options -Wno-unknown-pragmas)
string(REPLACE ";" "," nvcc_host_options "${host_options}")
target_compile_options(course_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${nvcc_host_options}>")
if(COURSE_WARNINGS_AS_ERRORS)
  target_compile_options(course_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()

# NCCL, by which chapter 07's application adds up the results of several GPUs.
find_path(NCCL_INCLUDE_DIR nccl.h)
find_library(NCCL_LIBRARY nccl)
if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
  add_library(course_nccl INTERFACE)
  target_include_directories(course_nccl INTERFACE ${NCCL_INCLUDE_DIR})
  target_link_libraries(course_nccl INTERFACE ${NCCL_LIBRARY})
endif()

function(course_executable target source)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/${source})
  target_link_libraries(${target} PRIVATE course_options)
endfunction()

function(course_objects target source)
  add_library(${target} OBJECT ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/work)  # so that "../common/cuda/error.cuh" is found
  target_link_libraries(${target} PUBLIC course_options)
endfunction()
