#!/usr/bin/env bash
# command_line.sh PROGRAM: the program refuses invalid options in one line, counts streams correctly, and stops at a
# signal. Exits with 77 (skipped) if the program finds no device.
# shellcheck source=common/checks/refusals.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../common/checks/refusals.sh"

refuses "--stream needs" --sum
refuses "--stream .* a whole number" --stream memory:4x
refuses "No such file" --stream "$folder/nothing"
refuses "is a directory" --stream "$folder"
refuses "is a device" --stream /dev/null
refuses "can't be combined with" --stream - --sum --histogram
refuses "leave out --bins" --stream - --sum --bins "$folder/bins"
refuses "--gpus accepts at most" --stream - --gpus 64
refuses "--chunk accepts a multiple of 4096" --stream - --chunk 10000
refuses "--memory accepts at least a chunk" --stream - --chunk 1M --memory 1M
refuses "--buffers " --stream - --buffers 0
refuses "name the same file" --stream memory:64K --csv "$folder/same" --timeline "$folder/same"
refuses "has no chunks" --stream gpu:64K --chunk 64K
refuses "at most [0-9]* bytes, half of" --stream managed:1024T
refuses "No such file" --stream disk:64K
refuses "not a pipe" --stream - --parts
head -c 100001 /dev/urandom >"$folder/data"
refuses "not a multiple of 4" --stream "$folder/data" --sum
refuses "name the same file" --stream "$folder/data" --bins "$folder/data"
writes_safely --bins bins.csv --stream memory:64K
writes_safely --csv times.csv --stream memory:64K --parts

# run OPTION...: the program succeeds.
run() { "$program" "$@" >"$folder/out" 2>"$folder/err" || fail "$*: $(cat "$folder/err")"; }

run --stream --help
grep -q -- '--chunk SIZE' "$folder/out" || fail "--stream --help does not print the help"

# A file, a pipe and standard input have the same result with any chunks, and only the file's bytes are counted.
run --stream "$folder/data" --bins "$folder/bins" --chunk 4K
has_bytes "$folder/bins" 100001
grep '  checksum' "$folder/out" >"$folder/checksum"
mkfifo "$folder/pipe"
cat "$folder/data" >"$folder/pipe" &
run --stream "$folder/pipe" --bins "$folder/more_bins" --chunk 8K --memory 20K
cmp -s "$folder/bins" "$folder/more_bins" || fail "a pipe is not counted as the file is"
grep -qf "$folder/checksum" "$folder/out" || fail "the checksum of a pipe differs from the file's"
run --stream - --bins "$folder/more_bins" <"$folder/data"
cmp -s "$folder/bins" "$folder/more_bins" || fail "standard input is not counted as the file is"
[ -s "$folder/err" ] && fail "without a terminal, there is progress on standard error"

# Files that report a size of 0 or a page, whatever they contain.
for file in /proc/version /sys/devices/system/cpu/online; do
    [ -r $file ] || continue
    run --stream $file --bins "$folder/more_bins"
    has_bytes "$folder/more_bins" "$(wc -c <$file)"
done

# A failure during the run gives one line of error and status 1.
"$program" --stream - --sum <"$folder/data" >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] || fail "standard input of 100001 bytes has a sum"
[ ! -s "$folder/out" ] || fail "an error comes with a result"
grep -q "^error: --sum accepts integers of 4 bytes.*100001" "$folder/err" || fail "$(cat "$folder/err")"
"$program" --stream /proc/self/mem >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] || fail "a file that can't be read has a result"
grep -q "^error: /proc/self/mem: Input/output error" "$folder/err" || fail "$(cat "$folder/err")"

run --stream "$folder/data" --chunk 4K --timeline "$folder/timeline"
[ "$(wc -l <"$folder/timeline")" -eq 26 ] || fail "the timeline of 25 chunks has $(wc -l <"$folder/timeline") lines"

# Random data are the same wherever they are.
for place in memory pageable gpu managed prefetched; do
    run --stream $place:100004 --sum
    grep -A1 '  checksum' "$folder/out" >"$folder/$place"
    cmp -s "$folder/memory" "$folder/$place" || fail "$place:100004 differs from memory:100004: $(cat "$folder/$place")"
done

cp "$folder/data" "$folder"/$'a\x1b[31m\nb'
run --stream "$folder"/$'a\x1b[31m\nb'
grep -qF 'a\x1b[31m\x0ab' "$folder/out" || fail "a file's name is not escaped: $(cat -v "$folder/out")"

# catches PROCESS SIGNAL: waits until a process has a handler for a signal and has read the pipe. Opening a GPU may take
# seconds, and a signal in this time ends the program without a message.
catches() {
    local number caught deadline=$((SECONDS + 60))
    number=$(kill -l "$2")
    until ! read -rt 0 -u 9 && caught=$(sed -n 's/^SigCgt:\t/0x/p' "/proc/$1/status") &&
        ((caught >> (number - 1) & 1)); do
        [ $SECONDS -lt $deadline ] && sleep 0.1 || return
    done
}

# stops SIGNAL STATUS OPTION...: the program ends soon after the signal, and says how many bytes it has counted.
stops() {
    local signal=$1 expected=$2 status start
    shift 2
    env --default-signal="$signal" "$program" "$@" >"$folder/out" 2>"$folder/err" &
    catches $! "$signal" || fail "$* does not wait for $signal"
    sleep 1 # some bytes are counted
    start=$SECONDS
    kill -s "$signal" $!
    wait $!
    status=$?
    [ $((SECONDS - start)) -le 3 ] || fail "$* ends $((SECONDS - start)) seconds after $signal"
    [ "$status" -eq "$expected" ] || fail "$* ends with status $status after $signal, not $expected"
    grep -qx "error: stopped by a signal: only the first [0-9]* bytes are counted" "$folder/err" ||
        fail "$* says nothing of $signal: $(cat "$folder/err")"
    grep -q "of the first [0-9]* bytes" "$folder/out" || fail "$*: nothing says that only a part was counted: $(cat "$folder/out")"
}
exec 9<>"$folder/pipe" # a pipe that never ends
echo 12345678 >&9
stops INT 130 --stream "$folder/pipe" --bins "$folder/no_bins"
grep -q "of the first 8 bytes" "$folder/out" || fail "8 bytes of a silent pipe are not counted: $(cat "$folder/out")"
[ ! -e "$folder/no_bins" ] || fail "the bins are written although the program was stopped"
stops TERM 143 --stream memory:64M --rounds 1000
# On the simulator, each of these rounds takes seconds. The program must also stop in a series of short rounds.
grep -q simulator "$folder/out" && stops TERM 143 --stream memory:1M --rounds 1000

exit $((failures > 0))
