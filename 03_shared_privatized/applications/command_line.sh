#!/usr/bin/env bash
# command_line.sh PROGRAM: the applications' program refuses invalid options and files in one line, counts
# as numpy does, and writes the files that it is asked for. Exits with 77 (skipped) if it finds no device.
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=common/checks/refusals.sh
source "$here/../../common/checks/refusals.sh"
points=$here/data/points.csv

# --- Command lines that can't be followed --------------------------------------------------------

refuses "choose --joint or --weighted" --n 5
refuses "choose --joint or --weighted" --joint --weighted
refuses "unknown option '--nothing'" --joint --nothing
refuses "--n accepts" --joint --n many
refuses "--n accepts at most" --joint --n 8T
refuses "--input accepts one of clouds, uniform, constant, not 'x'" --joint --input x
refuses "--bins-x accepts" --joint --bins-x 0
refuses "--bins-y accepts" --joint --bins-y 1e3
for range in 3 2:1 0:inf :1; do refuses "--range-x accepts LOW:HIGH" --joint --range-x $range; done
refuses "leave out the options that end in -y" --weighted --bins-y 3
refuses "leave out the options that end in -y" --weighted --range-y 0:1
refuses "are too many: at most 67108864" --joint --n 5 --bins-x 10000 --bins-y 10000
refuses "finer than float" --weighted --n 5 --range-x 1000000:1000001
refuses "--columns needs --file" --joint --columns x,y
for columns in x x,y,z 'x,' ,y; do refuses "--columns accepts two" --joint --file "$points" --columns $columns; done
refuses "leave out --n, --input and --seed" --joint --file "$points" --n 5
refuses "leave out --n, --input and --seed" --joint --file "$points" --seed 2
refuses "--block accepts" --joint --block 0

refuses "--grid accepts at most 4096" --joint --n 5 --grid 4097
refuses "--grid accepts at most 4096" --joint --file "$points" --grid 4097

# --- Files that can't be read --------------------------------------------------------------------

refuses "No such file" --joint --file "$folder/nothing"
refuses "directory" --weighted --file "$folder"
refuses "no column 'z'" --joint --file "$points" --columns x,z

# refuses_text WORDS TEXT: a CSV file with this text is refused with WORDS after its name. The output file is unchanged.
refuses_text() {
    printf '%b' "$2" >"$folder/bad.csv"
    echo before >"$folder/bins"
    for application in --joint --weighted; do
        refuses "bad.csv$1" $application --file "$folder/bad.csv" --bins "$folder/bins"
    done
    [ "$(cat "$folder/bins")" = before ] || fail "a file is overwritten although $2 can't be read"
}
refuses_text ", line 3, column 2 (y): the value is missing" 'x,y\n1,2\n3,\n'
refuses_text ", line 2, column 1 (x): 'nan' is not a finite number" 'x,y\nnan,2\n'
refuses_text ", line 2, column 2 (y): '-inf' is not a finite number" 'x,y\n1,-inf\n'
refuses_text ", line 2: the first line names 2 columns, but this one has 1" 'x,y\n3\n4,5'
refuses_text ", line 1, column 1: '1' is not a column name" '1,2\n3,4\n'
refuses_text ", line 1: a quotation mark" '1,2"\n'
refuses_text ": the file is empty" ''
refuses_text ": 64 bins from 1e+16 to 1e+16: an axis needs" 'x,y\n1e16,2\n1e16,3\n'
printf 'x,y\n1,1e-300\n2,3e-300\n' >"$folder/small.csv"
refuses "small.csv: the weights are too small for fixed point: .* 4e-300, less than 2.56" --weighted --file "$folder/small.csv"

# --- Files that are written ----------------------------------------------------------------------

cp "$points" "$folder/copy"
refuses "--file and --bins name the same file" --joint --file "$folder/copy" --bins "$folder/copy"
refuses "--csv and --bins name the same file" --joint --csv "$folder/new" --bins "$folder/new"
for application in --joint --weighted; do
    writes_safely --bins bins.csv $application --n 100
    writes_safely --csv rows.csv $application --n 100
done
names_are_shown --file "$points" --joint

# --- What numpy counts ---------------------------------------------------------------------------

# writes FILE OPTION...: the program writes the same bins as FILE, which numpy has computed.
writes() {
    local expected=$here/data/$1
    shift
    "$program" --file "$points" --rounds 1 --bins "$folder/bins" "$@" >"$folder/out" 2>&1 ||
        fail "$*: $(cat "$folder/out")"
    cmp "$expected" "$folder/bins" || fail "$*: the bins differ from numpy's, in $expected"
}
in_numpys_range=(--joint --bins-x 16 --range-x 0:1.6 --bins-y 12 --range-y -1.2:3)
writes numpy_histogram2d.csv "${in_numpys_range[@]}"
writes numpy_histogram2d.csv "${in_numpys_range[@]}" --columns x,y --grid 3 --block 96
grep -q "outside, dropped" "$folder/out" || fail "it does not say how many values are outside"
writes numpy_bincount.csv --weighted --columns k,m --range-x 0:12 --bins-x 12

# Sums of weights with a fraction depend on the order in which they are added up.
"$program" --weighted --file "$points" --columns x,w --range-x 0:1.6 --bins-x 16 --bins "$folder/bins" \
    >"$folder/out" 2>&1 || fail "weights with a fraction: $(cat "$folder/out")"
paste -d, "$here/data/numpy_histogram.csv" "$folder/bins" | awk -F, '
    NR > 1 && ($1 != $4 || $2 != $5 || $3 - $6 > 1e-12 * $3 || $6 - $3 > 1e-12 * $3) { bad = 1 }
    END { exit bad || NR != 17 }' || fail "weights with a fraction have other sums than numpy's"
grep -q "not all weights are integers" "$folder/out" || fail "nothing says that integer weights are left out"

"$program" --joint --n 0 --bins - | grep -q "^0,0.015625,0,0.015625,0$" || fail "without pairs, the bins are not all 0"
"$program" --weighted --n 0 >"$folder/out" 2>&1 || fail "no values: $(cat "$folder/out")"

exit $((failures > 0))
