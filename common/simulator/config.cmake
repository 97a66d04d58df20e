# The file that find_package(cuda_simulator) reads where the simulator is installed.
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/functions.cmake)
