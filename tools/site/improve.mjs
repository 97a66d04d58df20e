/// Changes to a page's own HTML: pictures have the site's addresses, tables scroll by themselves, numbers are aligned, values keep their units.

import { toString } from "hast-util-to-string";
import { SKIP, visit } from "unist-util-visit";
import { addressOf, targetOf } from "./repository.mjs";

const NUMBER = "[-−+±≈~<>≤≥]?\\s?\\d[\\d.,]*";
const NUMERIC = new RegExp(`^(?:${NUMBER}(?:(?:\\s?[–/]| to| of) ${NUMBER})?(?:\\s?[%×]|\\s[\\wµ/]+)?|[-–—]?)$`);
const BEFORE_UNIT = /(?<=\d) (?=(?:[munµ]?s|[KMGT]?i?B(?:\/s)?|[KMG]?Hz|[%×]|bits|bytes|cycles)(?![\w/]))/g;
const LABEL = /^0\d/; // a chapter or an exercise

const element = (tagName, properties, children) => ({ type: "element", tagName, properties, children });
const parts = (node, ...names) => node.children.filter((child) => names.includes(child.tagName));

function align(table) {
  visit(table, "element", (cell) => delete cell.properties.align); // the columns' words say more
  const rows = parts(table, "thead", "tbody").flatMap((group) => parts(group, "tr")).map((row) => parts(row, "th", "td"));
  for (const [k, heading] of rows[0].entries()) {
    const column = rows.slice(1).map((row) => row[k]).filter(Boolean), words = column.map((cell) => toString(cell).trim());
    if (heading.children.length > 0) heading.properties.scope = "col";
    else heading.tagName = "td"; // a heading without words is none
    if (words.some(Boolean) && words.every((each) => NUMERIC.test(each) && !LABEL.test(each)))
      for (const cell of [heading, ...column]) cell.properties.className = ["number"];
  }
}

export const improve = () => (tree, file) => {
  visit(tree, { tagName: "img" }, (image) => { // before Astro takes it for one of its own
    const target = file.path && targetOf(file.path.slice(1), image.properties.src);
    if (target) image.properties.src = addressOf(target);
  });
  visit(tree, (node) => {
    if (/^(code|h[1-6])$/.test(node.tagName)) return SKIP; // a heading's words are its anchor
    if (node.type === "text") node.value = node.value.replace(BEFORE_UNIT, "\u00a0");
  });
  visit(tree, { tagName: "table" }, (table, at, parent) => {
    align(table);
    parent.children[at] = element("div", { className: ["wide"], tabIndex: 0 }, [table]);
    return SKIP;
  });
};
