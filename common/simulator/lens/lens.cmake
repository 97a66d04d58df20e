# The lens: programs and checks that are built a second time, so that each access is seen (README.md).

set(lens_dir ${CMAKE_CURRENT_LIST_DIR})
add_library(lens STATIC ${lens_dir}/hooks.cpp ${lens_dir}/lens.cpp ${lens_dir}/collector.cpp ${lens_dir}/counts.cpp
  ${lens_dir}/lanes.cpp ${lens_dir}/site.cpp ${lens_dir}/clocks.cpp ${lens_dir}/shadow.cpp ${lens_dir}/output.cpp)
target_link_libraries(lens PUBLIC simulator)

# These options keep the accesses those of the source, in its order. tools/course/program reads it
# from the cache.
set(options -O2 -fsanitize=thread -fno-unroll-loops)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND options --param=tsan-distinguish-volatile=1 -fno-tree-vectorize -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-store-merging
    -fno-tree-loop-distribute-patterns -fno-split-loops -fno-unswitch-loops -fno-peel-loops -fno-thread-jumps)
else()
  list(APPEND options -fno-vectorize -fno-slp-vectorize -mllvm -tsan-instrument-read-before-write=1
    -mllvm -tsan-distinguish-volatile=1
    -mllvm -jump-threading-threshold=0 -mllvm -disable-loop-idiom-all)
endif()
list(JOIN options " " options)
set(LENS_OPTIONS ${options} CACHE INTERNAL "How programs are compiled for the lens")

# lens_of(target): a translated executable whose accesses the lens sees. The linker takes its hooks before others.
function(lens_of target)
  target_link_libraries(${target} PRIVATE lens simulator)
  target_compile_options(${target} PRIVATE "SHELL:${LENS_OPTIONS}")
endfunction()
