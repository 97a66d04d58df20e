#!/usr/bin/env node
/* usage: tools/site/tour.mjs [--firefox | --webkit] [NUMBER ...]

Uses what ./course docs has built as a student would, in a browser, and says what is not as it should be, with exit status 1: each
exercise from its starter to the chapter's code, ten faults, a zip of all work and back, a reload in the middle of a run, two tabs,
a program from a link. With NUMBERs, such as 03.1, only these exercises, and one fault. Needs node, npm, and chromium
($CHROMIUM), firefox-esr ($FIREFOX), or webkit2gtk-driver and xvfb. CI does not run it. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, served } from "./in_browser.mjs";
import { linkTo } from "./src/workbench/link.mjs";
import { webkit } from "./webkit.mjs";

const PATIENCE = 600000; // ms
const isFirefox = process.argv[2] === "--firefox", isWebKit = process.argv[2] === "--webkit", numbers = process.argv.slice(isFirefox || isWebKit ? 3 : 2);
const { default: puppeteer } = await installed("puppeteer-core@24.10.0").load("puppeteer-core");
const all = JSON.parse(readFileSync("build/docs/public/exercises.json", "utf8")), exercises = all.filter(({ number }) => numbers.length === 0 || numbers.includes(number));
const faults = JSON.parse(execFileSync("python3", ["-c", `
import json, hunt
json.dump([{"name": each.name, "lines": list(each.lines()), "cause": hunt.causes().index(each.causes[0]) + 1} for each in hunt.in_order()], __import__("sys").stdout)`],
{ cwd: "tools/exercises", env: { ...process.env, PYTHONPATH: "../course" }, encoding: "utf8" }));
const chosen = faults.filter((_, k) => k % Math.floor(faults.length / 10) === 0).slice(0, numbers.length > 0 ? 1 : 10);

const { home, close } = await served("build/docs/html"), folder = mkdtempSync(join(tmpdir(), "tour-"));
const browser = isWebKit ? await webkit(PATIENCE, folder) : await puppeteer.launch({ protocolTimeout: PATIENCE, ...isFirefox
  ? { browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", extraPrefsFirefox: { "browser.download.folderList": 2, "browser.download.dir": folder } }
  : { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] } });

let wrong = 0, begun = performance.now(), isReloading = false;
function judge(what, isRight, said = "") {
  console.log(`${what}: ${isRight ? "as expected" : `WRONG: ${said}`}, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  wrong += !isRight;
  begun = performance.now();
}

async function tab() {
  const page = await browser.newPage();
  page.setDefaultTimeout?.(PATIENCE);
  page.on?.("pageerror", ({ message }) => {
    if (!isReloading || !message.startsWith("Failed to load ‘’")) judge(`${page.url()}, a script`, false, message); // interrupted by a reload
  });
  return page;
}
const open = (page, path) => page.goto(`${home}/${path}`);
/// Opens the page of all exercises. Returns the number of exercises that it shows as solved.
async function status(page) {
  await open(page, "write.html");
  await page.waitForFunction(() => document.querySelector('[data-part="count"]').textContent !== "");
  return textOf(page, "count");
}
const textOf = (page, name) => page.$eval(`[data-part="${name}"]`, (each) => each.textContent);
const isShown = (page, name) => page.$eval(`[data-part="${name}"]`, (each) => each.checkVisibility());
const told = (page) => page.$eval("#told", (each) => each.innerText);
const workOf = (page, number) => page.evaluate((key) => JSON.parse(localStorage.getItem(key))?.text, `course/work/${number}`);

/// Replaces the editor's text as if by pasting, and waits until it is saved.
async function paste(page, number, text) {
  await (await page.waitForSelector(".editor .cm-content")).focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  if (isFirefox || isWebKit) await page.evaluate((typed) => document.execCommand("insertText", false, typed), text); // scripts can't paste there
  else await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    document.querySelector(".editor .cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await page.waitForFunction((key, pasted) => JSON.parse(localStorage.getItem(key))?.text === pasted, {}, `course/work/${number}`, text);
}

async function begin(page) {
  await (await page.waitForSelector(".editor .cm-content")).focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await page.waitForFunction(() => !document.querySelector('[data-part="stop"]').hidden);
}

/// Runs the editor's text. Returns the text of the verdict.
async function run(page) {
  await begin(page);
  await page.waitForFunction(() => document.querySelector('[data-part="stop"]').hidden);
  return textOf(page, "words");
}

/// Each exercise, from its starter to the chapter's code.
async function solve(page) {
  for (const { number, page: path, solution, recorded } of exercises) {
    await open(page, `write/${number}.html`);
    const says = /## The starter says\n\n```\n([^]*?)\n```/.exec(readFileSync(path, "utf8"))[1], starter = await run(page);
    judge(`${number}, the starter`, starter === says, starter);
    await paste(page, number, solution);
    const words = await run(page);
    judge(`${number}, the chapter's code`, words.startsWith("Solved: ") && await isShown(page, "then"), words);
    const isTimed = recorded !== "" && number !== "02.1", times = await textOf(page, "times"); // 02.1 loses counts
    judge(`${number}, its least time`, isTimed ? /at least [\d.]+ \w+ on an H200, for .* on an H200/i.test(times) : times === "", times);
  }
  await status(page);
  const notSolved = await page.evaluate((tried) => tried.filter((number) => document.querySelector(`[data-number="${number}"]`).dataset.status !== "solved"), exercises.map(({ number }) => number));
  judge("what is solved, on the page of all exercises", notSolved.length === 0, `not ${notSolved}`);
}

/// A few faults, each first with a wrong answer.
async function debug(page) {
  for (const { name, lines, cause } of chosen) {
    await page.goto("about:blank"); // an address that differs only in its #... does not load a new page
    await open(page, `debug/${name.slice(0, 2)}.html#${name}`);
    await page.waitForFunction(() => !["", "Waiting for the checks …"].includes(document.querySelector('[data-part="says"]').textContent));
    const says = await textOf(page, "says"), said = [];
    for (const [line, which] of [[1, cause === 1 ? 2 : 1], [lines[0], cause]]) {
      await page.$eval('[data-part="line"]', (input, value) => { input.value = value; }, line);
      await page.click(`[name="cause"][value="${which}"]`);
      await page.click('[data-part="send"]');
      await page.waitForFunction(() => !["", "…"].includes(document.querySelector('[data-part="words"]').textContent));
      said.push(await textOf(page, "words"));
    }
    const isRight = says !== "The checks could not be run." && said.join() === "The line is wrong, the cause is wrong.,Right." && await isShown(page, "explained");
    judge(`fault ${name}`, isRight, [says, ...said].join(" | "));
  }
}

/// Exports all work as a zip, and imports it again.
async function carry(page) {
  await status(page);
  await (await page.createCDPSession?.().catch(() => undefined))?.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.click('[data-part="export"]');
  let zip;
  for (let k = 0; !zip && k < 100; ++k) {
    await new Promise((done) => setTimeout(done, 100));
    zip = readdirSync(folder).find((name) => name.endsWith(".zip"));
  }
  await page.evaluate(() => localStorage.clear());
  const solved = await status(page);
  judge("a storage that was cleared", solved.startsWith("0 of "), solved);
  await (await page.$('[data-part="import"]')).uploadFile(join(folder, zip));
  await page.waitForFunction(() => document.querySelector("#told").innerText.includes("imported"));
  const lost = [];
  for (const { number, solution } of exercises) if (await workOf(page, number) !== solution) lost.push(number);
  judge("all work from its zip", lost.length === 0, `not ${lost}: ${await told(page)}`);
}

/// Tries a reload in the middle of a run, and two tabs.
async function share(page) {
  const [{ number, starter, solution }] = exercises;
  await open(page, `write/${number}.html`);
  await begin(page);
  isReloading = true;
  await page.reload();
  const words = await run(page);
  isReloading = false;
  judge("after a reload in the middle of a run", await workOf(page, number) === solution && words.startsWith("Solved: "), words);

  const other = await tab();
  await open(other, `write/${number}.html`);
  await paste(other, number, `// of the other tab\n${starter}`); // the page holds only the lines in view
  await page.bringToFront();
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes("// of the other tab"));
  judge("a change in another tab", (await told(page)).includes("Another tab has changed this file"), await told(page));
  for (const [one, mark] of [[page, "// mine"], [other, "// yours"]]) {
    await one.bringToFront();
    await one.focus(".cm-content");
    await one.keyboard.type(mark);
  }
  await new Promise((done) => setTimeout(done, 2000));
  const kept = await page.evaluate((key) => [key, `${key}/kept`].map((each) => localStorage.getItem(each)).join(), `course/work/${number}`);
  judge("changes in two tabs", kept.includes("// mine") && kept.includes("// yours"), kept);
  await page.bringToFront();
}

/// Tries programs from links: runs them, looks at them with the lens, watches a block, and stops one that never ends.
async function play(page) {
  async function follow(program) {
    await page.goto("about:blank"); // an address that differs only in its #... does not load a new page
    await page.goto(await linkTo(`${home}/playground.html`, program));
    await page.waitForSelector('[data-part="run"]:not(:disabled)');
  }
  async function use(button) {
    await page.click(`[data-part="${button}"]`);
    await page.waitForFunction(() => /^(Exit|Ended|It does not)/.test(document.querySelector('[data-part="words"]').textContent));
    return `${await textOf(page, "words")} ${await textOf(page, "output")} ${await textOf(page, "lens")}`;
  }
  await follow(`#include <cstdio>

__global__ void count_kernel(unsigned int* sum) { atomicAdd(sum, 1); }

int main() {
  unsigned int* sum;
  cudaMallocManaged(&sum, sizeof(*sum));
  *sum = 0;
  count_kernel<<<2, 64>>>(sum);
  cudaDeviceSynchronize();
  std::printf("%u <b>threads</b>\\n", *sum);
  return 7;
}
`);
  const plain = await use("run");
  judge("a program from a link", plain.trim() === "Exit status 7. 128 <b>threads</b>", plain);
  const seen = await use("look");
  judge("the same under the lens", seen.startsWith("Exit status 7. 128 <b>threads</b>") && seen.includes("count_kernel"), seen);
  await page.click('[data-part="watch"]');
  const player = await page.waitForSelector('[data-part="watch-player"] figcaption:not(:empty)');
  const title = await player.evaluate((each) => each.textContent);
  judge("a block of it", title.startsWith("count_kernel, block 0"), title);

  await follow(`__global__ void spin_kernel(volatile int* one) {
  while (*one == 0) {
  }
}

int main() {
  int* one;
  cudaMallocManaged(&one, sizeof(*one));
  *one = 0;
  spin_kernel<<<1, 32>>>(one);
  return cudaDeviceSynchronize();
}
`);
  const endless = await use("run");
  judge("a kernel that never ends", endless.includes("program.cu:2"), endless);
}

try {
  const page = await tab();
  await solve(page);
  await debug(page);
  await carry(page);
  await share(page);
  await play(page);
} finally {
  await browser.close();
  close();
  rmSync(folder, { recursive: true });
}
process.exit(wrong > 0 ? 1 : 0);
