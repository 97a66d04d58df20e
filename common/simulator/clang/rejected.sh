#!/usr/bin/env bash
# usage: common/simulator/clang/rejected.sh [--program] FILE.cu [CLANG OPTION...]
# Prints what nvcc would reject in a CUDA program but g++, which compiles the translation, accepts: clang reads the
# file as device code. In a file that the translator has prepared (translate --cuda), also prints uses of device
# variables by the host, of which nvcc only warns. Exits with 1 if it prints any of these. CLANG names the compiler
# (default: clang++). TRANSLATE names the translator, if the file is still to be prepared.
# --program: the file is not one of the course's, and may use all of api/more/.
set -euo pipefail
simulator=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
root=$(cd "$simulator/../.." && pwd)
mapfile -t flags <"$simulator/clang/flags.txt"
# As with nvcc, a kernel can't call constexpr functions of the host. This is not in flags.txt, because clangd would
# report errors in the C++ library.
flags+=(-Xclang -fno-cuda-host-device-constexpr -std=c++20 -ferror-limit=0 "-I$simulator/include" -include "$simulator/clang/editor.h")
is_program=false
if [ "${1-}" = --program ]; then
  is_program=true
  flags+=(-std=c++17 -DSIMULATOR_COMPAT "-I$simulator/api/more/include" "-I$(dirname "$2")")
  shift
fi
name=${1#"$root/"}
if [ -n "${TRANSLATE-}" ]; then
  prepared=$(mktemp -d)
  trap 'rm -r "$prepared"' EXIT
  "$TRANSLATE" --cuda "$1" "$prepared"
  set -- "$prepared$(realpath "$1")" "${@:2}"
fi

status=0
requires="requires holding device 'sim_device'\( exclusively\)\? \[-Wthread-safety-analysis\]"
said=$("${CLANG:-clang++}" "${flags[@]}" -Wno-everything -Wthread-safety-analysis -fsyntax-only "${@:2}" "$1" 2>&1 |
  sed "s/ warning: writing variable \('.*'\) $requires/ error: the host writes the device variable \1, but kernels do not see that: use cudaMemcpyToSymbol/
    s/ warning: reading variable \('.*'\) $requires/ error: the host reads the device variable \1, but its value is on the GPU: use cudaMemcpyFromSymbol/") || status=$?
if [ $status -eq 0 ] && ! grep -q ': error: the host .* the device variable ' <<<"$said"; then exit; fi
errors=$(grep -E ':[0-9]+: (fatal )?error: ' <<<"$said") || { echo "$said" >&2 && exit 2; }
# Only clang rejects a launch in a kernel, and with more messages than this script can recognize: such a program is
# accepted.
nested="reference to (__global__ function '.*'|__host__ function '(cudaConfigureCall|__cudaPushCallConfiguration)') in __(global|device)__"
if $is_program && grep -qE "$nested" <<<"$errors"; then exit; fi
# Errors of clang's own, which are left out: for `__shared__ alignas(16) float x[4]`, a launch in a kernel, `int a[n] =
# {1}` and main without a type.
clangs_own=": error: (an attribute list cannot appear here|reference to __global__ function '.*' in __global__ function"
clangs_own+="|variable-sized object may not be initialized|C\\+\\+ requires a type specifier for all declarations"
clangs_own+="|a type specifier is required for all declarations" # clang 16's words
# C++20 that older clangs lack: captured structured bindings, aggregates in (), deduced aggregates, types without typename.
clangs_own+="|reference to local (binding|variable) '.*' declared in enclosing .*|no matching constructor for initialization of '.*'"
clangs_own+="|no viable constructor or deduction guide for .*|missing 'typename' prior to dependent type name '.*')\$"
# If device code calls a host function, clang first says that there is no such function. The notes that follow say why.
# The error is replaced by one that names the reason.
said=$(clangs_own=$clangs_own awk '
  function end_error() {
    if (head == "") return
    at = index(head, ": error: no ")
    if (is_of_host && at && match(head, /\047[^\047]*\047/)) {
      name = substr(head, RSTART, RLENGTH)
      head = substr(head, 1, at) " error: device code cannot call the host\047s " name ", which is not a __device__ function" (name ~ /^.m(in|ax).$/ ? " (without std::, the name is CUDA\047s)" : "")
    }
    if (head !~ ENVIRON["clangs_own"]) printf "%s\n%s", head, notes
    head = notes = is_of_host = ""
  }
  /: (fatal )?error: / { end_error(); head = $0; next }
  head == "" { print; next }
  { notes = notes $0 "\n" }
  / note: candidate .*: call to __host__ function from __/ { is_of_host = 1 }
  END { end_error() }' <<<"$said")
grep -qE ':[0-9]+: (fatal )?error: ' <<<"$said" || exit 0
# The course's files are named relative to its root.
sed '/^[0-9]* errors\? generated/d; /^[0-9]* warnings\? generated/d' <<<"${said//"$root/"/}" >&2
[ $status -eq 0 ] || echo "$name: nvcc would reject this; the words are clang's" >&2
exit 1
