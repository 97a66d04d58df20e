#!/usr/bin/env bash
# Builds and runs the project in a folder, twice, the second time after a header has changed: run.sh FOLDER [CMAKE-OPTION...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$here" "$folder/somebody's project"
cd "$folder"
cmake -G Ninja -S "somebody's project" -B build "-DSIMULATOR=$here/../.." "${@:2}" >cmake.log || { cat cmake.log && exit 1; }
cmake --build build >build.log || { cat build.log && exit 1; }
build/saxpy_checks
LENS_OUTPUT=lens.json build/saxpy_lens
grep -q '"kernel":"saxpy_kernel' lens.json
sed -i 's/pragma once/pragma once\n#error the header has changed/' "somebody's project/src/saxpy.cuh"
! cmake --build build >build.log 2>&1 && grep -q 'the header has changed' build.log
