#!/usr/bin/env node
/* usage: tools/site/audit.mjs

Judges the built site by axe, Lighthouse and html-validate, and exits with 1 if a figure is missed. Needs node, npm and
chromium ($CHROMIUM); downloads the tools into build/audit. CI does not run it. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TOOLS = ["axe-core@4.10.3", "html-validate@9.5.3", "lighthouse@12.6.1", "puppeteer-core@24.10.0"];
const SITE = "build/docs/html";
process.chdir(resolve(import.meta.dirname, "../.."));
const CHAPTERS = readdirSync(".").filter((name) => existsSync(`${name}/main.cu`)).sort();
const PAGES = ["index", ...CHAPTERS, "03_shared_privatized_applications",
  "03_shared_privatized_exercises_1_one_block_size_md", "docs_results", "docs_glossary_md", "reference",
  "03__shared__privatized_2kernels_8cuh", "search"];
const SCORED = ["index", "02_naive_atomic", "04_coarsened", "03__shared__privatized_2kernels_8cuh", "search"];
const LEAST_SCORE = 98;
const VIEWS = [["light", 1280], ["dark", 1280], ["light", 390]]; // colour scheme, width
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

if (!existsSync(`${SITE}/index.html`)) throw "there is no site yet: ./course docs builds it";
mkdirSync("build/audit", { recursive: true });
execFileSync("npm", ["install", "--silent", "--prefix", "build/audit", ...TOOLS], { stdio: "inherit" });
const require = createRequire(resolve("build/audit/_"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")));
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(require.resolve("lighthouse")));
const { HtmlValidate, FileSystemConfigLoader } = require("html-validate");

const missed = [];
function judge(what, is, isReached) {
  console.log(`${what}: ${is}`);
  if (!isReached) missed.push(`${what}: ${is}`);
}

// --- The markup, but not Doxygen's --------------------------------------------------------------

// Headings' anchors are a code-hosting site's, and spaces at lines' ends are in Doxygen's code.
const RULES = { extends: ["html-validate:recommended"],
  rules: { "valid-id": ["error", { relaxed: true }], "no-trailing-whitespace": "off" } };
const OWN = /^(index|search|reference|\d\d_[a-z].*|docs_.*|common_[a-z].*)\.html$/;
const errors = [];
const validator = new HtmlValidate(new FileSystemConfigLoader(RULES));
for (const page of readdirSync(SITE).filter((name) => OWN.test(name))) {
  const { results } = await validator.validateFile(`${SITE}/${page}`);
  for (const { ruleId, line, message } of results.flatMap((result) => result.messages))
    errors.push(`\n  ${page}:${line}: ${ruleId}: ${message}`);
}
judge("html-validate", `${errors.length} errors${errors.slice(0, 20).join("")}`, errors.length === 0);

// --- What a browser sees ------------------------------------------------------------------------

const server = createServer((request, response) => {
  const path = resolve(SITE, `.${new URL(request.url, "http://x").pathname}`);
  if (!path.startsWith(resolve(SITE)) || !existsSync(path)) return response.writeHead(404).end();
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  response.writeHead(200, { "Content-Type": type }).end(readFileSync(path));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const QUERY = "?q=bank+conflict";
const home = `http://127.0.0.1:${server.address().port}`;
const address = (page) => `${home}/${page}.html${page === "search" ? QUERY : ""}`;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const name of PAGES) {
    const found = [];
    for (const [scheme, width] of VIEWS) {
      const page = await browser.newPage();
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      if (!(await page.goto(address(name))).ok()) throw `the site has no page ${name}`;
      await page.addScriptTag({ path: require.resolve("axe-core") });
      for (const { id, nodes } of (await page.evaluate(() => axe.run())).violations)
        found.push(`\n  ${scheme}, ${width} px: ${id}, ${nodes.length} times: ${nodes[0].html.slice(0, 120)}`);
      await page.close();
    }
    judge(`axe, ${name}`, `${found.length} violations${found.join("")}`, found.length === 0);
  }
  const page = await browser.newPage(); // without a server, as a reader opens it
  await page.goto(`${pathToFileURL(SITE)}/search.html${QUERY}`);
  const pages = await page.$$eval("#results h2", (titles) => titles.length);
  judge("search for 'bank conflict'", `${pages} pages`, pages >= 6);
  await page.goto(`${pathToFileURL(SITE)}/${CHAPTERS[2]}.html`);
  await page.keyboard.press("ArrowLeft");
  await page.waitForNavigation({ timeout: 5000 }).catch(() => {});
  judge("the left arrow in chapter 03", page.url().split("/").pop(), page.url().endsWith(`${CHAPTERS[1]}.html`));
  const closed = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    return document.querySelectorAll("details:not([open])").length;
  });
  judge("answers that are closed on paper", closed, closed === 0);
  const port = new URL(browser.wsEndpoint()).port;
  for (const name of SCORED) {
    const { lhr } = await lighthouse(address(name), { port, logLevel: "error" }, desktopConfig);
    const categories = Object.values(lhr.categories);
    const scores = categories.map((one) => `${one.title} ${Math.round(100 * one.score)}`);
    const lost = categories.flatMap((one) => one.auditRefs.filter((ref) => ref.weight > 0))
      .map((ref) => lhr.audits[ref.id])
      .filter((audit) => audit.score !== null && audit.score < 0.9)
      .map((audit) => `\n  ${audit.title}`);
    judge(`Lighthouse, ${name}`, scores.join(", ") + lost.join(""),
      categories.every((one) => 100 * one.score >= LEAST_SCORE));
  }
} finally {
  await browser.close();
  server.close();
}
if (missed.length) {
  console.error(`\nmissed:\n${missed.join("\n")}`);
  process.exit(1);
}
