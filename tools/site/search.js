// The page of search results: sections of search_index.js by the words of the query.
"use strict";

const sections = entries.flatMap(([name, weight, page, ...parts]) =>
  parts.map(([anchor, title, text]) => ({ page, href: name + anchor, title, text, weight })));
const list = document.querySelector("#results");
const said = document.querySelector("#found");
const pattern = (words) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
// A word is found from its beginning: "conflict" finds "conflicts", and "race" no "trace".
const beginning = (words) => new RegExp((/^\w/.test(words) ? "(?<!\\w)" : "") + pattern(words), "gi");

function score(section, words, phrase) {
  let sum = 0;
  for (const word of words) {
    const inTitle = section.title.search(word) >= 0 ? 10 : 0;
    const times = Math.min(section.text.match(word)?.length ?? 0, 5);
    if (inTitle + times === 0) return 0;
    sum += inTitle + times;
  }
  if (section.title.replace(phrase, "") === "") sum += 100;
  if (section.title.search(phrase) >= 0) sum += 50;
  if (section.text.search(phrase) >= 0) sum += 25;
  return sum * section.weight;
}

function excerpt(text, word) {
  const at = Math.max(text.search(word), 0);
  const found = text.slice(at).match(word)?.[0] ?? "";
  const begin = text.lastIndexOf(" ", Math.max(at - 80, 0)) + 1;
  const end = text.length > at + 160 ? text.lastIndexOf(" ", at + 160) : text.length;
  return element("p", {}, text.slice(begin, at), element("mark", {}, found), text.slice(at + found.length, end));
}

function search(query) {
  const parts = query.trim().split(/\s+/).filter(Boolean);
  const words = parts.map(beginning);
  const phrase = beginning(parts.join(" "));
  const found = words.length ? sections.map((section) => ({ section, points: score(section, words, phrase) })) : [];
  const best = found.filter((one) => one.points).sort((a, b) => b.points - a.points);
  const pages = Map.groupBy(best, (one) => one.section.page);
  said.textContent = words.length ? `${best.length} sections of ${pages.size} pages` : "";
  list.replaceChildren(...[...pages.values()].map((ones) => {
    const item = element("li", {}, element("h2", {}, ones[0].section.page));
    for (const { section } of ones.slice(0, 3)) {
      item.append(element("a", { href: section.href }, section.title));
      item.append(excerpt(section.text, section.text.search(phrase) >= 0 ? phrase : words[0]));
    }
    return item;
  }));
}

addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector("#contents [type=search]");
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", () => search(field.value));
  search(field.value);
});
