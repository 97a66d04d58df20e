/// Pictures of a page: a picture with steps becomes part of the page; any other opens when it is clicked.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./repository.mjs";

export const withPictures = (html) =>
  html.replace(/<img src="\/([^"]*\.svg)"[^>]*>/g, (tag, path) => {
    const svg = readFileSync(join(root, path), "utf8");
    if (svg.includes("data-step")) return `<figure class="steps">${svg.slice(svg.indexOf("<svg")).trim()}</figure>`;
    const [, width, height] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(svg);
    const own = /\/\d\d\.svg$/.test(path) ? ' class="chapters" data-pagefind-ignore="all"' : ""; // a page is found by its first picture's words
    return `<a href="/${path}">${tag.slice(0, -1)} width="${width}" height="${height}"${own}></a>`;
  }).replace(/<p>\s*(<figure[^]*?<\/figure>)\s*<\/p>/g, "$1");
