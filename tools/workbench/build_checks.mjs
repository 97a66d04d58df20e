// Builds the chapters' and the simulator's own checks as WebAssembly into build/workbench/checks, for try.mjs --checks.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { built, cached, filesBelow, fromRoot, inThread, root, toolchainOf } from "./building.mjs";
import { OPTIONS as BESIDE_MAIN, nested } from "./engine.mjs";
import { unpack } from "./native_clang.mjs";
import { RECORDED, beside, canBeLeft } from "./toolchain.mjs";

const HEADERS = join(built, "headers"); // the C++ library's headers, for this machine's clang
const CATCH = "/usr/include/catch2/catch.hpp";
export const output = join(built, "checks");

/** Creates the output folder, and empties it if all checks are built. */
export function begin(areAll) {
  if (areAll) rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  unpack(HEADERS);
}

/** Compiles Catch2 and its main function. */
export async function catchOf() {
  const files = { "catch.cpp": "#include <catch2/catch.hpp>\n", catch2: { "catch.hpp": readFileSync(CATCH, "utf8") } };
  const options = ["-O1", "-fwasm-exceptions", "-DCATCH_CONFIG_MAIN", "-DCATCH_CONFIG_NO_POSIX_SIGNALS", "-I."];
  return cached("Catch2", [files.catch2["catch.hpp"], ...options], () => toolchainOf(files, HEADERS).compile("catch.cpp", options));
}

/** Headers whose code no kernel calls. Their accesses are not instrumented, as in a browser: else checks would take far longer. */
const OF_HOST = ["common/checks/", "common/problem/", "common/bench/", "catch2/", "c++/v1/__vector/", "c++/v1/__memory/", "c++/v1/__iterator/", "c++/v1/__functional/", "c++/v1/__algorithm/", "c++/v1/string", "c++/v1/optional"]
  .map((folder) => `src:*${folder}*\n`).join("");

/**
 * Compiles the checks whose names begin with one of the words, or all, as modules beside main. `ofCourse` and `sources` have files by
 * their paths, translated. Returns the names that they import.
 */
export async function checksOf(ofCourse, sources, translatedFile, words) {
  const folder = "common/simulator/checks", headers = new Map([...ofCourse, ...[...sources].filter(([path]) => !path.endsWith(".cpp"))]);
  for (const path of [...filesBelow(folder, /\.(cuh|hpp)$/), "common/simulator/include/simulator/json.hpp"]) headers.set(path, await translatedFile(path));
  const programs = { simulator: `${folder}/checks.cu`, lens: `${folder}/lens/checks.cu` };
  for (const chapter of readdirSync(root).filter((name) => /^\d\d_/.test(name))) programs[chapter] = `${chapter}/checks.cu`;
  for (const name of Object.keys(programs)) if (words.length > 0 && !words.some((each) => name.startsWith(each))) delete programs[name];
  for (const path of Object.values(programs)) headers.set(path, await translatedFile(path));
  for (const [path, text] of headers) headers.set(path, fromRoot(path, text, (name) => headers.has(name)));
  const files = { ...nested(Object.fromEntries(headers)), catch2: { "catch.hpp": readFileSync(CATCH, "utf8") }, "of-host.txt": OF_HOST,
    "posix.h": readFileSync(join(import.meta.dirname, "posix.h"), "utf8"), sys: Object.fromEntries(["mman", "resource", "wait"].map((name) => [`${name}.h`, ""])) };
  const options = [...BESIDE_MAIN, "-fsanitize-ignorelist=of-host.txt", "-include", "posix.h", "-I.", `-I${folder}/faults`, `-I${folder}/lens`, "-Wno-everything"];
  const inputs = [OF_HOST, files["posix.h"], ...[...headers].filter(([path]) => !/\.cu$|^\d\d_/.test(path)).flat()];
  const imported = new Set();
  await Promise.all(Object.entries(programs).map(async ([name, path]) => {
    const own = [...headers].filter(([each]) => each.startsWith(`${name}/`)).flat();
    const module = await cached(`checks of ${name}`, [...inputs, ...own, headers.get(path), ...options], () =>
      toolchainOf(files, HEADERS).compileModule(headers.get(path), options));
    for (const { module: from, name: symbol } of WebAssembly.Module.imports(new WebAssembly.Module(module))) if (from !== "env" || !symbol.startsWith("__")) imported.add(symbol);
    for (const order of name === "lens" ? ["lens"] : ["plain", "interleaved"])
      writeFileSync(join(output, `${name}.${order}.wasm`), await cached(`checks of ${name}, ${order}, with Asyncify`, [module, beside.toString(), canBeLeft.toString(), order],
        () => inThread({ bytes: module, order: order === "lens" ? RECORDED : order, level: 0 })));
  }));
  return [...imported];
}
