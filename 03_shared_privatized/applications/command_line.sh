#!/usr/bin/env bash
# command_line.sh PROGRAM: the applications' program refuses what it can't do, in one line; counts
# what numpy counts; and writes what it is asked for. Exits 77 (skipped) where it finds no device.
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=common/checks/refusals.sh
source "$here/../../common/checks/refusals.sh"
points=$here/data/points.csv

# --- Command lines that can't be followed --------------------------------------------------------

refuses "say --joint or --weighted" --n 5
refuses "say --joint or --weighted" --joint --weighted
refuses "unknown option '--nothing'" --joint --nothing
refuses "--n takes" --joint --n many
refuses "--n takes at most" --joint --n 8T
refuses "--input takes one of clouds, uniform, constant, not 'x'" --joint --input x
refuses "--bins-x takes" --joint --bins-x 0
refuses "--bins-y takes" --joint --bins-y 1e3
refuses "--width-x takes a number greater than 0, not '0'" --joint --width-x 0
refuses "--width-x takes a number" --joint --width-x nan
refuses "--range-x takes LOW:HIGH" --joint --range-x 3
refuses "--range-x takes LOW:HIGH" --joint --range-x 2:1
refuses "--range-y takes LOW:HIGH" --joint --range-y 0:inf
refuses "leave out --bins-x" --joint --bins-x 3 --width-x 1
refuses "leave out what ends in -y" --weighted --bins-y 3
refuses "are more than 67108864" --joint --n 5 --bins-x 10000 --bins-y 10000
refuses "are more than 67108864" --joint --n 5 --range-x 0:1 --width-x 1e-12
refuses "finer than float" --weighted --n 5 --range-x 1000000:1000001
refuses "--outside takes drop or clamp" --joint --outside keep
refuses "--picture takes a file name that ends in" --joint --picture x.jpg
refuses "--picture goes with --joint" --weighted --picture x.png
refuses "go with --file" --joint --columns 1,2
refuses "--delimiter takes one character" --joint --file "$points" --delimiter ab
refuses "leave out --n, --input and --seed" --joint --file "$points" --n 5
refuses "leave out --n, --input and --seed" --joint --file "$points" --seed 2
refuses "--block takes" --joint --block 0

# --- Files that can't be read --------------------------------------------------------------------

refuses "No such file" --joint --file "$folder/nothing"
refuses "directory" --weighted --file "$folder"
refuses "no column 'z'" --joint --file "$points" --columns x,z
refuses "no column 9" --joint --file "$points" --columns 1,9

# refuses_text NAME TEXT: as `refuses`, for a CSV file of this text. What is to be written stays as it was.
refuses_text() {
    printf '%b' "$2" >"$folder/bad.csv"
    echo before >"$folder/bins"
    refuses "bad.csv$1" --joint --file "$folder/bad.csv" --bins "$folder/bins"
    refuses "bad.csv$1" --weighted --file "$folder/bad.csv" --bins "$folder/bins"
    [ "$(cat "$folder/bins")" = before ] || fail "a file is overwritten though $2 can't be read"
}
refuses_text ", line 3, column 2 (y): there is nothing" 'x,y\n1,2\n3,\n'
refuses_text ", line 2, column 1 (x): 'nan' is not a finite number" 'x,y\nnan,2\n'
refuses_text ", line 2, column 2 (y): '-inf' is not a finite number" 'x,y\n1,-inf\n'
refuses_text ", line 2, column 2: the line ends before it" '1,2\n3\n4,5'
refuses_text ", line 1: a quotation mark" '1,2"\n'
refuses_text ": there is nothing in it" ''

# --- What numpy counts ---------------------------------------------------------------------------

# writes FILE OPTION...: the program writes the bins that numpy has recorded in FILE.
writes() {
    local expected=$here/data/$1
    shift
    "$program" --file "$points" --rounds 1 --bins "$folder/bins" "$@" >"$folder/out" 2>&1 ||
        fail "$*: $(cat "$folder/out")"
    cmp "$expected" "$folder/bins" || fail "$* counts otherwise than numpy, in $expected"
}
in_numpys_range=(--joint --bins-x 16 --range-x 0:1.6 --range-y -1.2:3)
writes numpy_histogram2d.csv "${in_numpys_range[@]}" --bins-y 12
writes numpy_histogram2d.csv "${in_numpys_range[@]}" --width-y 0.35 --columns 1,y --grid 3 --block 96
writes numpy_bincount.csv --weighted --columns k,m --range-x 0:12 --bins-x 12

# Sums of weights with a fraction depend on the order in which they are added up.
"$program" --weighted --file "$points" --columns x,w --range-x 0:1.6 --width-x 0.1 --bins "$folder/bins" \
    >"$folder/out" 2>&1 || fail "weights with a fraction: $(cat "$folder/out")"
paste -d, "$here/data/numpy_histogram.csv" "$folder/bins" | awk -F, '
    NR > 1 && ($1 != $4 || $2 != $5 || $3 - $6 > 1e-12 * $3 || $6 - $3 > 1e-12 * $3) { bad = 1 }
    END { exit bad || NR != 17 }' || fail "weights with a fraction are added up otherwise than numpy does"
grep -q "not all weights are integers" "$folder/out" || fail "integer weights are left out without a word"

# --- What is written -----------------------------------------------------------------------------

for picture in svg png; do
    "$program" --joint --n 1000 --picture "$folder/it's.$picture" >"$folder/out" 2>"$folder/err" ||
        fail "a picture: $(cat "$folder/err")"
    grep -q "$([ $picture = svg ] && echo '<svg' || echo PNG)" "$folder/it's.$picture" ||
        fail "no $picture is drawn"
done
printf '"it'"'"'s","y;\n set output"\n1,2\n3,4\n' >"$folder/names.csv"
"$program" --joint --file "$folder/names.csv" --picture "$folder/names.svg" >"$folder/out" 2>&1 ||
    fail "strange names: $(cat "$folder/out")"
grep -q "y;  set output" "$folder/names.svg" || fail "strange names are not drawn"

"$program" --joint --n 0 --bins - | grep -q "^0,0.015625,0,0.015625,0$" || fail "no pairs give no empty bins"
"$program" --weighted --n 0 >"$folder/out" 2>&1 || fail "no values: $(cat "$folder/out")"
"$program" --joint --n 1000 --range-x 0:1 | grep -q "outside, dropped" || fail "it does not say what is dropped"
"$program" --joint --n 1000 --range-x 0:1 --outside clamp | grep -q "outside, moved to the nearest bin" ||
    fail "it does not say what is clamped"

exit $((failures > 0))
