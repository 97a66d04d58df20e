/// The policy of a page that runs a student's code: the page may use only the site's own files.

import { createHash } from "node:crypto";

/// Adds a Content-Security-Policy at the beginning of a page's HTML. The policy allows the scripts that the page contains now.
/// Starlight and CodeMirror need styles in the page; the compiler and Pagefind need WebAssembly.
export function withPolicy(html) {
  const inPage = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text);
  const hashes = [...new Set(inPage)].map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  const policy = ["default-src 'self'", `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(" ")}`, "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:", "worker-src 'self' blob:", "base-uri 'none'", "form-action 'none'"].join("; ");
  return html.replace("<head>", () => `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}
