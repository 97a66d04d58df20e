#!/usr/bin/env bash
# Checks that the README quotes the simulator as it speaks: check_quotations.sh SIMULATOR_CHECKS, from the root
set -euo pipefail
readme=common/simulator/README.md
said=$("$1" 2>&1 >/dev/null || true)
quoted=$(grep '^simulator: ' "$readme")
missing=$(grep -vxFf <(printf '%s\n' "$said") <<<"$quoted" || true)
if [ -n "$missing" ]; then
  printf '%s quotes what the checks do not print:\n%s\n' "$readme" "$missing"
  exit 1
fi
