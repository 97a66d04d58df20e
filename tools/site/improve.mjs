/// Changes to a page's Markdown: diffs are code. Changes to its HTML: an exercise can be written in the browser, pictures have the site's addresses, tables scroll by themselves, numbers are aligned, values keep their units.

import { toString } from "hast-util-to-string";
import { EXIT, SKIP, visit } from "unist-util-visit";
import { addressOf, benchOf, markdownOf, REFERENCE, targetOf } from "./repository.mjs";

const NUMBER = "[-−+±≈~<>≤≥]?\\s?\\d[\\d.,]*";
const NUMERIC = new RegExp(`^(?:${NUMBER}(?:(?:\\s?[–/]| to| of) ${NUMBER})?(?:\\s?[%×]|\\s[\\wµ/]+)?|[-–—]?)$`);
const BEFORE_UNIT = /(?<=\d) (?=(?:[munµ]?s|[KMGT]?i?B(?:\/s)?|[KMG]?Hz|[%×]|bits|bytes|cycles)(?![\w/]))/g;
const LABEL = /^0\d/; // the number of a chapter or an exercise

const element = (tagName, properties, children) => ({ type: "element", tagName, properties, children });
const parts = (node, ...names) => node.children.filter((child) => names.includes(child.tagName));

function align(table) {
  visit(table, "element", (cell) => delete cell.properties.align); // the alignment chosen below fits the columns' contents better
  const rows = parts(table, "thead", "tbody").flatMap((group) => parts(group, "tr")).map((row) => parts(row, "th", "td"));
  for (const [k, heading] of rows[0].entries()) {
    const column = rows.slice(1).map((row) => row[k]).filter(Boolean), words = column.map((cell) => toString(cell).trim());
    if (heading.children.length > 0) heading.properties.scope = "col";
    else heading.tagName = "td"; // a heading without text is no heading
    if (words.some(Boolean) && words.every((each) => NUMERIC.test(each) && !LABEL.test(each)))
      for (const cell of [heading, ...column]) cell.properties.className = ["number"];
  }
}

export const improve = () => (tree, file) => {
  visit(tree, { tagName: "img" }, (image) => { // before Astro treats the image as its own
    const target = file.path && targetOf(file.path.slice(1), image.properties.src);
    if (target) image.properties.src = addressOf(target);
  });
  visit(tree, { tagName: "blockquote" }, (box) => { // the box of an exercise, with a link to the task
    visit(box, { tagName: "a" }, ({ properties: { href } }) => {
      const task = file.path && targetOf(file.path.slice(1), href)?.path;
      if (!task?.includes("/exercises/")) return undefined;
      box.properties.className = ["exercise"];
      box.children.push(element("p", { className: ["to-bench"] }, [element("a", { href: `/${benchOf(task)}` }, [{ type: "text", value: "Write it in the browser" }])]));
      return EXIT;
    });
  });
  visit(tree, (node) => {
    if (/^(code|h[1-6])$/.test(node.tagName)) return SKIP; // a heading's text determines its anchor
    if (node.type === "text") node.value = node.value.replace(BEFORE_UNIT, "\u00a0");
  });
  visit(tree, { tagName: "table" }, (table, at, parent) => {
    align(table);
    parent.children[at] = element("div", { className: ["wide"], tabIndex: 0 }, [table]);
    return SKIP;
  });
};

const inHtml = (hName, hProperties, ...children) => ({ type: hName, data: { hName, hProperties }, children });

/// A diff is code whose lines have marks. A diff of two functions has a switch: radio buttons, by which CSS hides the lines of one of them.
export const versions = () => (tree) => {
  let group = 0;
  visit(tree, { type: "code", lang: "diff" }, (code, at, parent) => {
    const [, old, now, body] = /^--- (?:.*:)?(.*)\n\+\+\+ (?:.*:)?(.*)\n([^]*)$/.exec(code.value) ?? [];
    code.meta = `lang="cpp"${old ? ` title="${old} → ${now}"` : ""}`;
    if (!old) return;
    code.value = body;
    const name = `versions-${++group}`;
    const choice = (value, label) => inHtml("label", {},
      inHtml("input", { type: "radio", name, value, checked: value === "diff" }), { type: "text", value: label });
    parent.children[at] = inHtml("div", { className: ["versions"] },
      inHtml("fieldset", { dataPagefindIgnore: "" }, inHtml("legend", { className: ["sr-only"] }, { type: "text", value: `${old} and ${now}` }),
        choice("old", "Previous step"), choice("new", "This step"), choice("diff", "Diff")), code);
    return [SKIP, at + 1];
  });
};

let places; // by name in the reference: all pages and anchors with this name
function placeOf(name, path) {
  places ??= [...markdownOf(REFERENCE).matchAll(/<dt><a href="\/([^"]*)"><code>(\w+)\(\)/g)].reduce((map, [, place, of]) => map.set(of, [...(map.get(of) ?? []), place]), new Map());
  const found = places.get(name) ?? [], folderOf = (place) => place.split("/")[0];
  return found.find((place) => folderOf(place) === folderOf(path)) ?? (new Set(found.map((place) => place.split("#")[0])).size === 1 ? found[0] : undefined);
}

/// A plugin of Expressive Code: copying a diff omits removed lines, and code in pages has links to the reference.
export const linked = { name: "diffs to copy, links to the reference", hooks: {
  postprocessRenderedBlock({ codeBlock, renderData }) {
    const lines = codeBlock.getLines(), kept = lines.filter((line) => !line.getAnnotations().some(({ markerType }) => markerType === "del"));
    if (kept.length < lines.length) visit(renderData.blockAst, { tagName: "button" }, ({ properties }) => { properties.dataCode = kept.map(({ text }) => text).join("\x7F"); });
    const path = codeBlock.parentDocument?.sourceFilePath?.slice(1) ?? "";
    if (path.endsWith(".md") && codeBlock.language === "cpp") visit(renderData.blockAst, { tagName: "span" }, (span, at, { children }) => {
      const [before, after] = [at - 1, at + 1].map((k) => (children[k] ? toString(children[k]) : ""));
      const place = /^[(<]/.test(after) && !before.endsWith("::") && // a function, but not one of std
        placeOf(toString(span), path);
      if (place) span.children = [element("a", { href: `/${place}` }, span.children)];
      return SKIP;
    });
  },
} };
