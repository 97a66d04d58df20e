#!/usr/bin/env bash
# command_line.sh PROGRAM: a chapter's program refuses invalid options in one line, and counts any file
# correctly. Exits with 77 (skipped) if the program finds no device.
# shellcheck source=common/checks/refusals.sh
source "$(dirname "${BASH_SOURCE[0]}")/refusals.sh"

refuses "--n " --n many
refuses "--n " --n -1
refuses "--n " --n 1.5M
refuses "--n " --n 10X
refuses "--n " --n ""
refuses "--n " --n 99999999999999999999
refuses "--n " --n 8000000T
refuses "--n " --n 8T
refuses "--n needs a value" --n
refuses "--block " --block 0
refuses "--block " --block 1025
refuses "--block " --block 32K
refuses "--block " --block many
refuses "--grid " --grid 0
refuses "--grid " --grid 2147483648
refuses "--rounds " --rounds 0
refuses "--seed " --seed x
refuses "--input accepts one of .*, not 'nothing'" --input nothing
refuses "--variant " --n 1K --variant nothing
refuses "--variant needs a value, not ''" --variant ""
refuses "unknown option '--nothing'" --nothing
refuses "unknown argument 'nothing'" nothing
refuses "--csv needs a value" --csv ""

timeout 20 "$program" --n 1K --grid 2147483647 >"$folder/out" 2>"$folder/err"
[ $? -eq 2 ] || fail "a grid that n can't use is not refused in time"
tail -n 1 "$folder/err" | grep -q -- "--grid" || fail "the refusal of a grid that n can't use does not name --grid: $(cat "$folder/err")"

# runs_out OPTION...: the program ends with a line that says what is lacking and what to do.
limited() { (ulimit -v 600000 && [ "$(ulimit -v)" = 600000 ] && "$program" "$@" >"$folder/out" 2>"$folder/err"); }
runs_out() {
    limited "$@" && fail "$* needs no more than 600 MB"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$* says too much: $(cat "$folder/err")"
    grep -qE "(memory|threads).*use (less|a smaller)|--n accepts at most" "$folder/err" ||
        fail "$* does not say what it lacks: $(cat "$folder/err")"
}
if limited --n 1K; then # without a GPU, a sanitizer, or QEMU, which ignores the limit
    runs_out --n 700M
    if "$program" --list | grep -q "^all cores"; then
        runs_out --n 1K --grid 2000 --variant "all cores"
    else
        runs_out --n 400M # this may fit on the host, but not on the device
    fi
fi

"$program" --n 1K >/dev/full 2>"$folder/err"
[ $? -eq 1 ] || fail "standard output that is full is not noticed"
grep -q "the output could not be written" "$folder/err" || fail "full standard output: $(cat "$folder/err")"
writes_safely --csv rows.csv --n 1K
echo notes >"$folder/notes"
"$program" --n 1K --csv "$folder/notes" >/dev/null 2>"$folder/err" && fail "--csv adds rows to a file of notes"
grep -q "other columns" "$folder/err" || fail "--csv: $(cat "$folder/err")"
[ "$(cat "$folder/notes")" = notes ] || fail "--csv has changed a file of notes"
"$program" --n 1K --csv "$folder/rows" >/dev/null 2>&1
head -n 1 "$folder/rows" >"$folder/little" && head -c 2000 /dev/zero | tr '\0' ' ' >>"$folder/little"
cp "$folder/little" "$folder/before"
(trap '' XFSZ && ulimit -f 1 && "$program" --n 1K --csv "$folder/little" >/dev/null 2>"$folder/err") &&
    fail "--csv writes a file that is larger than the system allows"
grep -q "little: could not be written: File too large" "$folder/err" || fail "--csv: $(cat "$folder/err")"
cmp -s "$folder/little" "$folder/before" || fail "--csv has changed a file that it can't write to the end"
[ -z "$(find "$folder" -name '.*.part')" ] || fail "--csv leaves a part of a file"
"$program" --n 1K --csv - | grep -q '^chapter,' || fail "--csv - writes no rows to standard output"

mapfile -t modes < <("$program" --help | grep -oE -- '^  --(sweep|levels|counter-types|clocks|loads|strides|device-info) ' | tr -d ' ')
if [ ${#modes[@]} -gt 1 ]; then refuses "${modes[0]} can't be combined with ${modes[1]}" "${modes[@]}"; fi
if [ "${modes[0]:-}" = --sweep ]; then refuses "leave out --grid" --sweep --grid 2 --n 1k; fi

"$program" --n 1k --rounds 7 >"$folder/out" 2>"$folder/err" || fail "--n 1k: $(cat "$folder/err")"
grep -q "of 1024 " "$folder/out" || fail "--n 1k is not 1024: $(cat "$folder/out")"
if grep -q "on the CPU$\|simulator" "$folder/out"; then
    grep -qx -- "--rounds 7 is ignored: .*" "$folder/err" || fail "it does not say that --rounds 7 is ignored"
fi
if "$program" --list | grep -q "^all cores"; then
    refuses "nothing to time" --no-cpu
else
    "$program" --n 1K --no-cpu >"$folder/out" 2>&1 || fail "--no-cpu: $(cat "$folder/out")"
    grep -qE "CPU core\)|\(copy" "$folder/out" && fail "--no-cpu times the CPU: $(cat "$folder/out")"
fi
"$program" -h | cmp -s - <("$program" --help) || fail "-h differs from --help"
"$program" --help | grep -q -- "--input NAME" || fail "--help does not say what --input takes"
[ -n "$("$program" --list)" ] || fail "--list does not name the variants"
if ! "$program" --help | grep -q -- "--file"; then exit $((failures > 0)); fi

refuses "--file .*No such file" --file "$folder/nothing"
refuses "--file .*directory" --file "$folder"
refuses "--file .*not a regular file" --file /dev/zero
refuses "leave out --n" --file "$program" --n 5
refuses "--file .*/proc/kmsg: " --file /proc/kmsg
echo abc >"$folder/data"
refuses "--file and --bins name the same file" --file "$folder/data" --bins "$folder/data"
writes_safely --bins bins.csv --n 1K
names_are_shown --file "$program"
printf abc | "$program" --file /dev/stdin --bins - 2>&1 | grep -qx 98,1 || fail "a pipe is not counted"
if [ "$(id -u)" -ne 0 ]; then
    touch "$folder/secret"
    chmod 000 "$folder/secret"
    refuses "--file .*Permission denied" --file "$folder/secret"
fi

# counts SIZE: a file's histogram equals the one that od and awk compute.
counts() {
    head -c "$1" "$program" >"$folder/data"
    od -An -v -tu1 -w1 "$folder/data" |
        awk 'BEGIN { print "bin,count" } { ++c[$1 + 0] } END { for (b = 0; b < 256; ++b) print b "," c[b] + 0 }' \
            >"$folder/expected"
    "$program" --file "$folder/data" --rounds 1 --bins "$folder/bins" >"$folder/out" 2>&1 ||
        fail "a file of $1 bytes: $(cat "$folder/out")"
    cmp -s "$folder/expected" "$folder/bins" || fail "a file of $1 bytes is counted wrongly"
}

for size in 0 1 17 4096 100003; do counts "$size"; done

exit $((failures > 0))
