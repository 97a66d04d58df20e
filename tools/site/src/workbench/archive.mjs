/// Exports all work as a zip, which can be unpacked in the folder of a clone, and imports such a zip.

import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { Work } from "./work.mjs";

const MOST = 1 << 20; // bytes of a file

/// The bytes of a zip with the file of each exercise that was begun and, with `withKept`, the kept files.
export function exported(storage, exercises, { withKept }) {
  const files = {};
  const add = (name, text, at) => (files[name] = [strToU8(text), { mtime: at }]);
  for (const work of exercises.map((each) => new Work(storage, each))) {
    if (work.record) add(work.exercise.file, work.text, work.record.at);
    if (withKept) for (const each of work.kept) add(work.nameOf(each), each.text, each.at);
  }
  return { count: Object.keys(files).length, bytes: zipSync(files) };
}

/// Imports the files of a zip, from any folder in it. An imported file becomes the student's file for its exercise, and the file that
/// it replaces is kept. Returns lines that describe what was done. Throws an Error with a one-line message if the file is not a
/// zip.
export function imported(storage, exercises, bytes) {
  const name = (path) => path.split("/").pop();
  const known = new Map(exercises.map((each) => [name(each.file), each]));
  const main = (path) => name(path).replace(/\.\d+\.cuh$/, ".cuh");
  let files;
  const said = [];
  try {
    files = unzipSync(bytes, { filter: (file) => {
      if (!known.has(main(file.name))) return false;
      if (file.originalSize > MOST) said.push(`${name(file.name)} has more than 1 MiB and was left out.`);
      return file.originalSize <= MOST;
    } });
  } catch {
    throw Error("This is not a zip archive, or it is damaged.");
  }
  let same = 0;
  for (const path of Object.keys(files).sort()) {
    let text = strFromU8(files[path]);
    if (text.includes("\ufffd")) said.push(`${name(path)} was not UTF-8 text: some of its characters are replaced.`);
    text = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
    const work = new Work(storage, known.get(main(path)));
    if (name(path) !== main(path)) {
      const kept = work.text === text ? undefined : work.keep(text, "imported");
      if (kept) said.push(`${name(path)} is kept as ${kept}.`);
      else same += 1;
    } else if (work.text === text) {
      same += 1;
    } else {
      const kept = work.replace(text, "kept when you imported another");
      said.push(kept ? `${work.exercise.file} is imported; the file that was here is kept as ${kept}.` : `${work.exercise.file} is imported.`);
    }
  }
  if (same > 0) said.push(`${same === 1 ? "One file is" : `${same} files are`} here already.`);
  return said.length > 0 ? said : ["The zip contains no file of an exercise, such as work/03.1_one_block_size.cuh."];
}
