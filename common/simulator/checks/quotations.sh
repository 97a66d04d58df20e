#!/usr/bin/env bash
# Checks that the README quotes the simulator's messages exactly: quotations.sh SIMULATOR_CHECKS COMPILER, from
# the root. Its line numbers are g++'s: for a call that spans several lines, compilers report different ones.
set -euo pipefail
readme=common/simulator/README.md
lines() {
  local any_line=''
  if [ "$2" != GNU ]; then any_line='s/\.cuh:[0-9]+/.cuh/g'; fi
  sed -E "s/stream [0-9]+/stream N/g; $any_line" "$1" # streams are numbered across all checks
}

said=$("$1" 2>&1 >/dev/null || true)
missing=$(grep '^simulator: ' "$readme" | lines - "$2" | grep -vxFf <(lines - "$2" <<<"$said") || true)
if [ -n "$missing" ]; then
  printf '%s quotes what the checks do not print:\n%s\n' "$readme" "$missing"
  awk '{ text = $0; gsub(/\.cuh:[0-9]+/, ".cuh", text) } NR == FNR { quoted[text]; next }
       text in quoted { if (!found++) print "They print, with other line numbers:"; print }' \
    <(echo "$missing") <(echo "$said")
  exit 1
fi
