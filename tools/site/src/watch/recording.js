/// A recording of a block (common/simulator/lens/recording.hpp): the state after each step, and a description of each step. Nothing
/// here touches the page.

const LANES = 32, SECTOR = 32, WORD = 4, BANKS = 32; // bytes of a sector and of a word

/// Numbers as text: "0–31", "0, 2 and 5", "0, 2, 4 and others".
export function ranges(numbers) {
  const parts = [];
  for (let k = 0; k < numbers.length; ) {
    let end = k;
    while (numbers[end + 1] === numbers[end] + 1) ++end;
    if (end - k > 1) parts.push(`${numbers[k]}–${numbers[end]}`);
    else parts.push(...numbers.slice(k, end + 1).map(String));
    k = end + 1;
  }
  if (parts.length > 4) return `${parts.slice(0, 3).join(", ")} and others`;
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join();
}
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const PLACE = /^(.*):(\d+)$/;

/// The parts of a file's text that a recording executes: { file, parts }. The parts are the kernel and the functions of the file that
/// the kernel calls, each { first, lines }. Undefined if the kernel is not in the file.
export function sourceOf(data, file, text) {
  const lines = text.split("\n"), name = data.kernel.replace(/<.*/s, "").split("::").at(-1);
  const around = (at) => {
    let begin = at, end = at;
    while (begin > 0 && !/^[A-Za-z_]/.test(lines[begin])) --begin;
    if (/^template/.test(lines[begin - 1] ?? "")) --begin;
    while (end < lines.length - 1 && !/^\}/.test(lines[end])) ++end;
    return { first: begin + 1, lines: lines.slice(begin, end + 1) };
  };
  const isKernel = (line, k) => new RegExp(`\\b${name}\\s*\\(`).test(line) && lines.slice(Math.max(0, k - 2), k + 1).some((each) => each.includes("__global__"));
  const kernel = lines.findIndex(isKernel);
  if (kernel < 0) return undefined;
  const places = [...data.sites.flatMap((site) => site.lines), ...data.steps.map(({ line }) => line ?? "")].map((place) => PLACE.exec(place));
  const numbers = places.filter((found) => found && isSame(found[1], file)).map((found) => Number(found[2]));
  const parts = [around(kernel)];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b))
    if (!parts.some(({ first, lines: its }) => number >= first && number < first + its.length)) parts.push(around(number - 1));
  return { file, parts: parts.sort((a, b) => a.first - b.first) };
}
const isSame = (named, file) => named === file || named.endsWith(`/${file}`);

export class Recording {
  /// @param data the lens's recording. @param source the result of sourceOf, if there is one.
  constructor(data, source) {
    Object.assign(this, { data, source });
    this.steps = data.steps;
    this.warps = Math.ceil(data.threads / LANES);
    this.lines = data.sites.map(({ lines }) => this.#own(lines));
    this.names = this.#names();
  }

  get title() {
    const { kernel, number, threads, grid } = this.data, blocks = grid.reduce((all, each) => all * each, 1);
    return `${kernel.replace(/<.*/s, "").split("::").at(-1)}, ${blocks === 1 ? "its only block" : `block ${number} of ${blocks}`}: ${plural(threads, "thread")} in ${plural(this.warps, "warp")}`;
  }

  /// The first line of the source among places FILE:LINE, innermost first; undefined if none of the places is in the source.
  #own(places) {
    return places.map((place) => PLACE.exec(place)).filter((found) => found && this.source && isSame(found[1], this.source.file)).map((found) => Number(found[2]))
      .find((number) => this.textOf(number) !== undefined);
  }

  /// The text of a line.
  textOf(number) {
    const part = this.source?.parts.find(({ first, lines }) => number >= first && number < first + lines.length);
    return part?.lines[number - part.first];
  }

  /// The names of arrays, where the simulator knows them.
  #names() {
    let others = 0;
    return this.data.arrays.map(({ name }) => name || `global array ${++others}`);
  }

  /// The lanes of a step.
  lanesOf({ lanes }) {
    return Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => (lanes >>> lane) & 1);
  }

  /// The first cell of each lane's access.
  cellsOf(step) {
    return step.at ?? this.lanesOf(step).map((_, k) => step.first + k * step.by);
  }

  /// The state of the arrays and lanes after the first `count` steps.
  after(count) {
    const arrays = this.data.arrays.map(({ before }) => [...before]);
    const lanes = Array.from({ length: this.data.threads }, () => ({ state: "ready", value: undefined }));
    const lines = Array.from({ length: this.warps }, () => undefined);
    for (const [k, step] of this.steps.slice(0, count).entries()) {
      const isLast = k === count - 1;
      if (step.do === "barrier") {
        for (const lane of lanes) if (lane.state === "waiting") lane.state = "ready";
        continue;
      }
      const numbers = this.lanesOf(step), first = step.warp * LANES;
      const line = step.do === "access" ? this.lines[step.site] : step.line && this.#own([step.line]);
      if (line) lines[step.warp] = line;
      if (step.do === "wait") for (const lane of numbers) lanes[first + lane].state = "waiting";
      if (step.do === "return") for (const lane of numbers) lanes[first + lane].state = "returned";
      if (step.do === "meet" && step.values)
        for (const lane of numbers) {
          const from = numbers.indexOf(step.from[numbers.indexOf(lane)]);
          lanes[first + lane].value = from < 0 ? undefined : step.values[from];
        }
      if (step.do === "access") {
        const cells = arrays[step.array], { first: begin } = this.data.arrays[step.array], at = this.cellsOf(step);
        numbers.forEach((lane, i) => {
          for (const [j, value] of (step.found?.find((each) => each.lane === lane)?.values ?? []).entries()) cells[at[i] - begin + j] = value;
          for (let j = 0; step.to && j < step.cells; ++j) cells[at[i] - begin + j] = step.to[i * step.cells + j];
          lanes[first + lane].value = cells[at[i] - begin];
        });
      }
      if (isLast && step.do !== "return") for (const lane of numbers) lanes[first + lane].now = true;
    }
    return { arrays, lanes, lines };
  }

  /// The cells that a step touches: a map from a cell's number to how many lanes touch the cell.
  touched(step) {
    const found = new Map();
    if (step?.do === "access")
      for (const at of this.cellsOf(step)) for (let j = 0; j < step.cells; ++j) found.set(at + j, (found.get(at + j) ?? 0) + 1);
    return found;
  }

  /// The sector of a cell in global memory.
  sectorOf(array, cell) {
    return Math.floor((array.misaligned + cell * array.cell) / SECTOR);
  }

  /// The number of cells per row: all banks of shared memory, or as many sectors as fit.
  columnsOf(array) {
    return array.space === "shared" ? Math.max(1, (BANKS * WORD) / Math.max(array.cell, WORD)) * (array.cell < WORD ? WORD / array.cell : 1) : array.cell >= 8 ? 16 : 32;
  }

  /// A description of step `k`, counted from 1; 0 stands for the beginning.
  words(k) {
    if (k === 0) return "No thread has started.";
    const step = this.steps[k - 1];
    if (step.do === "barrier") return `All threads of the block${this.#someReturned(k) ? " that have not returned" : ""} have arrived at the barrier${this.#at(step.line)}: they continue.`;
    const numbers = this.lanesOf(step), all = numbers.length === Math.min(LANES, this.data.threads - step.warp * LANES);
    const who = numbers.length === 1 ? `Thread ${step.warp * LANES + numbers[0]}` : `Warp ${step.warp}, ${all ? "all lanes" : `lanes ${ranges(numbers)}`}`;
    const one = numbers.length === 1 ? "s" : "";
    if (step.do === "wait") return `${who}: wait${one} at the barrier${this.#at(step.line)}.`;
    if (step.do === "return") return `${who}: return${one} from the kernel.`;
    if (step.do === "meet") return this.#exchange(step, who, numbers);
    return [this.#access(step, who, one), ...this.#problems(step)].join(" ");
  }

  #someReturned(k) {
    return this.steps.slice(0, k).some((step) => step.do === "return");
  }

  #at(place) {
    const line = this.#own([place ?? ""]);
    return line ? ` in line ${line}` : "";
  }

  #exchange(step, who, numbers) {
    const words = `${who}: meet by ${step.function}${this.#at(step.line)}.`, from = step.from && numbers.indexOf(step.from[0]);
    return step.from && step.from[0] !== numbers[0] && from >= 0 ? `${words} Lane ${numbers[0]} receives ${step.values[from]} from lane ${step.from[0]}.` : words;
  }

  #access(step, who, one) {
    const { kind } = this.data.sites[step.site], array = this.data.arrays[step.array], name = this.names[step.array], at = this.cellsOf(step);
    const line = this.lines[step.site], different = [...new Set(at)].sort((a, b) => a - b), last = different.at(-1) + step.cells - 1;
    const where = different.length === 1 && step.cells === 1 ? `${name}[${different[0]}]`
      : last - different[0] === different.length * step.cells - 1 ? `${name}[${different[0]}] to [${last}]` : `${different.length} places in ${name}`;
    const does = { load: `load${one} ${where}`, store: `store${one} to ${where}`, atomic: `update${one} ${where} by an atomic operation` }[kind];
    const cost = array.space === "global" ? `${plural(step.cost, "sector")} of global memory` : `${plural(step.cost, "wavefront")} of shared memory`;
    return `${who}: ${does}${line ? ` in line ${line}` : ""}: ${cost}.`;
  }

  /// Sentences about what goes wrong in a step.
  #problems(step) {
    const { kind } = this.data.sites[step.site], name = this.names[step.array], found = [];
    if (kind === "store") {
      const full = [...this.touched(step)].filter(([, count]) => count > 1);
      if (full.length > 0) {
        const [cell, count] = full.reduce((a, b) => (b[1] > a[1] ? b : a));
        found.push(`${count} lanes store to ${name}[${cell}], and only the last of these stores remains.`);
      }
    }
    if (step.race) found.push(`A race: nothing orders the accesses of threads ${step.race.other} and ${step.race.thread} to one element.`);
    if (step.found) found.push("Another block has changed the value since this block accessed it.");
    return found;
  }
}
