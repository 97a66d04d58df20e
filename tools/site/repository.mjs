/// The repository's files as pages: which pages there are, their addresses, and where their links lead.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { globSync } from "tinyglobby";

export const root = process.env.COURSE_ROOT ?? resolve(import.meta.dirname, "../.."); // pages are built with COURSE_ROOT
export const build = join(root, "build/docs");

const found = (patterns) => patterns.flatMap((pattern) => globSync(pattern, { cwd: root, expandDirectories: false }).sort());
const text = (path) => readFileSync(join(root, path), "utf8");

/// The list of the reference's names. reference.py writes this list and the pages of the reference's files.
export const REFERENCE = "reference.md";

/// A part of the contents: files by patterns, each file once.
const part = (label, ...patterns) => ({ label, files: found(patterns) });
export const chapters = execFileSync("python3", ["-c", "import chapters; print(*chapters.with_pages())"],
  { cwd: join(root, "tools/course"), encoding: "utf8" }).trim().split(" ");

export const parts = [
  part("Start", "README.md", "docs/install.md", "docs/tools.md", "docs/ci.md", "docs/glossary.md"),
  ...chapters.map((name) => part(titleOf(`${name}/README.md`), `${name}/README.md`, `${name}/[a-z]*.md`, `${name}/exercises/[0-9]*.md`,
    `${name}/applications/README.md`, `${name}/applications/*/README.md`, `${name}/applications/[a-z]*.md`)),
  part("Results", "docs/results/README.md", "docs/results/*.md", "docs/faults.md", "docs/articles.md", "docs/only_nvcc.md"),
  part("Teach", "docs/instructors/README.md", "docs/instructors/[a-z]*.md", "docs/instructors/[0-9]*.md"),
  part("How it works", "common/simulator/README.md", "common/simulator/lens/README.md", "docs/lens.md", "CONTRIBUTING.md",
    "docs/decisions.md", "CHANGELOG.md"),
].map(({ label, files }) => ({ label, files: [...new Set(files)] }));

/// The sources whose public names Doxygen documents: neither checks and programs, which no other file includes, nor the
/// simulator's internals.
export const reference = found(["[0-9][0-9]_*/*.cuh", "[0-9][0-9]_*/applications/**/*.cuh", "[0-9][0-9]_*/applications/**/*.hpp",
  "common/*/*.cuh", "common/{bench,checks,cuda,problem}/*.hpp", "common/simulator/include/**/*.h"])
  .filter((path) => (!/^\d/.test(path) || chapters.includes(path.split("/")[0])) &&
    !path.split("/").slice(2, -1).some((folder) => ["checks", "broken"].includes(folder)) &&
    !/^(TEMPLATE_)?TEST_CASE/m.test(text(path)));

/// The address of a file's page, relative to the site's root and without `.html`.
export const slugOf = (path) =>
  path === "README.md" ? "course" : path.replace(/\/README\.md$/, "").replace(/\.md$/, "");

/// The interactive page for a page of the course: for an exercise or a chapter, where its exercises can be written; for a lesson plan,
/// where its steps are shown in class; undefined for other pages.
export function benchOf(path) {
  const [, plan] = /^docs\/instructors\/(\d\d)\.md$/.exec(path) ?? [];
  if (plan) return existsSync(join(root, `docs/instructors/live/${plan}.diff`)) ? `present/${plan}.html` : undefined;
  const [, chapter, number] = /^(\d\d)_\w+\/(?:README|exercises\/(\d+)_\w+)\.md$/.exec(path) ?? [];
  return number ? `write/${chapter}.${number}.html` : chapter && `write.html#${chapter}`;
}

export function titleOf(path) {
  if (path === REFERENCE) return "Kernels and functions";
  if (!path.endsWith(".md")) return path;
  if (path === "README.md") return "The course";
  const heading = /^# (.*)$/m.exec(text(path).replace(/<!--[^]*?-->/g, ""));
  return heading ? heading[1].replace(/[`*]/g, "") : path;
}

const isCopied = (path) => /\.(svg|png|jpg|pdf)$/.test(path);

/// The file that a link of a page names, and the anchor; undefined if the link leads out of the repository. `..` is resolved.
export function targetOf(from, link) {
  if (/^([a-z][a-z0-9+.-]*:|\/|#|$)/i.test(link)) return undefined;
  const [name, anchor = ""] = decodeURI(link).split("#");
  let path = normalize(join(dirname(from), name)).replace(/\/$/, "");
  if (!existsSync(join(root, path))) throw Error(`${from} links to ${link}, which does not exist`);
  if (existsSync(join(root, path, "README.md"))) path = join(path, "README.md");
  return { path, anchor: anchor && `#${anchor}` };
}

/// The address in the site of a target (targetOf).
export function addressOf({ path, anchor }) {
  if (isCopied(path)) return `/${path}`;
  return `/${slugOf(path)}.html${anchor}`;
}

const LINK = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)|(?:href|src)="([^"]+)"/gm;

/// Recorded blocks (watched.mjs).
const WATCH = /^<!-- watch: (\d+(?: [\w-]+)+) -->$/gm;

/// The Markdown of a page; for another file, the file as a block of code; for a folder, a list of its contents.
export function markdownOf(path) {
  if (path === REFERENCE || reference.includes(path)) return readFileSync(join(build, "reference", path.replace(/(\.md)?$/, ".md")), "utf8");
  const place = join(root, path);
  if (statSync(place).isDirectory()) {
    const names = readdirSync(place, { withFileTypes: true }).filter(({ name }) => !/^[._]/.test(name));
    return names.map((each) => `* \`${each.name}${each.isDirectory() ? "/" : ""}\``).sort().join("\n");
  }
  if (path.endsWith(".md")) return text(path).replace(WATCH, '<div data-watch="$1"></div>').replace(/<!--[^]*?-->/g, "");
  const kind = { cu: "cpp", cuh: "cpp", hpp: "cpp", h: "cpp", py: "python", mjs: "js", sh: "sh" }[path.split(".").pop()] ?? "text";
  return `\`\`\`\`\`\`${kind} showLineNumbers\n${text(path)}\n\`\`\`\`\`\`\n`;
}

/// All pages: those of the contents, and the files to which these link.
export function allPages() {
  const pages = new Set([...parts.flatMap((one) => one.files), ...reference, REFERENCE]), copied = new Set();
  for (const path of pages) // the set grows during the loop
    if (path.endsWith(".md") && path !== REFERENCE)
      for (const match of markdownOf(path).replace(/^(`{3,})[^]*?^\1/gm, "").matchAll(LINK)) {
        const target = targetOf(path, match[1] ?? match[2] ?? match[3]);
        if (!target) continue;
        if (isCopied(target.path)) copied.add(target.path);
        else pages.add(target.path);
      }
  return { pages: [...pages], copied: [...copied] };
}
