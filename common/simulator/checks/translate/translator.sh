#!/usr/bin/env bash
# Checks the translator's messages about files that it can't translate: translator.sh TRANSLATE
set -euo pipefail
translate=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect STATUS WORDS SOURCE [FILE]: the exit status, and the one-line message after FILE (default: the source file).
expect() {
  local status=0 said
  printf '%b' "$3" >"$scratch/input.cu"
  said=$(timeout 10 "$translate" "$scratch/input.cu" "$scratch/output.cpp" 2>&1) || status=$?
  if [ "$status" -ne "$1" ] || [ "$said" != "${2:+${4-$scratch/input.cu}:$2}" ]; then
    printf 'of %q it says, with status %s: %s\n' "${3:0:60}" "$status" "$said"
    failures=$((failures + 1))
  fi
}

expect 0 "" 'int main() {}\n'
expect 1 "2: error: there is no kernel before <<<" 'void f() {\n  <<<1, 2>>>(x);\n}'
expect 1 "1: error: '>' closes nothing" 'x><<<1, 2>>>(x);'
expect 1 "3: error: <<< is not followed by >>>(" '/* a\n b */\nkernel<<<1, 2>>(x);\nint i;'
expect 1 "1: error: <<< is not followed by >>>(" 'kernel<<<1, 2>>>;'
expect 1 "1: error: <<< is not followed by >>>(" 'kernel<<<'
expect 1 "2: error: a __shared__ variable can't have an initializer, and its declaration must end with ';'" '\n__shared__ int s = 3;'
expect 1 "1: error: a __shared__ variable can't have an initializer, and its declaration must end with ';'" '__shared__ int s{3};'
expect 1 "8: error: there is no kernel before <<<" '\n#line 7 "work/a b.cuh"\nint i;\n<<<1, 2>>>(x);' "work/a b.cuh"
expect 1 "1: error: a __shared__ variable can't have an initializer, and its declaration must end with ';'" '__shared__ int'
expect 1 "1: error: extern __shared__ must declare one array without a size: T name[]" 'extern __shared__ int s;'
expect 1 "1: error: extern __shared__ must declare one array without a size: T name[]" 'extern __shared__ int s[4];'
expect 1 "1: error: extern __shared__ must declare one array without a size: T name[]" 'extern __shared__ alignas('
# Files may be arbitrarily long and deeply nested: the stack does not overflow, and a translation takes seconds at most.
many() { printf "%.0s$1" $(seq 100000); }
expect 0 "" "$(many '(')kernel$(many ')')<<<1, 2>>>(x);"
expect 0 "" "kernel$(many '<int, ')0$(many '>')<<<1, 2>>>(x);"
expect 0 "" "$(many 'kernel<<<(')1$(many ', 2)>>>(x)')"
expect 1 "1: error: <<< is not followed by >>>(" "$(many 'kernel<<<')1$(many ', 2>>>(x)')"
expect 0 "" "$(many '__shared__ ')$(many ';')"
expect 0 "" "__shared__ int$(many '/**/ ')s;"
# Code that the preprocessor skips, and comments that continue on the next line, are not translated.
expect 0 "" '#if 0\n<<<\n#endif\n'
expect 0 "" '#  if 0 // no\n#if 1\n<<<\n#endif\n<<<\n#else\nint i;\n#endif\n'
expect 1 "4: error: there is no kernel before <<<" '#if 0\n<<<\n#endif\n<<<\n'
expect 1 "2: error: there is no kernel before <<<" '#if 0 || 1\n<<<\n#endif\n'
expect 1 "2: error: there is no kernel before <<<" '#if 01\n<<<\n#endif\n'
expect 0 "" '// a comment \\\\\n<<<\n'
expect 0 "" "$(many '#if 0\n')"
expect 1 "1: error: <<< is not followed by >>>(" '#define A f<<<1, 2>>\n>(x)\n'
# The compiler, not the translator, complains about unterminated comments and literals.
for source in '/* a' '// a' '"a' "'a" 'R"x(a' "'\\\\"; do expect 0 "" "$source"; done

for arguments in "" "$scratch/missing.cu $scratch/output.cpp" "$scratch/input.cu $scratch/no/folder.cpp"; do
  # shellcheck disable=SC2086  # they are several
  if "$translate" $arguments 2>"$scratch/said" || [ "$(wc -l <"$scratch/said")" -ne 1 ]; then
    printf 'with the arguments %q it says: %s\n' "$arguments" "$(cat "$scratch/said")"
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
