# shellcheck shell=bash
# For scripts that check a program's command line: sets `program` to the script's first argument, and
# `folder` to an empty one for files. Ends with `exit $((failures > 0))`.
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# refuses NAME OPTION...: status 2, nothing on standard output, one line of error that says NAME.
refuses() {
    local name=$1 status lines
    shift
    "$program" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    lines=$(wc -l <"$folder/err")
    if [ "$status" -eq 3 ]; then
        echo "skipped: $(cat "$folder/err")"
        exit 77
    fi
    [ "$status" -eq 2 ] || fail "$* exits with $status, not 2"
    [ "$lines" -eq 1 ] || fail "$* prints $lines lines of error, not 1"
    [ -s "$folder/out" ] && fail "$* prints something on standard output"
    grep -qe "$name" "$folder/err" || fail "$* does not say $name: $(cat "$folder/err")"
}
