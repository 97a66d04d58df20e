// Checks an exercise, in a browser's worker or in Node: compiles in its own thread, and runs programs in other threads.

import { RECORDED, Toolchain, Refused, beside, mayLeaveAtAccess } from "./toolchain.mjs";
import { translate } from "./translate.mjs";

// The options by which common/simulator/functions.cmake compiles for the lens.
const CHECKED = "alignment,array-bounds,return";
export const OPTIONS = ["-O2", "-fno-inline", "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-tsan-instrument-read-before-write=1",
  "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-jump-threading-threshold=0", "-mllvm", "-disable-loop-idiom-all",
  `-fsanitize=${CHECKED}`, `-fno-sanitize-recover=${CHECKED}`];

// The further options by which common/exercise/exercise.cmake compiles a student's file. Local arrays matter only in code for the CPU;
// in kernels, they would change the order in which threads are interrupted.
const EXERCISE = [...OPTIONS, "-ftrivial-auto-var-init=pattern", "-Werror=uninitialized"];
const FOR_CPU = [...EXERCISE, "-mllvm", "-capture-tracking-max-uses-to-explore=0"];

// The options by which tools/course/program.py compiles programs from outside the course. In addition, some headers that many programs
// include are always included.
const STANDARD = "-std=gnu++17"; // for programs that don't name a standard
const INCLUDES = ["api/more/prelude.h", "algorithm", "cstdio", "iostream", "numeric", "string", "vector"]
  .map((name) => `#include ${name.includes("/") ? `"common/simulator/${name}"` : `<${name}>`}\n`).join("");
const MORE = "common/simulator/api/more", PROGRAM = [...OPTIONS, `-I${MORE}/include`, "-Wno-narrowing", "-Wno-unknown-pragmas",
  "-D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES"]; // otherwise libc++ reads most of itself again for each program

/** Files by their paths, as nested objects. */
export function nested(files) {
  const tree = {};
  for (const [path, text] of Object.entries(files)) {
    const folders = path.split("/"), name = folders.pop();
    folders.reduce((folder, each) => (folder[each] ??= {}), tree)[name] = text;
  }
  return tree;
}

export class Engine {
  /**
   * @param clang the module @yowasp/clang. @param headers the translated headers, by path. @param includes what most sources
   * include. @param modules the compiled WebAssembly.Modules plain, interleaved, lens and translate. @param python Pyodide.
   * @param course the files that the Python tools read, by path. @param runners where programs run (runners.mjs). @param atOnce how many
   * run at the same time. @param keep returns the result of `make` for a name, or its earlier result.
   */
  constructor({ clang, headers, includes, modules, python, course, runners, atOnce, keep = (name, make) => make() }) {
    this.toolchain = new Toolchain(clang, nested(headers));
    Object.assign(this, { modules, python, includes, runners, atOnce, keep, standard: STANDARD, preludes: {} });
    for (const [path, text] of Object.entries(course)) {
      python.FS.mkdirTree(`/course/${path}`.replace(/\/[^/]*$/, ""));
      python.FS.writeFile(`/course/${path}`, text);
    }
    python.runPython(`import sys\nsys.path[:0] = ["/course/tools/exercises", "/course/tools/workbench"]`);
    this.checker = python.pyimport("machine");
  }

  /**
   * Compiles, once, what all exercises include or, with an option that names a standard, what all programs with this standard include.
   * Without this, each source would take several times as long.
   */
  warm(standard = "") {
    const [text, options] = standard ? [INCLUDES, [...PROGRAM, standard]] : [this.includes, EXERCISE];
    return this.preludes[standard] ??= this.keep(`prelude${standard}`, () => this.toolchain.compilePrelude(text, options))
      .then((compiled) => ({ "prelude.hpp": text, "prelude.pch": compiled }));
  }

  /**
   * Compiles a source for an order of the threads; with `standard`, an option, as a program. Returns the compiler's messages; empty on
   * success.
   */
  async build(source, order, standard = "") {
    try {
      const key = `${standard}\n${source}`;
      if (this.key !== key) Object.assign(this, { bytes: await this.#compile(source, standard), key, built: new Map() });
      const own = WebAssembly.Module.exports(new WebAssembly.Module(this.bytes));
      if (standard && !own.some(({ name }) => /^__main_(void|argc_argv)$/.test(name))) return "course: none of the program's files defines main()";
      const mayLeave = mayLeaveAtAccess(order);
      if (!this.built.has(mayLeave)) this.built.set(mayLeave, new WebAssembly.Module(beside(this.bytes, order)));
      return "";
    } catch (error) {
      if (error instanceof Refused) return error.said;
      throw error;
    }
  }

  async #compile(source, standard) {
    const { text, said } = await translate(this.modules.translate, standard ? "program.cu" : "exercise.cu", source, standard !== "");
    if (text === undefined) throw new Refused(said);
    const options = standard ? [...PROGRAM, standard] : source.includes(".on_cpu = true") ? FOR_CPU : EXERCISE;
    return this.toolchain.compileModule(text, options, await this.warm(standard));
  }

  run(order, words, settings, hear) {
    const environment = { ...hear ? {} : { CUDA_SIM_TIMEOUT: "3" }, ...JSON.parse(settings) };
    return this.runners.run(this.modules[order === RECORDED ? "lens" : order], this.built.get(mayLeaveAtAccess(order)), { args: JSON.parse(words), environment, input: "0\n" }, hear);
  }

  /** Checks the text of an exercise's file. `tell` gets the events. @param variant a variant other than the exercise's, if any. */
  async check(number, text, tell, variant = "") {
    await this.ask("check", [number, variant, text], tell);
  }

  /** Calls a function of machine.py. `tell` gets the events. */
  async ask(what, words, tell) {
    const own = { build: (source, order) => this.build(source, order), run: (order, words, settings) => this.run(order, words, settings), at_once: this.atOnce };
    await this.checker[what](...words, own, (event) => tell(JSON.parse(event)));
  }

  /**
   * Compiles and runs a program; with `isSeen`, under the lens. `tell` gets the events, and { output, isError } whenever the program
   * writes text.
   */
  async runProgram(source, words, isSeen, tell) {
    const own = this.#ofProgram(source, words, (output, isError) => tell({ output, isError }));
    await this.checker.run_program(source, isSeen, own, (event) => tell(JSON.parse(event)));
  }

  /** Records blocks of a program's kernels. `tell` gets one event. */
  async watchProgram(source, words, tell) {
    await this.checker.watch_program(source, this.#ofProgram(source, words, () => {}), (event) => tell(JSON.parse(event)));
  }

  #ofProgram(source, words, hear) {
    return {
      build: (order, standard) => this.build(source, order, standard || this.standard),
      run: (order, settings) => this.run(order, JSON.stringify(words), settings, hear).ended,
    };
  }
}
