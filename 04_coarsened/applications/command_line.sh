#!/usr/bin/env bash
# command_line.sh PROGRAM: the program refuses invalid options and images in one line, and writes correct files.
# Exits with 77 (skipped) if the program finds no device.
# shellcheck source=common/checks/refusals.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../common/checks/refusals.sh"
images=$(dirname "${BASH_SOURCE[0]}")/images

refuses "--made " --made 100
refuses "--made " --made 0x5
refuses "--made accepts at most" --made 16777216x16777216
refuses "--channels " --channels 2
refuses "--input " --input nothing
refuses "leave out" --image "$images/cat.jpg" --channels 3
refuses "--together" --image "$images/cat.jpg" --together
refuses "--equalize .*\.png or \.jpg" --image "$images/cat.jpg" --equalize out.gif
refuses "--image .*No such file" --image "$folder/nothing.png"
refuses "--image .*directory" --image "$folder"
refuses "--image .*neither a PNG nor a JPEG" --image "$program"
: >"$folder/empty.png"
refuses "--image .*neither a PNG nor a JPEG" --image "$folder/empty.png"
head -c 2000 "$images/cat.jpg" >"$folder/half.jpg"
refuses "--image .*not a readable JPEG image" --image "$folder/half.jpg"
head -c 2000 "$images/cat-alpha.png" >"$folder/half.png"
refuses "--image .*not a readable PNG image" --image "$folder/half.png"
# A JPEG image that says it has 65500 rows and 451 columns; its height follows FF C0, a length and a depth.
start=$(LC_ALL=C grep -obUaP '\xff\xc0\x00\x11\x08' "$images/cat.jpg" | head -n 1 | cut -d: -f1)
cp "$images/cat.jpg" "$folder/tall.jpg"
printf '\xff\xdc' | dd of="$folder/tall.jpg" bs=1 seek=$((start + 5)) conv=notrunc status=none
refuses "--image .*tall.jpg" --image "$folder/tall.jpg"

# run OPTION...: the program succeeds.
run() { "$program" --rounds 1 "$@" >"$folder/out" 2>&1 || fail "$*: $(cat "$folder/out")"; }

for image in cat.jpg cat-grey.png cat-alpha.png; do
    run --image "$images/$image" --equalize "$folder/out.png" --bins "$folder/bins"
    sed -n "1s/^image,//p; s/^$image,//p" "$images/recorded.csv" | cut -d, -f1-3 >"$folder/expected"
    cmp -s "$folder/bins" "$folder/expected" || fail "$image is not counted as recorded"
    run --image "$folder/out.png" --equalize "$folder/out.jpg" --together
done
run --made 1x1 --channels 1
run --made 100x33 --channels 4 --input constant --grid 3 --block 100

refuses "--grid accepts at most 4096" --made 10x10 --grid 4097
cp "$images/cat.jpg" "$folder/copy.jpg"
refuses "--image and --equalize name the same file" --image "$folder/copy.jpg" --equalize "$folder/copy.jpg"
refuses "--bins and --equalize name the same file" --made 1x1 --bins "$folder/new.png" --equalize "$folder/new.png"
writes_safely --equalize out.png --made 100x100
writes_safely --bins bins.csv --made 10x10
writes_safely --csv rows.csv --made 10x10
names_are_shown --image "$images/cat.jpg"

exit $((failures > 0))
