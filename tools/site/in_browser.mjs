/// Shared by audit.mjs and tour.mjs: tools from npm, and a server. Both scripts work in the repository's root.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

process.chdir(resolve(import.meta.dirname, "../.."));

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm" };

/// Downloads packages, NAME@VERSION, into build/audit, unless they are there. Returns two functions of a package's name: `load` gives
/// its module, `pathOf` the path of its main file.
export function installed(...packages) {
  const isHere = (each) => {
    const [name, version] = each.split("@"), path = `build/audit/node_modules/${name}/package.json`;
    return existsSync(path) && JSON.parse(readFileSync(path, "utf8")).version === version;
  };
  mkdirSync("build/audit", { recursive: true });
  const missing = packages.filter((each) => !isHere(each));
  if (missing.length > 0) execFileSync("npm", ["install", "--silent", "--prefix", "build/audit", ...missing], { stdio: "inherit" });
  const require = createRequire(resolve("build/audit/_"));
  return { pathOf: require.resolve, load: (name) => import(pathToFileURL(require.resolve(name))) };
}

/// Serves a folder, compressed as by page hosts. Each file is compressed only once: the compiler has 100 MB. Returns the server's
/// address, and a function that stops the server.
export async function served(folder) {
  const packed = new Map();
  const bytesOf = (path) => packed.get(path) ?? packed.set(path, promisify(gzip)(readFileSync(path))).get(path);
  const server = createServer(async (request, response) => {
    const path = resolve(folder, `.${decodeURIComponent(new URL(request.url, "http://x").pathname)}`);
    if (!path.startsWith(resolve(folder)) || !existsSync(path) || !statSync(path).isFile()) return response.writeHead(404).end();
    const bytes = await bytesOf(path), type = TYPES[extname(path)] ?? "application/octet-stream";
    return response.writeHead(200, { "Content-Type": type, "Content-Encoding": "gzip" }).end(bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { home: `http://127.0.0.1:${server.address().port}`, close: () => server.closeAllConnections() ?? server.close() };
}
