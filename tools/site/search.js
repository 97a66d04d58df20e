// The site's search, by Pagefind. Pagefind may miss words such as shared-memory or BankConflict, which are in a part of its index that
// it has not loaded: if it finds nothing, the parts of such words are searched for. Pagefind finds its folder by a pattern that the
// address of its file must match, hence the file's name.
import * as pagefind from "./pagefind.js.own.js";
export * from "./pagefind.js.own.js";

export async function search(words, options) {
  const found = await pagefind.search(words, options);
  const parts = words?.replace(/[-_]|(?<=[a-z])(?=[A-Z])/g, " ");
  return found?.results.length === 0 && parts !== words ? pagefind.search(parts, options) : found;
}
