// The site's service worker: files that it keeps in the browser need no connection later. build.mjs puts FILES before this text:
// the site's files, by paths from the site's root: { "course.html": SHA-256, … }. So each version of the course has its own service
// worker. A browser starts a newer one only when all of its files have arrived and no page of the older version is open.
// The compiler's large files are cached by tools/workbench/files.mjs, under the same keys.
"use strict";

const CACHE = `course ${registration.scope}`, LARGE = /^workbench\/(?!worker\.js$)/;
const addressOf = (path) => new URL(path.split("/").map(encodeURIComponent).join("/"), registration.scope).href;
const keyOf = (path) => `${addressOf(path)}?${FILES[path]}`;
let isOutdated = false; // the server has a different version of the course, whose files must not be mixed with these

/// The file that a host serves for an address; undefined for addresses outside the site.
function pathOf(address) {
  if (!address.startsWith(registration.scope)) return undefined;
  const name = decodeURIComponent(address.slice(registration.scope.length).replace(/[?#].*/, ""));
  return [name, `${name}.html`, `${name}index.html`].find((path) => Object.hasOwn(FILES, path));
}

/// Fetches a file and keeps it. Throws an Error if the server has another version of the file.
async function keep(cache, path) {
  for (const mode of ["default", "reload"]) {
    const answer = await fetch(addressOf(path), { cache: mode }), bytes = await answer.arrayBuffer();
    const hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hash !== FILES[path]) continue;
    const kept = new Response(bytes, { headers: { "content-type": answer.headers.get("content-type") ?? "" } });
    await cache.put(keyOf(path), kept.clone()).catch(() => {}); // the storage is full
    return kept;
  }
  isOutdated = true;
  throw Error(`${path}: the server has another one`);
}

/// Keeps all files; of the large files, only those of which this browser has an older version. Returns how many were new.
async function keepAll() {
  const cache = await caches.open(CACHE), keys = new Set((await cache.keys()).map(({ url }) => url));
  const before = new Set([...keys].map((key) => key.split("?")[0]));
  const missing = Object.keys(FILES).filter((path) => !keys.has(keyOf(path)) && (!LARGE.test(path) || before.has(addressOf(path)))), left = missing.values();
  const ends = await Promise.allSettled(Array.from({ length: 6 }, async () => { for (const path of left) await keep(cache, path); }));
  const failed = ends.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
  return missing.length;
}

async function forgetOlder() {
  const cache = await caches.open(CACHE), current = new Set(Object.keys(FILES).map(keyOf));
  for (const request of await cache.keys()) if (!current.has(request.url)) await cache.delete(request);
}

async function answer(request, path) {
  if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) { // only the page that is being left
    registration.waiting.postMessage("begin");
    return new Response("", { headers: { refresh: "0" } });
  }
  const cache = await caches.open(CACHE);
  return await cache.match(keyOf(path)) ?? keep(cache, path).catch(() => fetch(request));
}

addEventListener("install", (event) => event.waitUntil(registration.active ? keepAll() : skipWaiting()));
addEventListener("activate", (event) => event.waitUntil(Promise.all([clients.claim(), forgetOlder()])));
addEventListener("fetch", (event) => {
  const path = event.request.method === "GET" && event.request.cache !== "no-store" && !isOutdated && pathOf(event.request.url);
  if (path) event.respondWith(answer(event.request, path));
});
addEventListener("message", (event) => {
  if (event.data === "begin") skipWaiting();
  else event.waitUntil(keepAll().then((kept) => event.source.postMessage({ kept }), () => {})); // tried again another time
});
