# shellcheck shell=bash
# For scripts that check a program's command line: sets `program` to the script's first argument, and
# `folder` to an empty folder. Such a script ends with `exit $((failures > 0))`.
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# has_bytes BINS COUNT: the file BINS, which --bins has written, counts COUNT bytes.
has_bytes() {
    [ "$(awk -F, '{ sum += $2 } END { print sum }' "$1")" = "$2" ] || fail "the bins do not add up to $2 bytes"
}

# refuses NAME OPTION...: status 2, nothing on standard output, and an error of one line that contains NAME.
refuses() {
    local name=$1 status lines
    shift
    timeout 60 "$program" "$@" >"$folder/out" 2>"$folder/err" </dev/null
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

# writes_safely OPTION NAME ARGUMENT...: OPTION refuses an unwritable path before the run, and replaces a file's
# contents through a link.
writes_safely() {
    local option=$1 name=$2
    shift 2
    rm -rf "$folder/to" && mkdir -p "$folder/to/folder$name"
    refuses "$option can't write .*No such file" "$@" "$option" "$folder/to/nothing/$name"
    refuses "$option can't write .*neither a regular file nor" "$@" "$option" "$folder/to/folder$name"
    if [ "$(id -u)" -ne 0 ]; then
        touch "$folder/to/locked$name"
        chmod 400 "$folder/to/locked$name"
        refuses "$option can't write .*Permission denied" "$@" "$option" "$folder/to/locked$name"
    fi
    rm -rf "$folder"/to/* && touch "$folder/to/$name"
    [ "$option" = --csv ] || echo before >"$folder/to/$name" # a file to which --csv would add no rows
    ln -s "to/$name" "$folder/link$name"
    "$program" "$@" "$option" "$folder/link$name" >"$folder/out" 2>&1 || fail "$option: $(cat "$folder/out")"
    [ -L "$folder/link$name" ] || fail "$option replaces a link"
    [ "$(stat -c %s "$folder/to/$name")" -gt 50 ] || fail "$option has not written $name"
    [ "$(ls -A "$folder/to")" = "$name" ] || fail "$option leaves $(ls -A "$folder/to")"
    rm -rf "$folder/to" "$folder/link$name"
}

# names_are_shown OPTION FILE: OPTION reads a file of any name, and shows the name in one line of UTF-8.
names_are_shown() {
    local name=$'\'\'it\'s; `"$(x)%s é\x1b[31m\n\xff.csv'
    cp "$2" "$folder/$name"
    "$program" "$1" "$folder/$name" --csv "$folder/rows" "${@:3}" >"$folder/out" 2>&1 ||
        fail "a file called $name: $(cat "$folder/out")"
    refuses 'é\\x1b\[31m\\x0a\\xff' "$1" "$folder/no $name" "${@:3}"
    cat "$folder/rows" >>"$folder/out"
    grep -qF "\`\"\"\$(x)%s é\\x1b[31m\\x0a\\xff.csv\"," "$folder/rows" || fail "the rows lack the file's name: $(cat "$folder/rows")"
    cat "$folder/out" "$folder/err" | iconv -f UTF-8 -t UTF-8 >"$folder/all" || fail "$1 prints invalid UTF-8"
    LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$folder/all" && fail "$1 shows control characters: $(cat -v "$folder/all")"
    grep -vq '^"0\|^chapter,' "$folder/rows" && fail "$1 divides a row into lines: $(cat "$folder/rows")"
    rm -f "$folder/rows" "$folder/$name"
}
