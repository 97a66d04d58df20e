#!/usr/bin/env node
/* usage: tools/site/audit.mjs

Judges what ./course docs, ./course report and tools/classroom/build --npx have built by axe, Lighthouse and
html-validate, and the labels of all pictures, and exits with 1 if a figure is missed. Needs node, npm and chromium
($CHROMIUM); downloads the tools into build/audit. CI does not run it. */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { installed, served } from "./in_browser.mjs";
import { chapters } from "./repository.mjs";

const TOOLS = ["axe-core@4.10.3", "html-validate@9.5.3", "lighthouse@12.6.1", "puppeteer-core@24.10.0"];
const SITE = "build/docs/html";
const PAPERS = ["report/index", "classroom/index", "classroom/04_handout", "classroom/04_predictions"]; // below build/, like the site
const PAGES = ["index", "course", ...chapters, "03_shared_privatized/applications", "03_shared_privatized/exercises/1_one_block_size",
  "04_coarsened/broken/faults", "docs/results", "docs/glossary", "docs/instructors", "reference", "03_shared_privatized/kernels.cuh",
  "common/problem/variant.hpp", "tools/course/packages.txt", "write", "write/03.1", "write/06.2",
  "debug/03", "predict/03", "playground", "present/03"];
const SCORED = ["index", "course", "02_naive_atomic", "04_coarsened", "03_shared_privatized/exercises/1_one_block_size", "docs/results",
  "docs/glossary", "docs/instructors", "reference", "03_shared_privatized/kernels.cuh", "write", "write/03.1"];
const DECKS = chapters.map((name) => `classroom/${name.slice(0, 2)}_slides`);
const LEAST_CODE = 24; // px, on a slide that is 720 px high
const LEAST_SCORE = { desktop: 98, mobile: 90 };
const VIEWS = [["light", 1280], ["dark", 1280], ["light", 390]]; // colour scheme, width

for (const [page, command] of [[`${SITE}/index`, "./course docs"], [`build/${PAPERS[0]}`, "./course report"], [`build/${DECKS[0]}`, "tools/classroom/build --npx"]])
  if (!existsSync(`${page}.html`)) throw `there is no ${page}.html yet: ${command} builds it`;
const { load, pathOf } = installed(...TOOLS);
const { default: puppeteer } = await load("puppeteer-core");
const { default: lighthouse, desktopConfig } = await load("lighthouse");
const { HtmlValidate, FileSystemConfigLoader } = await load("html-validate");

const missed = [];
function judge(what, is, isReached) {
  console.log(`${what}: ${is}`);
  if (!isReached) missed.push(`${what}: ${is}`);
}

// --- The markup ----------------------------------------------------------------------------------

// The rules for a page's own text, not for the code blocks that Expressive Code renders. Headings have the ids that a code-hosting site
// gives them, so `valid-id` is relaxed.
const RULES = { extends: ["html-validate:recommended"],
  rules: { "valid-id": ["error", { relaxed: true }], "no-trailing-whitespace": "off", "void-style": "off", "no-raw-characters": "off" } };
const ownMarkup = (page) => /<div data-pagefind-weight="[^"]*">([^]*)<\/div>\s*<\/div>\s*<footer/.exec(page)?.[1].replace(/<div class="expressive-code">[^]*?<\/figure><\/div>/g, "") ?? "";
const errors = [];
const validator = new HtmlValidate(new FileSystemConfigLoader(RULES));
const markup = [...readdirSync(SITE, { recursive: true }).filter((name) => name.endsWith(".html")).map((page) => [page, ownMarkup(readFileSync(`${SITE}/${page}`, "utf8"))]),
  ...PAPERS.map((page) => [page, readFileSync(`build/${page}.html`, "utf8")])];
for (const [page, text] of markup) {
  const { results } = await validator.validateString(text, page);
  for (const { ruleId, line, message } of results.flatMap((result) => result.messages))
    errors.push(`\n  ${page}:${line}: ${ruleId}: ${message}`);
}
judge("html-validate", `${errors.length} errors${errors.slice(0, 20).join("")}`, errors.length === 0);

// --- What a browser sees ------------------------------------------------------------------------

const { home, close } = await served("build");
const address = (page) => `${home}/${PAPERS.includes(page) || DECKS.includes(page) ? "" : "docs/html/"}${page}.html`;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const name of [...PAGES, ...PAPERS]) {
    const found = [];
    for (const [scheme, width] of VIEWS) {
      const page = await browser.newPage();
      await page.setBypassCSP(true); // so that axe can be added to the page
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      if (!(await page.goto(address(name))).ok()) throw `the site has no page ${name}`;
      await page.addScriptTag({ path: pathOf("axe-core") });
      for (const { id, nodes } of (await page.evaluate(() => axe.run())).violations)
        found.push(`\n  ${scheme}, ${width} px: ${id}, ${nodes.length} times: ${nodes[0].html.slice(0, 120)}`);
      await page.close();
    }
    judge(`axe, ${name}`, `${found.length} violations${found.join("")}`, found.length === 0);
  }
  const page = await browser.newPage();
  await page.goto(address("02_naive_atomic"));
  await page.click("button[data-open-modal]");
  await page.waitForSelector(".pagefind-ui__search-input", { timeout: 5000 });
  await page.type(".pagefind-ui__search-input", "bank conflict");
  await page.waitForSelector(".pagefind-ui__result-link", { timeout: 5000 });
  const links = await page.$$eval(".pagefind-ui__result-link", (all) => all.map((link) => new URL(link.href).pathname));
  judge("search for 'bank conflict' from a chapter", links.slice(0, 3).join(" "), links.length >= 5);
  await page.goto(address("04_coarsened"));
  await page.focus("figure.steps");
  await page.keyboard.press("ArrowRight");
  const step = await page.$eval("figure.steps p", (words) => words.textContent);
  judge("the right arrow in a picture with steps", `${page.url().split("/").pop()}, ${step.slice(0, 6)}`, step.startsWith("1 of ") && page.url() === address("04_coarsened"));
  await page.$$eval("details:has(.versions)", (folded) => { for (const one of folded) one.open = true; });
  await page.focus(".versions input:checked");
  await page.keyboard.press("ArrowLeft");
  const shown = await page.$eval(".versions", (one) => ["del", "ins"].filter((kind) => one.querySelector(`.ec-line.${kind}`).checkVisibility()));
  judge("the left arrow in a switch between versions", `${shown} are shown`, shown.join() === "ins");
  await page.goto(address("write/03.1"));
  await (await page.waitForSelector(".editor .cm-content")).focus();
  await page.keyboard.type("// mine");
  await page.reload();
  const line = await (await page.waitForSelector(".editor .cm-activeLine")).evaluate((each) => each.textContent);
  judge("what was typed, after a reload", line, line.includes("// mine"));
  for (const name of DECKS) {
    await page.setViewport({ width: 1280, height: 720 });
    await page.goto(address(name));
    await page.addScriptTag({ path: pathOf("axe-core") });
    const found = [], slides = await page.$$eval("section", (all) => all.length);
    for (let slide = 1; slide <= slides; ++slide) {
      await page.evaluate((at) => { location.hash = at; }, slide);
      await page.waitForSelector(`svg[data-marpit-svg]:nth-of-type(${slide}).bespoke-marp-active`);
      found.push(...(await page.evaluate(() => axe.run({ exclude: [".bespoke-marp-osc"] }))).violations.map(({ id, nodes }) => `\n  slide ${slide}: ${id}: ${nodes[0].html.slice(0, 120)}`));
    }
    judge(`axe, ${name}`, `${found.length} violations${found.join("")}`, found.length === 0);
    const least = Math.min(...await page.$$eval("section pre code", (all) => all.map((code) => parseFloat(getComputedStyle(code).fontSize))));
    judge(`smallest code of ${name}`, `${least} px of 720`, least >= LEAST_CODE);
  }
  for (const name of [...PAGES, ...PAPERS]) {
    await page.setViewport({ width: 390, height: 800 });
    await page.goto(address(name));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > 390) judge(`width of ${name} at 390 pixels`, wide, false);
  }
  const closed = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    return document.querySelectorAll("details:not([open])").length;
  });
  judge("answers that are closed on paper", closed, closed === 0);
  for (const picture of readdirSync("docs", { recursive: true }).filter((name) => name.endsWith(".svg"))) {
    await page.setContent(`<body style="margin: 0; width: 860px">${readFileSync(`docs/${picture}`, "utf8")}`);
    const pairs = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll("text")].map((text) => [text.textContent.trim(), text.getBoundingClientRect()]);
      const meets = (a, b, from, to, slack) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > slack;
      return boxes.flatMap(([words, a], i) => boxes.slice(i + 1) // slack, because a line's box is higher than its letters
        .filter(([, b]) => meets(a, b, "left", "right", 0.5) && meets(a, b, "top", "bottom", 0.3 * Math.min(a.height, b.height)))
        .map(([others]) => `\n  ${words} | ${others}`));
    });
    judge(`labels that overlap in ${picture}`, pairs.length + pairs.join(""), pairs.length === 0);
  }
  const port = new URL(browser.wsEndpoint()).port;
  for (const [name, kind] of SCORED.flatMap((each) => Object.keys(LEAST_SCORE).map((kind) => [each, kind]))) {
    const { lhr } = await lighthouse(address(name), { port, logLevel: "error" }, kind === "desktop" ? desktopConfig : undefined);
    const categories = Object.values(lhr.categories);
    const scores = categories.map((one) => `${one.title} ${Math.round(100 * one.score)}`);
    const lost = categories.flatMap((one) => one.auditRefs.filter((ref) => ref.weight > 0))
      .map((ref) => lhr.audits[ref.id])
      .filter((audit) => audit.score !== null && audit.score < 0.9)
      .map((audit) => `\n  ${audit.title}`);
    judge(`Lighthouse, ${name}, ${kind}`, scores.join(", ") + lost.join(""),
      categories.every((one) => Math.round(100 * one.score) >= LEAST_SCORE[kind]));
  }
} finally {
  await browser.close();
  close();
}
if (missed.length) {
  console.error(`\nmissed:\n${missed.join("\n")}`);
  process.exit(1);
}
