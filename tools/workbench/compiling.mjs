// A thread that compiles for build.mjs. For each message, it calls a method of a Toolchain, or makes a module's calls suspendable.

import { parentPort } from "node:worker_threads";
import * as clang from "@yowasp/clang";
import { clangWith } from "./native_clang.mjs";
import { Toolchain, beside, canBeLeft } from "./toolchain.mjs";

parentPort.on("message", async ({ files, method, words, headers, bytes, order, level }) => {
  try {
    parentPort.postMessage({ made: method ? await new Toolchain(headers ? clangWith(headers) : clang, files)[method](...words)
      : order ? beside(bytes, order, level) : canBeLeft(bytes, undefined, level) });
  } catch (error) {
    parentPort.postMessage({ said: error.said ?? error.stack });
  }
});
