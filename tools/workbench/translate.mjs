// Translates CUDA C++ to plain C++ with the simulator's translator.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

/**
 * Translates a text as the file `path`; with `isProgram`, as `./course run FILE.cu` does. Returns `{ text }`, or `{ said }` with the
 * translator's messages.
 */
export async function translate(module, path, source, isProgram = false) {
  const folder = new PreopenDirectory("/", [["in", new File(new TextEncoder().encode(source))]]);
  let said = "";
  const errors = ConsoleStdout.lineBuffered((line) => void (said += `${line}\n`));
  const wasi = new WASI(["translate", ...isProgram ? ["--program"] : [], "/in", "/out"], [], [new OpenFile(new File([])), errors, errors, folder], { debug: false });
  wasi.wasiImport.path_filestat_set_times = () => 0;
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.inst = instance;
  instance.exports._initialize();
  const status = instance.exports.__main_void();
  const written = folder.dir.contents.get("out"), out = isProgram ? written?.contents.get("in") : written;
  return status === 0 && out ? { text: new TextDecoder().decode(out.data).replaceAll('"/in"', JSON.stringify(path)) } : { said: said.replaceAll("/in", path) };
}
