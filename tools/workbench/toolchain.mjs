// Runs clang, wasm-ld and Asyncify, in Node and in a browser.

import binaryen from "binaryen";
import { withSites } from "./sites.mjs";

const TARGET = ["--target=wasm32-wasip1", "-std=c++20", "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-iquote", ".",
  "-Icommon/simulator/include"];
/** The options for an instrumented module beside main. */
const BESIDE = ["-fPIC", "-fvisibility=default", "-fwasm-exceptions", "-g1", "-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-handle-cxx-exceptions=0"];
const HELPERS = ["common/cuda/", "common/problem/"];

/** A tool has failed. `said` is the tool's output. */
export class Refused extends Error {
  constructor(said) {
    super(said.split("\n", 1)[0]);
    this.said = said;
  }
}

/** Collects bytes that arrive in parts: a text may have tens of thousands of parts of a few bytes each. */
class Bytes {
  #room = new Uint8Array(1 << 16);
  #size = 0;

  add(part) {
    const size = this.#size + part.length;
    if (size > this.#room.length) {
      const room = new Uint8Array(2 * size);
      room.set(this.all());
      this.#room = room;
    }
    this.#room.set(part, this.#size);
    this.#size = size;
  }

  all() {
    return this.#room.slice(0, this.#size);
  }
}

/** Large results go through standard output ("-"), because writing a file in the compiler's own file system takes far longer. */
export class Toolchain {
  /** @param clang the module @yowasp/clang. @param files its files, as nested objects. */
  constructor(clang, files) {
    Object.assign(this, { clang, files });
  }

  /**
   * Runs a tool with files. Returns the file `output` that the tool has written or, if `output` is "-", the bytes of its standard
   * output.
   */
  async #run(tool, words, files, output) {
    let said = "";
    const decoder = new TextDecoder(), hear = (bytes) => void (said += bytes ? decoder.decode(bytes, { stream: true }) : "");
    const printed = new Bytes(), take = (bytes) => void (bytes && printed.add(bytes));
    try {
      const written = await tool(words, files, { stdout: output === "-" ? take : hear, stderr: hear, fetchProgress: () => {} });
      return output === "-" ? printed.all() : written[output];
    } catch (error) {
      throw error instanceof this.clang.Exit ? new Refused(said) : error;
    }
  }

  /** Compiles one of the files to an object file. */
  compile(source, options = [], more = {}) {
    const driver = source.endsWith(".c") || source.endsWith(".s") ? "clang" : "clang++";
    const words = TARGET.filter((word) => driver === "clang++" || !word.startsWith("-std="));
    return this.#run(this.clang.runClang, [driver, ...words, ...options, "-c", source, "-o", "out.o"], { ...this.files, ...more }, "out.o");
  }

  /** Links objects, given by name, to a main module. */
  link(objects, options) {
    return this.#run(this.clang.runClang, ["clang++", "--target=wasm32-wasip1", ...options, "-o", "out.wasm", ...Object.keys(objects)], objects, "out.wasm");
  }

  /** Precompiles the headers that `text` includes, for sources that are compiled with the same options. */
  compilePrelude(text, options) {
    return this.#run(this.clang.runClang, ["clang++", ...TARGET, ...BESIDE, ...options, "-x", "c++-header", "-fpch-instantiate-templates",
      "prelude.hpp", "-o", "-"], { ...this.files, "prelude.hpp": text }, "-");
  }

  /**
   * Compiles a translated source to an instrumented module that is loaded beside a main module. `prelude` has the files that
   * compilePrelude has read and written, if any. These must not have changed since, which is not checked.
   */
  async compileModule(source, options, prelude) {
    const ir = await this.#run(this.clang.runClang, ["clang++", ...TARGET, ...BESIDE, ...options, ...prelude ? ["-include-pch", "prelude.pch", "-Xclang", "-fno-validate-pch"] : [],
      "-S", "-emit-llvm", "source.cpp", "-o", "-"], { ...this.files, ...prelude, "source.cpp": source }, "-");
    const object = await this.#run(this.clang.runClang, ["clang++", "--target=wasm32-wasip1", "-fPIC", "-fwasm-exceptions", "-O1", "-Xclang", "-disable-llvm-passes",
      "-Wno-unused-command-line-argument", "-c", "sites.ll", "-o", "out.o"], { "sites.ll": withSites(new TextDecoder().decode(ir), HELPERS) }, "out.o");
    return this.#run(this.clang.runLLVM, ["wasm-ld", "-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic",
      "--export-if-defined=__wasm_call_ctors", "--export-if-defined=__main_void", "--export-if-defined=__main_argc_argv", "out.o", "-o", "out.wasm"], { "out.o": object }, "out.wasm");
  }
}

/**
 * Makes calls suspendable, by Binaryen's Asyncify: in main, those that lead to Asyncify's functions; in a module beside main, which
 * shares main's state, those that lead to one of the imports `mayLeave`. @param level of optimization, which takes most of the time.
 */
export function canBeLeft(bytes, mayLeave, level = 1) {
  const { Features } = binaryen, isMain = mayLeave === undefined;
  binaryen.setOptimizeLevel(level);
  binaryen.setDebugInfo(!isMain); // the names of kernels
  const module = binaryen.readBinary(bytes);
  module.setFeatures(Features.MutableGlobals | Features.SignExt | Features.NontrappingFPToInt | Features.BulkMemory | Features.BulkMemoryOpt
    | Features.CallIndirectOverlong | Features.ExceptionHandling | Features.Multivalue | Features.ReferenceTypes);
  if (isMain) binaryen.setPassArgument("asyncify-ignore-imports", "1");
  else binaryen.setPassArgument("asyncify-imports", mayLeave.join(","));
  binaryen.setPassArgument(isMain ? "asyncify-export-globals" : "asyncify-import-globals", "1");
  module.runPasses(["asyncify"]);
  const result = module.emitBinary();
  module.dispose();
  binaryen.clearPassArguments();
  return result;
}

export const RECORDED = "recorded"; // the order in which the lens records a block
export const mayLeaveAtAccess = (order) => order === "interleaved" || order === RECORDED;

/** Makes the calls of a module beside main suspendable, for an order of the threads. */
export function beside(bytes, order, level) {
  const names = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ module, kind }) => module === "env" && kind === "function")
    .map(({ name }) => name).filter((name) => mayLeaveAtAccess(order) || !name.startsWith("__tsan_"));
  return canBeLeft(bytes, names.map((name) => `env.${name}`), level);
}
