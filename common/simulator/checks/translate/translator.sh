#!/usr/bin/env bash
# Checks the translator's messages about files that it can't translate, and some translations: translator.sh TRANSLATE
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

# becomes TRANSLATION SOURCE: what a line of a kernel with the shared variables s, t, and u (dynamic) becomes.
begin='void f() { __shared__ int s[2], t; extern __shared__ int u[];'
becomes() {
  printf '%s\n%s\n}\n' "$begin" "$2" >"$scratch/input.cu"
  timeout 10 "$translate" "$scratch/input.cu" "$scratch/output.cpp"
  if [ "$(sed -n 3p "$scratch/output.cpp")" != "$1" ]; then
    printf '%q becomes: %s\n' "$2" "$(sed -n 3p "$scratch/output.cpp")"
    failures=$((failures + 1))
  fi
}
remains() { becomes "$1" "$1"; }

# A lambda captures the shared variables that its body names.
becomes '[=, &s] { s[0]; }' '[=] { s[0]; }'
becomes '[&s, &t] { s[s[0]] = t; }' '[] { s[s[0]] = t; }'
becomes 'f([x, &y, &s](int i) mutable -> int& { return s[i]; });' 'f([x, &y](int i) mutable -> int& { return s[i]; });'
becomes 'if (x) [p = &s[0], &s] { s[*p]; }();' 'if (x) [p = &s[0]] { s[*p]; }();'
becomes 'return [=, &s] __device__ (auto i) { s[i]; };' 'return [=] __device__ (auto i) { s[i]; };'
becomes '[&s]<class T>(const T (&a)[sizeof(s)]) { s[0]; }' '[]<class T>(const T (&a)[sizeof(s)]) { s[0]; }'
becomes '[&t, &s] { [=, &t] { t; }; [&] { s[0]; }; }' '[] { [=] { t; }; [&] { s[0]; }; }'
becomes '[u, x] { u[x]; }' '[u, x] { u[x]; }'
becomes '[x, u] { u[x]; }' '[x] { u[x]; }'
remains '[=] { u[0]; }'
remains '[] { x; } [&] { s[0]; } [&, x] { t; } [=, &s] { s[0]; } [s = 1] { s; }'
remains '[](int s, int (&t)[2], int* u = nullptr) { s + t[0] + *u; }'
remains '[=] { a.s + a->s + a::s + "s"; }'
remains 'a[s[0]](t) = int[2]{s[0], t}[t]; delete[] u; if (a[0]) { s[0]; }'
remains 'auto [a, b]{s}; auto& [c, d]{s}; for (auto& [e, f] : g) { s[0]; }; [[likely]] { s[0]; }'
remains '} void g() { [=] { s[0]; };'
becomes '__attribute__((noinline)) __attribute__((__noinline__))' '__noinline__ __attribute__((__noinline__))'
# The time does not depend on how lambdas are nested.
expect 0 "" "$begin$(many '[] { s[0]; ')$(many '}')}"
expect 0 "" "$begin$(many '[] { s[0]; };')}"
expect 0 "" "$begin$(many '[](int x = ')s[0]$(many ') { s[0]; }')}"

for arguments in "" "$scratch/missing.cu $scratch/output.cpp" "$scratch/input.cu $scratch/no/folder.cpp"; do
  # shellcheck disable=SC2086  # they are several
  if "$translate" $arguments 2>"$scratch/said" || [ "$(wc -l <"$scratch/said")" -ne 1 ]; then
    printf 'with the arguments %q it says: %s\n' "$arguments" "$(cat "$scratch/said")"
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
