// Gives instrumented code its lines: WebAssembly has no return addresses, so each access, call and loop iteration gets the
// address of a text with its line (common/simulator/platform/web/source_lines.cpp). Works on LLVM's IR as text.

const CALL = /^(\s*)(?:%\S+ = )?(?:tail |notail |musttail )?(?:call|invoke) /;
const ACCESS = /^(.*\bcall [^@]*@__tsan_(?:unaligned_|volatile_|unaligned_volatile_)?(?:read|write|atomic|mem)\w*)\((.*?)\)((?: #\d+)?(?: \[.*?\])?(?:, !.*)?)$/;
const DECLARED = /^(declare [^@]*@__tsan_(?:unaligned_|volatile_|unaligned_volatile_)?(?:read|write|atomic|mem)\w*)\((.*)\)(.*)$/;
/** An instruction that computes the address of a thread-local variable, or of a part of one, which no other thread sees. */
const PART_OF_THREAD = /^\s*(%\S+) = (?:.*@llvm\.threadlocal\.address|(getelementptr) .*?\bptr (%[^\s,]+))/;
const OF_MODULE = /^!llvm\.module\.flags|^!\d+ = !\{i32 \d+, !"/; // metadata
const LABEL = /^([-\w$.]+|"[^"]*"):/, OTHER_LABEL = /label %([-\w$.]+|"[^"]*")/g;
const FENCE = /@__tsan_atomic_(?:thread|signal)_fence\b/;

const unescape = (text) => text.replace(/\\([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));

/** The lines of each place in the IR's debug information, innermost first: FILE:LINE in CUDA files that are not in `helpers`. */
function lineTable(ir, helpers) {
  const nodes = new Map();
  for (const [, number, kind, body] of ir.matchAll(/^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$/gm)) nodes.set(number, { kind, body });
  const field = (number, name) => nodes.get(number)?.body.match(new RegExp(`\\b${name}: !?("(?:[^"\\\\]|\\\\.)*"|\\w+)`))?.[1];
  const fileOf = (scope) => {
    for (let at = scope; at !== undefined && nodes.has(at); at = field(at, "scope")) {
      const file = field(at, "file");
      if (file !== undefined) return unescape((field(file, "filename") ?? '""').slice(1, -1));
    }
    return "";
  };
  const isShown = (file) => /\.cuh?$/.test(file) && !helpers.some((helper) => file.startsWith(helper));
  const known = new Map();
  return (number) => {
    if (!known.has(number)) {
      const lines = [];
      for (let at = number; at !== undefined && nodes.get(at)?.kind === "DILocation"; at = field(at, "inlinedAt")) {
        const file = fileOf(field(at, "scope"));
        if (isShown(file)) lines.push(`${file}:${field(at, "line")}`);
      }
      known.set(number, lines.join("\n"));
    }
    return known.get(number);
  };
}

/**
 * A module beside main can't have thread-local variables, which one thread does not need. Its functions are its own; only variables,
 * such as a static variable of an inline function, are shared with another module that also has them.
 */
const besideMain = (line) => line.replace(/^define ((?:linkonce_odr|weak_odr|linkonce|weak) )?(?:hidden )?(?!internal|private)/, (_, linkage = "") => `define ${linkage}hidden `)
  .replace(/^(@.* = .*?)\bthread_local(?:\(\w+\))? /, "$1").replace(/^(@\S+ = external) hidden /, "$1 ")
  .replace(/= (?:tail )?call .*?@llvm\.threadlocal\.address\.p0\(ptr (?:align \d+ )?(@"[^"]*"|@[^\s,)]+)\)/, "= getelementptr i8, ptr $1, i32 0");

/** The blocks of a function, each with the blocks that may follow it; "" is the function's start. */
function blocksOf(lines) {
  const following = new Map([["", []]]);
  let block = "";
  for (const line of lines) {
    const label = line.match(LABEL)?.[1];
    if (label !== undefined) {
      if (following.size === 1 && following.get("").length === 0) following.get("").push(label); // the first block may have a name
      following.set(label, []);
      block = label;
    }
    if (/^\s+(?:br|switch|i\d+ \S+, label) | to label \S+ unwind /.test(line))
      following.get(block).push(...[...line.replace(/ unwind .*/, "").matchAll(OTHER_LABEL)].map(([, to]) => to));
  }
  return following;
}

/** The blocks, each after the blocks that lead to it from `first`, with the blocks of a loop next to each other. */
function inOrder(following, blocks, first) {
  const among = new Set(blocks), reached = new Map(), path = [], loops = []; // a single block also counts as one
  const visit = (block) => {
    const number = reached.size;
    let earliest = number;
    reached.set(block, number);
    path.push(block);
    for (const to of [...following.get(block)].reverse())
      if (to !== first && among.has(to) && !reached.has(to)) earliest = Math.min(earliest, visit(to));
      else if (to !== first && path.includes(to)) earliest = Math.min(earliest, reached.get(to));
    if (earliest === number) loops.unshift(path.splice(path.indexOf(block)));
    return earliest;
  };
  visit(first);
  return loops.flatMap((loop) => loop.length === 1 ? loop : inOrder(following, loop, loop[0]));
}

/**
 * The funclet of each block of a function. A funclet handles an exception, or destroys the objects that an exception leaves. A call
 * in a funclet must name it, or LLVM would treat the call as unreachable.
 */
function funcletsOf(lines, following) {
  const funclets = new Map();
  let block = "";
  for (const line of lines) {
    block = line.match(LABEL)?.[1] ?? block;
    const pad = line.match(/^\s+(%\S+) = (?:catchpad|cleanuppad) /);
    if (pad) funclets.set(block, pad[1]);
  }
  const found = [...funclets.keys()];
  for (const from of found)
    for (const to of following.get(from))
      if (!funclets.has(to)) {
        funclets.set(to, funclets.get(from));
        found.push(to);
      }
  return funclets;
}

/** IR in which each access, call and loop has its line. For code in the folders `helpers`, this is the caller's line. */
export function withSites(ir, helpers) {
  const linesOf = lineTable(ir, helpers), texts = [], found = [];
  let count = 0;
  for (const part of ir.replaceAll(/\n +to label /g, " to label ").split(/^(?=define )/m)) {
    const written = part.split("\n"), following = blocksOf(written), funclets = funcletsOf(written, following), ofThread = new Set(), ofPart = [];
    const places = new Map(inOrder(following, following.keys(), "").map((each, place) => [each, place]));
    const isLoop = written[0].includes("run_threads"); // in threads.h, each thread starts there, not at the previous thread's last call
    let block = "", hasAccess = false; // hasAccess: in this block
    /** A new site for an access or a call. Sites are in memory in the order of their blocks: clang may write an outer loop's end first. */
    const site = (text) => {
      ofPart.push({ text, number: count, place: places.get(block) });
      return `ptr getelementptr (i8, ptr @sim.site.${count++}, i32 1)`;
    };
    const named = (call) => funclets.has(block) && !call.includes('"funclet"')
      ? call.replace(/(\)(?: #\d+)?)((?:, !.*)?)$/, `$1 [ "funclet"(token ${funclets.get(block)}) ]$2`) : call;
    for (const each of written) {
      const line = besideMain(each), label = line.match(LABEL)?.[1];
      if (line.startsWith("module asm ")) continue; // aliases of the C library's functions
      if (label !== undefined) block = label, hasAccess = false;
      const declared = line.match(DECLARED);
      if (declared && !FENCE.test(line)) {
        found.push(`${declared[1]}(${declared[2]}, ptr)${declared[3]}`);
        continue;
      }
      const lines = linesOf(line.match(/!dbg !(\d+)/)?.[1]);
      if (line.includes("@llvm.returnaddress(")) {
        found.push(line.startsWith("declare") ? "" : line.replace(/= (?:tail )?call .*/, "= load ptr, ptr @sim_site"));
        continue;
      }
      const ofVariable = each.match(PART_OF_THREAD);
      if (ofVariable && (!ofVariable[2] || ofThread.has(ofVariable[3]))) ofThread.add(ofVariable[1]);
      const access = line.match(ACCESS);
      if (access && !FENCE.test(line)) {
        const [, call, words, rest] = access;
        if (!/_(read|write)\d/.test(call) || !ofThread.has(words.match(/%\S+/)?.[0])) {
          found.push(named(`${call}(${words}, ${site(lines)})${rest}`));
          hasAccess = true;
        }
        continue;
      }
      const isCall = CALL.test(line) && !/ @(?:llvm\.|__tsan_)/.test(line);
      if (isCall && (lines || isLoop)) found.push(`  store ${site(lines)}, ptr @sim_site`);
      if (/^\s+br /.test(line) && following.get(block).some((to) => places.get(to) <= places.get(block)))
        found.push(named(`  call void @sim_repeats(${site(lines)}, i1 ${hasAccess})`));
      found.push(/ @__tsan_/.test(line) && CALL.test(line) ? named(line) : line);
    }
    texts.push(...ofPart.sort((a, b) => a.place - b.place));
  }
  const constants = texts.map(({ text, number }) => {
    const bytes = ["\\00", ...new TextEncoder().encode(text)].map((byte) => typeof byte === "string" ? byte
      : byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${byte.toString(16).padStart(2, "0")}`);
    return `@sim.site.${number} = private constant [${bytes.length + 1} x i8] c"${bytes.join("")}\\00"`;
  });
  // The lines have been copied, so the debug information is no longer needed.
  const code = found.filter((line) => !line.startsWith("!") || OF_MODULE.test(line)).map((line) => line.replace(/,? ![a-z_.]+ !\d+/g, ""));
  return [...code, "@sim_site = external global ptr", "declare void @sim_repeats(ptr, i1)", ...constants, ""].join("\n");
}
