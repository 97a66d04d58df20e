#!/usr/bin/env node
// usage: common/simulator/checks/platform/compile_for_wasm.mjs
// Compiles for WebAssembly all of the simulator, the translator and the lens except platform/linux: what is left must be
// portable C++. The compiler is clang from npm, of a fixed version, in build/wasm. Prints its errors and exits with 1.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const COMPILER = "@yowasp/clang@22.0.0-git20542-10";
const root = resolve(import.meta.dirname, "../../../..");
const simulator = join(root, "common/simulator");
const modules = join(root, "build/wasm");
mkdirSync(modules, { recursive: true });
execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", modules, COMPILER], { stdio: "inherit" });
const { runClang } = await import(join(modules, "node_modules/@yowasp/clang/gen/bundle.js"));

// The compiler's file system does not know "..", so includes are named from the root.
const fromRoot = (folder, text) =>
  text.replace(/^(\s*#\s*include\s+")([^"]+)"/gm, (all, before, name) =>
    existsSync(join(folder, name)) ? `${before}${relative(root, join(folder, name))}"` : all);

const sources = [];
function read(folder) {
  const files = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (["checks", "linux"].includes(entry.name)) continue;
    if (entry.isDirectory()) files[entry.name] = read(path);
    else if (/\.(h|hpp|cpp)$/.test(entry.name)) files[entry.name] = fromRoot(folder, readFileSync(path, "utf8"));
    if (entry.name.endsWith(".cpp")) sources.push(relative(root, path));
  }
  return files;
}

// One file includes all sources, since most of the time goes to the headers of the C++ library; except one of the two
// instruments, which define the same functions.
const files = { common: { simulator: read(simulator) } };
const alone = sources.filter((path) => path.endsWith("/interleave.cpp"));
files["all.cpp"] = sources.filter((path) => !alone.includes(path)).map((path) => `#include "${path}"\n`).join("");
let said = "";
const decoder = new TextDecoder();
try {
  await runClang(["clang++", "--target=wasm32-wasip1", "-std=c++20", "-fignore-exceptions", "-D_WASI_EMULATED_SIGNAL", "-Wall",
    "-Wno-exceptions", "-O1", "-iquote", ".", "-Icommon/simulator/include", "-c", "all.cpp", ...alone], files,
    { stdout: () => {}, stderr: (bytes) => { said += bytes ? decoder.decode(bytes, { stream: true }) : ""; } });
} catch {
  console.error(said.replaceAll(/^.*fetched \d+%.*$\n?/gm, ""));
  console.error("the simulator is not portable: what needs Linux belongs in common/simulator/platform/linux");
  process.exit(1);
}
console.log(`${sources.length} source files compile for WebAssembly`);
