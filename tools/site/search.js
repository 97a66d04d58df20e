// The site's search: Pagefind's. If Pagefind finds nothing, the parts of words such as shared-memory or BankConflict are searched for:
// Pagefind has the whole words in a part of its index that it has not loaded. The address of Pagefind's file must match its own pattern.
import * as pagefind from "./pagefind.js.own.js";
export * from "./pagefind.js.own.js";

export async function search(words, options) {
  const found = await pagefind.search(words, options);
  const parts = words?.replace(/[-_]|(?<=[a-z])(?=[A-Z])/g, " ");
  return found?.results.length === 0 && parts !== words ? pagefind.search(parts, options) : found;
}
