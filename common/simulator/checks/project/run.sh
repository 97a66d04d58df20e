#!/usr/bin/env bash
# Builds and runs the project in a folder, with the simulator's sources and with an installed simulator:
# run.sh FOLDER [CMAKE-OPTION...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
options=("${@:2}")
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# built FOLDER CMAKE-OPTION...: builds the project in FOLDER.
built() {
    cmake -G Ninja -S "$1" -B "$1/build" "${options[@]}" "${@:2}" >cmake.log || { cat cmake.log && exit 1; }
    cmake --build "$1/build" >build.log || { cat build.log && exit 1; }
}

# tried FOLDER CMAKE-OPTION...: builds and runs a copy of the project, and rebuilds the copy after a header has changed.
tried() {
    cp -r "$here" "$1"
    built "$@"
    "$1/build/saxpy_checks"
    LENS_OUTPUT=lens.json "$1/build/saxpy_lens"
    grep -q '"kernel":"saxpy_kernel' lens.json
    sed -i 's/pragma once/pragma once\n#error the header has changed/' "$1/src/saxpy.cuh"
    ! cmake --build "$1/build" >build.log 2>&1 && grep -q 'the header has changed' build.log
}

tried "somebody's project" "-DSIMULATOR=$here/../.."

cp -r "$here/../.." simulator
built simulator
cmake --install simulator/build --prefix "somebody's tools" >/dev/null
rm -r simulator
tried "another project" "-DCMAKE_PREFIX_PATH=$PWD/somebody's tools"
