// Runs a program of two modules: main, which is the same for all programs (the simulator, the checks, an instrument), and
// a student's module beside it. This is the host's side of common/simulator/platform/web.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI, WASIProcExit, wasi } from "@bjorn3/browser_wasi_shim";

const SIGNALS = { bad: 11, aborted: 6, divided: 8 };
const VERDICT = 4; // the descriptor of the file of verdicts
const MOST_OUTPUT = 1 << 18; // bytes of an output of a program that are kept

/** The file of verdicts, which is open from the start. It tells the C library that there are no more preopened folders. */
class Verdicts extends OpenFile {
  fd_prestat_get() { return { ret: wasi.ERRNO_BADF, prestat: null }; }
  fd_write(bytes) {
    this.written();
    return super.fd_write(bytes);
  }
}

class Signal extends Error {
  constructor(number) {
    super(`signal ${number}`);
    this.number = number;
  }
}

/** Reads WebAssembly's variable-length numbers (LEB128). */
function reader(bytes) {
  return { at: 0, number() {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  } };
}

/** The needs of a module linked with -shared: the section "dylink.0". */
function needsOf(module) {
  const bytes = new Uint8Array(WebAssembly.Module.customSections(module, "dylink.0")[0]), read = reader(bytes);
  while (read.at < bytes.length) {
    const kind = read.number(), end = read.number() + read.at;
    if (kind === 1) return { memoryBytes: read.number(), memoryAlignment: 1 << read.number(), tableSize: read.number() };
    read.at = end;
  }
}

/** The names of a module's functions by their numbers: the section "name". */
function functionNames(module) {
  const bytes = new Uint8Array(WebAssembly.Module.customSections(module, "name")[0] ?? []), names = new Map(), read = reader(bytes);
  while (read.at < bytes.length) {
    const kind = bytes[read.at++], end = read.number() + read.at;
    if (kind === 1)
      for (let count = read.number(); count > 0; --count) {
        const number = read.number(), length = read.number();
        names.set(number, new TextDecoder().decode(bytes.subarray(read.at, read.at += length)));
      }
    read.at = end;
  }
  return names;
}

/** The signal that a refused instruction would raise on Linux, given the engine's message. */
function signalOf(error) {
  if (/div/i.test(error.message)) return SIGNALS.divided;
  return /unreachable/i.test(error.message) ? SIGNALS.aborted : SIGNALS.bad;
}

/** Names that neither main nor the student's module defines. */
class Undefined extends Error {
  constructor(names) {
    super(`undefined: ${names.join(", ")}`);
  }
}

/** The outputs of a program. `hear` gets their texts in order, several at a time. */
function outputs(hear) {
  let waiting = [], passed = 0;
  const pass = () => {
    for (const { text, isError } of waiting.splice(0)) hear(text, isError);
    passed = performance.now();
  };
  const output = (isError) => {
    const decoder = new TextDecoder(), one = new ConsoleStdout((bytes) => {
      const kept = bytes.subarray(0, MOST_OUTPUT - one.kept), text = decoder.decode(kept, { stream: true });
      one.kept += kept.length;
      one.cut += bytes.length - kept.length;
      one.text += text;
      if (text === "") return;
      if (waiting.at(-1)?.isError === isError) waiting.at(-1).text += text;
      else waiting.push({ text, isError });
      if (performance.now() - passed > 50) pass();
    });
    return Object.assign(one, { text: "", kept: 0, cut: 0 });
  };
  return { out: output(false), err: output(true), pass };
}

class Process {
  constructor(main, side, { args, environment, input = "", hear }) {
    this.files = { in: new File(new TextEncoder().encode(input)), out: new File([]), err: new File([]), verdict: new File([]) };
    this.outputs = hear ? outputs(hear) : { out: new OpenFile(this.files.out), err: new OpenFile(this.files.err), pass() {} };
    this.args = hear ? args : undefined;
    this.folder = new PreopenDirectory("/tmp", []);
    const variables = Object.entries({ ...environment, COURSE_VERDICT: VERDICT }).map(([name, value]) => `${name}=${value}`);
    const verdicts = Object.assign(new Verdicts(this.files.verdict), { written: () => this.main.sim_begins_case() });
    this.wasi = new WASI(["program", ...args], variables,
      [new OpenFile(this.files.in), this.outputs.out, this.outputs.err, this.folder, verdicts], { debug: false });
    this.view = new Uint32Array(0);
    const sim = {
      end_by_signal: (number) => { throw new Signal(number); },
      name_of: (address, name, most) => this.nameOf(address, name, most),
    };
    this.main = new WebAssembly.Instance(main, { sim, wasi_snapshot_preview1: this.wasi.wasiImport }).exports;
    this.wasi.inst = { exports: this.main };
    this.main._initialize();
    this.load(side);
  }

  /** The memory as 32-bit words. The view is renewed if the memory has grown. */
  words() {
    return this.view.length > 0 ? this.view : (this.view = new Uint32Array(this.main.memory.buffer));
  }

  nameOf(address, name, most) {
    const { table } = this, called = address >= this.firstFunction && address < table.length ? table.get(address) : null;
    const text = (called && this.names.get(Number(called.name))) ?? this.variableAt(address) ?? "";
    const bytes = new TextEncoder().encode(text).subarray(0, most);
    new Uint8Array(this.main.memory.buffer).set(bytes, name);
    return bytes.length;
  }

  /** The variable of the student's module that is at an address: the last one that begins before it. */
  variableAt(address) {
    const before = this.variables.filter(([, begin]) => begin <= address);
    return address < this.base + this.bytes && before.length > 0 ? before.at(-1)[0] : undefined;
  }

  /** Adds a function to main's table. Returns its number. (In WebKit, a function that is passed to `grow` itself is lost.) */
  numberOf(called) {
    const number = this.table.grow(1);
    this.table.set(number, called);
    return number;
  }

  /** Loads the module beside main, whose names it may use. */
  load(module) {
    const { main } = this, table = (this.table = main.__indirect_function_table), needs = needsOf(module);
    this.names = functionNames(module);
    this.bytes = needs.memoryBytes;
    this.base = main.aligned_alloc(Math.max(16, needs.memoryAlignment), Math.ceil((needs.memoryBytes + 1) / 256) * 256);
    this.words().set([this.base, this.base + needs.memoryBytes], main.sim_variables.value / 4);
    this.firstFunction = table.length;
    if (needs.tableSize > 0) table.grow(needs.tableSize);
    const env = {
      memory: main.memory, __indirect_function_table: table, __stack_pointer: main.__stack_pointer,
      __memory_base: new WebAssembly.Global({ value: "i32" }, this.base), __table_base: new WebAssembly.Global({ value: "i32" }, this.firstFunction),
      __asyncify_state: main.__asyncify_state, __asyncify_data: main.__asyncify_data,
    };
    const addresses = { "GOT.mem": {}, "GOT.func": {} }, unknown = [];
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (from === "env" && !(name in env)) {
        if (name in main) env[name] = main[name];
        else unknown.push(name);
      } else if (from !== "env") {
        addresses[from][name] = new WebAssembly.Global({ value: "i32", mutable: true }, 0);
      }
    }
    if (unknown.length > 0) throw new Undefined(unknown);
    this.side = new WebAssembly.Instance(module, { env, ...addresses }).exports;
    for (const [name, address] of Object.entries(addresses["GOT.mem"])) {
      if (name in main) address.value = main[name].value;
      else if (name in this.side) address.value = this.base + this.side[name].value;
      else unknown.push(name);
    }
    for (const [name, address] of Object.entries(addresses["GOT.func"])) {
      const called = main[name] ?? this.side[name];
      if (!called) unknown.push(name);
      else address.value = this.numberOf(called);
    }
    if (unknown.length > 0) throw new Undefined(unknown);
    this.variables = Object.entries(this.side).filter(([, value]) => value instanceof WebAssembly.Global)
      .map(([name, value]) => [name, this.base + value.value]).sort((a, b) => a[1] - b[1]);
    this.side.__wasm_apply_data_relocs?.();
    this.side.__wasm_call_ctors?.();
  }

  /** The arguments of `sim_run`: zeros for main's own function, or the student's `main` and its arguments. */
  entry() {
    const { main, side, args } = this, numberOf = (name) => (side[name] ? this.numberOf(side[name]) : 0);
    if (!args) return [0, 0, 0, 0];
    const words = ["program", ...args].map((word) => new TextEncoder().encode(`${word}\0`));
    const argv = main.aligned_alloc(16, words.length * 4 + 16 & ~15), addresses = words.map(({ length }) => main.aligned_alloc(16, length + 15 & ~15));
    for (const [k, bytes] of words.entries()) new Uint8Array(main.memory.buffer).set(bytes, addresses[k]);
    this.words().set([...addresses, 0], argv / 4);
    return [numberOf("__main_void"), numberOf("__main_argc_argv"), words.length, argv];
  }

  /** Calls main until it has ended. */
  run() {
    const entry = this.entry();
    for (let next = () => this.main.sim_run(...entry); ;) {
      try {
        return next();
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error.name === "InternalError")) throw error;
        const signal = signalOf(error);
        next = () => this.main.sim_go_on(signal);
      }
    }
  }
}

/**
 * Runs a program: main's own, or the student's if `hear` is given, which gets (text, isError) while the program runs. Returns the exit
 * status or the number of the signal that ended the program, the texts of standard output, standard error and the verdict, how many
 * bytes of the outputs were omitted, and the text of the file /tmp/lens, if the program has written one.
 */
export function run(main, side, options) {
  const begun = performance.now(), { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let process, status = 0, signal = 0;
  try {
    process = new Process(main, side, options);
    try {
      status = process.run();
      process.main.exit(status);
    } catch (error) {
      if (error instanceof WASIProcExit) status = error.code;
      else if (error instanceof Signal) signal = error.number;
      else throw error;
    }
  } catch (error) {
    if (!(error instanceof Undefined)) throw error;
    const err = `simulator: ${error.message}\n`;
    options.hear?.(err, true);
    return { status: 1, signal: 0, out: "", err, cut: 0, verdict: "", lens: "", seconds: 0 };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  process.outputs.pass();
  const text = (file) => new TextDecoder().decode(file.data), { out, err } = process.outputs;
  const lens = process.folder.dir.contents.get("lens");
  return { status, signal, out: out.text ?? text(out.file), err: err.text ?? text(err.file), cut: (out.cut ?? 0) + (err.cut ?? 0), verdict: text(process.files.verdict),
    lens: lens ? text(lens) : "", seconds: (performance.now() - begun) / 1000 };
}
