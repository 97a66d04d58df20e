// The workbench's files in a browser: each is transferred once, and kept in the browser's storage if there is one.

const TYPES = { wasm: "application/wasm", json: "application/json" };
const NOTHING_KEPT = "Nothing is kept in a private window, or at an address without https: each visit loads the compiler again.";
const FULL = "The browser's storage has no room for the compiler: the next visit loads it again.";

/** The bytes of a file, in parts. `tell` gets the length of each part. */
async function transferred(address, options, tell) {
  const parts = [];
  try {
    const answer = await fetch(address, options);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return parts;
      parts.push(value);
      tell(value.length);
    }
  } catch (error) {
    throw error instanceof TypeError ? new Error("There is no connection, or it was interrupted. Run again: files that have arrived are kept.") : error;
  }
}

/** The hexadecimal SHA-256 of a Blob. */
async function digest(blob) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Loads all files: from then on, `fetch` answers from memory or storage. `tell` gets { done, total, what } with numbers of bytes.
 * Returns why the files are not kept for the next visit; empty if they are kept.
 * @param base the address of the files' folder. @param list each file's [bytes, SHA-256], by name.
 */
export async function prepare(base, list, tell) {
  const files = Object.entries(list).map(([name, [bytes, hash]]) => ({ name, bytes, hash, address: new URL(name, base).href }));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0), answers = new Map(), network = self.fetch;
  let cache = await self.caches?.open(`course ${new URL("..", base).href}`).catch(() => undefined), why = cache ? "" : NOTHING_KEPT, done = 0;
  for (const { name, bytes, hash, address } of files) {
    const key = `${address}?${hash}`, from = cache, before = done;
    if (!await cache?.match(key)) {
      const parts = await transferred(address, { cache: cache ? "no-store" : "no-cache" }, (length) => tell({ done: (done += length), total, what: name }));
      const blob = new Blob(parts, { type: TYPES[name.split(".").pop()] ?? "" });
      if (crypto.subtle && await digest(blob) !== hash) throw new Error("The course has changed on its server: load this page again.");
      await cache?.put(key, new Response(blob)).catch(() => {
        cache = undefined;
        why = FULL;
      });
      if (!cache) answers.set(address, async () => new Response(blob));
    }
    if (!answers.has(address)) answers.set(address, () => from.match(key));
    tell({ done: (done = before + bytes), total, what: name });
  }
  self.fetch = async (what, options) => await answers.get(String(what.url ?? what))?.() ?? network.call(self, what, options);
  return why;
}

/**
 * The result of `make` for these files. The result is also kept for the next visit, if the browser keeps anything.
 * @param list as for `prepare`.
 */
export async function kept(base, list, name, make) {
  const cache = await self.caches?.open(`compiled ${base}`).catch(() => undefined);
  if (!cache) return make();
  const key = new URL(`${name}?${await digest(new Blob([JSON.stringify(list)]))}`, base).href, found = await cache.match(key);
  if (found) return new Uint8Array(await found.arrayBuffer());
  const made = await make();
  for (const { url } of await cache.keys()) if (url.split("?")[1] !== key.split("?")[1]) await cache.delete(url);
  await cache.put(key, new Response(made)).catch(() => {}); // the storage is full
  return made;
}
