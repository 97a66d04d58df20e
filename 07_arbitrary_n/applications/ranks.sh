#!/usr/bin/env bash
# ranks.sh PROGRAM MPIRUN: several ranks give the result of one process. If one fails or is killed, all end, with a line
# each or one for all. Exits with 77 (skipped) without a device or without Open MPI, whose options this script uses.
# shellcheck disable=SC2016 # ends_all evaluates them
mpirun=${2:-}
# shellcheck source=common/checks/refusals.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../common/checks/refusals.sh"

PMI_RANK=0 PMI_SIZE=2 refuses "2 ranks were started, but" --stream memory:64K
# As root, Open MPI does nothing without these, and containers have no other user.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! { [ -n "$mpirun" ] && "$mpirun" --version | grep -q "Open MPI\|OpenRTE"; }; then
    echo "skipped: the program was built without MPI, or ${mpirun:-mpirun} is not Open MPI's"
    exit $((failures > 0 ? 1 : 77))
fi
on_ranks=("$mpirun" --oversubscribe --bind-to none --timeout 120 -n)

# ranks COUNT OPTION...: succeeds as COUNT ranks.
ranks() {
    timeout 60 "${on_ranks[@]}" "$1" "$program" "${@:2}" >"$folder/out" 2>"$folder/err" ||
        fail "$* ends with status $?: $(cat "$folder/err")"
}

differs='/^  everything/d; /^  [0-9]* ranks/d; /GPUs/d; /^  memory/d' # lines in which ranks differ from one process
# same_as_alone COUNT OPTION...: COUNT ranks give the result of one process.
same_as_alone() {
    ranks "$@"
    diff <("$program" "${@:2}" | sed "$differs") <(sed "$differs" "$folder/out") ||
        fail "$* differs from one process"
}
for size in 0 1 12287 12288 12289; do # up to 4 chunks of 4096 bytes
    head -c "$size" /dev/urandom >"$folder/data"
    same_as_alone 4 --stream "$folder/data" --chunk 4K --bins -
done
head -c 100004 /dev/urandom >"$folder/data"
for count in 2 3 4; do same_as_alone "$count" --stream "$folder/data" --chunk 4K --bins -; done
same_as_alone 4 --stream "$folder/data" --chunk 4K --sum
same_as_alone 3 --stream memory:200K --chunk 8K --rounds 3
ranks 1 --stream "$folder/data"
export CUDA_SIM_DEVICES=4 CUDA_VISIBLE_DEVICES=0,1,2,3
if "$program" --stream "$folder/data" --gpus 4 >/dev/null 2>&1; then
    ranks 2 --stream "$folder/data" --gpus 2
    grep -q "too few" "$folder/out" && fail "4 GPUs are too few for 2 ranks with 2 each"
    ranks 3 --stream "$folder/data" --gpus 2
    grep -q "3 ranks share .* only 4" "$folder/out" || fail "shared GPUs are not mentioned: $(cat "$folder/out")"
fi
unset CUDA_SIM_DEVICES CUDA_VISIBLE_DEVICES
ranks 2 --stream --help
[ "$(grep -c '^usage' "$folder/out")" -eq 1 ] || fail "the help is not printed once"

# Files of the ranks' own, one after the other.
head -c 8000 /dev/urandom >"$folder/own0"
head -c 5 /dev/urandom >"$folder/own1"
head -c 12289 /dev/urandom >"$folder/own2"
ranks 3 --stream "$folder/own%r" --chunk 4K --bins "$folder/bins"
grep '  checksum' "$folder/out" >"$folder/checksum"
truncate -s 8 "$folder/own1"
cat "$folder"/own[012] >"$folder/all"
"$program" --stream "$folder/all" | grep -qf "$folder/checksum" || fail "files in a row have another checksum"
has_bytes "$folder/bins" 20294

# one_line WORDS STATUS COUNT OPTION...: no result, and one line for all ranks.
one_line() {
    local words=$1 status=$2
    shift 2
    timeout 60 "${on_ranks[@]}" "$1" "$program" "${@:2}" >"$folder/out" 2>"$folder/err"
    [ $? -eq "$status" ] || fail "$* does not end with status $status"
    [ "$(grep -c '^error' "$folder/err")" -eq 1 ] || fail "$*: not exactly one line begins with error: $(cat "$folder/err")"
    grep -qe "^error: $words" "$folder/err" || fail "$* does not say $words: $(cat "$folder/err")"
    [ -s "$folder/out" ] && [ "$status" -eq 2 ] && fail "$*: there is a result: $(cat "$folder/out")"
}
one_line "rank 0: .*No such file" 2 3 --stream "$folder/nothing"
one_line "rank 0: --chunk accepts" 2 3 --stream - --chunk 10000
one_line "rank 0: several ranks need a file" 2 2 --stream -
one_line "rank 0: --parts and --timeline are for one" 2 2 --stream memory:64K --parts
one_line "rank 0: --stream and --bins name the same" 2 3 --stream "$folder/own%r" --bins "$folder/own2"
truncate -s 5 "$folder/own1"
one_line "rank 1: --sum accepts" 2 2 --stream "$folder/own%r" --sum
one_line "rank 3: .*own3: No such file" 2 5 --stream "$folder/own%r"
mkdir "$folder/0" "$folder/1"
truncate -s $((2 ** 32 + 2)) "$folder/0/data"
truncate -s 2 "$folder/1/data"
printf '#!/bin/sh\ncd "%s/$OMPI_COMM_WORLD_RANK" && exec "%s" "$@"\n' "$folder" "$(realpath "$program")" >"$folder/elsewhere"
chmod +x "$folder/elsewhere"
program=$folder/elsewhere one_line "rank 0: data: rank 0 sees 4294967298 bytes, and rank 1 sees 2" 1 2 --stream data
echo notes >"$folder/notes"
one_line "rank 0: .*notes: has other columns" 1 3 --stream memory:64K --csv "$folder/notes"

# Prints the process that mpirun, which is process $job, has started for a rank.
process_of() {
    local process
    for process in $(pgrep -P "$job"); do
        if grep -qzx "OMPI_COMM_WORLD_RANK=$1" "/proc/$process/environ"; then echo "$process"; fi
    done
}
# Whether a rank catches SIGTERM.
is_ready() {
    local caught
    caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$(process_of "$1")/status" 2>/dev/null)
    ((0x0$caught & 1 << 14))
}

# Ranks append their lines to a file, since mpirun can lose what a rank writes while it ends the job.
printf '#!/bin/sh\nexec "$@" 2>>"%s/err"\n' "$folder" >"$folder/direct"
chmod +x "$folder/direct"

# ends_all RANKS WHAT COMMAND...: starts a job of 3 ranks that run COMMAND, and does WHAT. The job then ends soon, without
# a result, and with one line from each of the RANKS.
ends_all() {
    local expected=$1 what=$2 job start rank
    shift 2
    : >"$folder/err"
    "${on_ranks[@]}" 3 "$folder/direct" "$@" >"$folder/out" 2>>"$folder/err" &
    job=$! start=$SECONDS
    for rank in $expected; do
        until is_ready "$rank" || [ $((SECONDS - start)) -gt 60 ]; do sleep 0.1; done
    done
    sleep 1
    eval "$what"
    timeout 20 tail -f /dev/null --pid "$job" || { fail "$what: the job does not end"; pkill -KILL -P "$job"; }
    wait "$job" && fail "$what: the job succeeds"
    [ -s "$folder/out" ] && fail "$what: there is a result"
    for rank in $expected; do
        [ "$(grep -c "^error: rank $rank: .*no result" "$folder/err")" -eq 1 ] ||
            fail "$what: rank $rank does not say once that there is no result: $(cat "$folder/err")"
    done
}
long=("$program" --stream memory:512M --rounds 1000)
ends_all "0 2" 'kill -KILL "$(process_of 1)"' "${long[@]}"
ends_all "1 2" 'kill -KILL "$(process_of 0)"' "${long[@]}"
ends_all "0 1 2" 'kill -TERM "$(process_of 2)"' "${long[@]}"
ends_all "0 1 2" 'kill -INT "$job"' "${long[@]}"
# Rank 0 has much to read. The other ranks wait to add up the results.
rm -f "$folder"/own*
truncate -s 1T "$folder/own0"
head -c 100 /dev/urandom | tee "$folder/own1" >"$folder/own2"
ends_all "0 2" 'kill -KILL "$(process_of 1)"' "$program" --stream "$folder/own%r"
# shortened RANK COMMAND...: a rank's file becomes shorter while it is read.
shortened() {
    ends_all "0 1 2" "shorten $1" "${@:2}" --stream "$folder/own%r"
    grep -q "^error: rank $1: .* has been shortened" "$folder/err" || fail "$(cat "$folder/err")"
    grep -q "error occurred in MPI" "$folder/err" && fail "$(cat "$folder/err")"
}
# shellcheck disable=SC2317 # ends_all evaluates it
shorten() {
    until readlink "/proc/$(process_of "$1")/fd"/* | grep -q "own$1"; do sleep 0.1; done
    sleep 1
    truncate -s 1M "$folder/own$1"
}
# The other ranks wait, and a message tells them of the failure: no signal ends them here.
truncate -s 100 "$folder/own0"
truncate -s 1T "$folder/own1"
shortened 1 env --block-signal=TERM "$program"
# The other ranks still count, and a signal ends them.
truncate -s 1T "$folder"/own[012]
shortened 0 "$program"
# Rank 0 never starts. The other ranks wait for it in MPI_Init.
cat >"$folder/late" <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && exec sleep 60
exec "$@"
END
chmod +x "$folder/late"
ends_all "2" 'kill -KILL "$(process_of 1)"' "$folder/late" "${long[@]}"

exit $((failures > 0))
