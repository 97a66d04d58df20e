#!/usr/bin/env bash
# Gradescope runs this once, as root, to build the autograder's image. The script installs the packages, builds the checks
# and grades an example. If the example can't be graded, the image would grade nothing, so building it fails.
set -euo pipefail
source=${AUTOGRADER:-/autograder}/source
mapfile -t options <"$source/options.txt"
"$source/course/course" grade "${options[@]}" --rubric "$source/rubric.ini" --only 02.2 "$source/example" | tee "$source/example.txt"
grep -q '"passed": true' "$source/example.txt" || {
  echo "setup.sh: the course's own code does not pass, so nothing can be graded here" >&2
  exit 1
}
