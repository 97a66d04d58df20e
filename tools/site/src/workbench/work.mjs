/// A student's files in the browser's storage. Nothing here touches the page, so this also runs in Node.
///
/// Each exercise has up to three entries:
///     course/work/03.1        { text, starter, at }: the file, the starter from which it was created, and when it was saved (ms)
///     course/work/03.1/notes  { hints, solved }: how many hints were shown, and the text that passed last
///     course/work/03.1/kept   [{ k, text, at, why }]: files that were replaced, with the names that `./course exercise --reset` gives:
///                             work/03.1_one_block_size.1.cuh

export const PREFIX = "course/work/";
export const FULL = "The browser's storage is full, so your last changes are not saved. Export your work, then delete kept files.";

function parsed(raw) {
  try {
    return JSON.parse(raw) ?? undefined;
  } catch {
    return undefined; // from another program, or damaged
  }
}

/// Notes that belong to no file, with the names and keys that ./course uses: "debug" holds the faults that were `found`; "predict" holds
/// the answers by question, such as 03.1, each { typed, right }.
export const noted = (storage, name) => parsed(storage.getItem(`course/notes/${name}`)) ?? {};

export function note(storage, name, values) {
  try {
    storage.setItem(`course/notes/${name}`, JSON.stringify({ ...noted(storage, name), ...values }));
  } catch {
    throw Error(FULL);
  }
}

export class Work {
  /// `exercise` has a number, a file, a starter and, in `known`, other texts that need not be kept. `storage` is a localStorage, `now`
  /// gives the time in milliseconds.
  constructor(storage, exercise, now = Date.now) {
    Object.assign(this, { storage, exercise, now, key: PREFIX + exercise.number });
    this.refresh();
  }

  /// Reads what another tab may have saved.
  refresh() {
    this.raw = this.storage.getItem(this.key);
    const record = parsed(this.raw);
    this.record = typeof record?.text === "string" ? record : undefined;
  }

  get text() {
    return this.record?.text ?? this.exercise.starter;
  }

  get kept() {
    return parsed(this.storage.getItem(`${this.key}/kept`)) ?? [];
  }

  get notes() {
    return parsed(this.storage.getItem(`${this.key}/notes`)) ?? {};
  }

  /// "not started", "started", "solved", or "solved before, changed since".
  get status() {
    const { solved } = this.notes;
    if (solved !== undefined) return this.text === solved ? "solved" : "solved before, changed since";
    return this.record === undefined || this.text === this.record.starter ? "not started" : "started";
  }

  /// Whether the starter has changed since the file was created from it.
  get starterHasChanged() {
    return this.record !== undefined && this.record.starter !== this.exercise.starter;
  }

  nameOf({ k }) {
    return this.exercise.file.replace(/\.cuh?$/, (ending) => `.${k}${ending}`);
  }

  set(key, value) {
    try {
      this.storage.setItem(key, JSON.stringify(value));
    } catch {
      throw Error(FULL);
    }
  }

  note(values) {
    this.set(`${this.key}/notes`, { ...this.notes, ...values });
  }

  /// Keeps a text unless it is the starter, known, or already kept. Returns the name of the kept file, or undefined.
  keep(text, why) {
    const kept = this.kept;
    if (text === this.exercise.starter || this.exercise.known?.includes(text) || kept.some((each) => each.text === text)) return undefined;
    const one = { k: Math.max(0, ...kept.map(({ k }) => k)) + 1, text, at: this.now(), why };
    this.set(`${this.key}/kept`, [...kept, one]);
    return this.nameOf(one);
  }

  forget(k) {
    const left = this.kept.filter((each) => each.k !== k);
    if (left.length > 0) this.set(`${this.key}/kept`, left);
    else this.storage.removeItem(`${this.key}/kept`);
  }

  /// Saves the file. If another tab has saved a different text since the last refresh, that text is kept, and its name is returned.
  save(text) {
    const seen = this.text, isNew = this.storage.getItem(this.key) !== this.raw;
    if (!isNew && text === seen) return undefined;
    if (isNew) this.refresh();
    const name = isNew && this.text !== seen && this.text !== text ? this.keep(this.text, "saved by another tab") : undefined;
    this.set(this.key, { starter: this.exercise.starter, ...this.record, text, at: this.now() });
    this.refresh();
    return name;
  }

  /// Replaces the file's text and keeps the old text. Returns the old text's name, or undefined if it did not have to be kept.
  replace(text, why) {
    this.refresh();
    const name = this.text === text ? undefined : this.keep(this.text, why);
    this.save(text);
    return name;
  }

  /// Starts over with the course's current starter. Returns the name of the kept file, or undefined.
  reset() {
    const name = this.replace(this.exercise.starter, "kept when you started over");
    this.set(this.key, { ...this.record, starter: this.exercise.starter });
    this.refresh();
    this.note({ hints: 0 });
    return name;
  }
}
