#!/usr/bin/env node
/* usage: tools/site/build.mjs

Builds the site: build/docs/html. Needs node, npm and doxygen; the first time, npm downloads what package-lock.json names. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";

const here = import.meta.dirname;
const time = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/// Runs a command as one step of the build. Returns the command's output.
function run(step, command, words, cwd) {
  console.log(step);
  const done = spawnSync(command, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", COURSE_ROOT: join(here, "../..") } });
  if (done.error) throw Error(`${command} is missing: ${done.error.message}`);
  if (done.status !== 0) {
    process.stderr.write(done.stderr || done.stdout.split("\n").slice(-20).join("\n"));
    process.exit(1);
  }
  return done.stdout;
}

if (time(join(here, "node_modules/.package-lock.json")) < time(join(here, "package-lock.json")))
  run("[1/6] Installing Astro", "npm", ["ci", "--no-fund", "--no-audit", "--ignore-scripts"], here);
const { allPages, build, reference, root } = await import("./repository.mjs");
const { withPolicy } = await import("./policy.mjs");

rmSync(build, { recursive: true, force: true });
run("[2/6] Reading the sources' comments", join(here, "reference.py"), [join(build, "reference"), ...reference], root);
for (const path of allPages().copied) cpSync(join(root, path), join(build, "public", path), { recursive: true });
for (const file of ["pages.js", "favicon.svg"]) cpSync(join(here, file), join(build, "public", file));
cpSync(join(here, "src/watch"), join(build, "public/watch"), { recursive: true });
writeFileSync(join(build, "public/exercises.json"), run("[3/6] Reading the exercises", join(here, "exercises.py"), [], root));
writeFileSync(join(build, "public/questions.json"), run("[3/6] Reading the questions", join(here, "questions.py"), [], root));
writeFileSync(join(build, "steps.json"), run("[3/6] Reading the lesson plans", join(here, "steps.py"), [], root));
run("[4/6] Writing the pages", "npx", ["astro", "build"], here);
renameSync(join(build, "html/pagefind/pagefind.js"), join(build, "html/pagefind/pagefind.js.own.js"));
cpSync(join(here, "search.js"), join(build, "html/pagefind/pagefind.js"));

const workbench = join(here, "../workbench");
if (time(join(workbench, "node_modules/.package-lock.json")) < time(join(workbench, "package-lock.json")))
  run("[5/6] Installing a compiler for browsers", "npm", ["ci", "--omit=dev", "--no-fund", "--no-audit", "--ignore-scripts"], workbench);
run("[5/6] Compiling the simulator for browsers, which takes minutes the first time", join(workbench, "build.mjs"), [], root);
cpSync(join(root, "build/workbench/web"), join(build, "html/workbench"), { recursive: true });
console.log("[6/6] Making addresses relative");

/// Makes all addresses relative, so that the site works in any folder of a host and, mostly, if it is opened as a file.
const html = join(build, "html");
for (const entry of readdirSync(html, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath ?? entry.path, entry.name), kind = extname(entry.name);
  if (!entry.isFile() || ![".html", ".js", ".css"].includes(kind) || /\/(pagefind|workbench)\//.test(path)) continue; // files from npm
  const up = `${relative(dirname(path), html) || "."}/`;
  const text = readFileSync(path, "utf8");
  const done = kind === ".js"
    ? text.replace(/(["'`])\/COURSE_BASE\/?([^"'`]*)\1/g, (_, quote, rest) => ` (new URL("../${rest}",import.meta.url).pathname)`)
    : text.replaceAll("<pre data-language", '<pre tabindex="0" data-language') // the keyboard can scroll wide code
      .replace(/(["(=])\/COURSE_BASE\/?/g, `$1${up}`).replace(/(\s(?:href|src)=")\/(?!\/)/g, `$1${up}`);
  writeFileSync(path, done.includes("data-base=") ? withPolicy(done) : done);
}

/// The service worker's list of files, each with the hash of its content.
const names = readdirSync(html, { recursive: true }).filter((name) => statSync(join(html, name)).isFile()).sort();
const files = Object.fromEntries(names.map((name) => [name, createHash("sha256").update(readFileSync(join(html, name))).digest("hex")]));
writeFileSync(join(html, "service_worker.js"), `const FILES = ${JSON.stringify(files)};\n${readFileSync(join(here, "service_worker.js"), "utf8")}`);
