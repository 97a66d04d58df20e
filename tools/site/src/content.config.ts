import { docsSchema } from "@astrojs/starlight/schema";
import { defineCollection } from "astro:content";
import { renderer } from "../markdown.mjs";
import { allPages, benchOf, markdownOf, reference, slugOf, titleOf } from "../repository.mjs";

/// How much a page's words count in a search; 0: not found. Slides and handouts say again what chapters say.
const weightOf = (path: string) => {
  if (/^docs\/(slides|handouts|instructors\/live)\//.test(path) || !isText(path)) return 0;
  if (path === "docs/glossary.md") return 6;
  if (path === "docs/faults.md") return 0.3; // a table of numbers
  if (/\/broken\//.test(path)) return 0.5;
  if (reference.includes(path)) return 1.3; // the reference, which explains the names of functions
  if (/^(\d\d_\w+\/|common\/simulator\/lens\/)?README.md$/.test(path)) return 3;
  if (/^\d\d_\w+\/exercises/.test(path)) return 2.8;
  return /^docs\/(install|tools)\.md$|^common\/simulator/.test(path) ? 2 : 1;
};
/// A link to where an exercise, or those of a chapter, can be written in the browser, or a lesson plan's steps be shown.
const linkToBench = (path: string) => {
  const page = benchOf(path);
  const what = page?.startsWith("present") ? "Show its steps" : path.endsWith("README.md") ? "Write its kernels" : "Write it";
  return page ? `<p class="to-bench"><a href="/${page}">${what} in the browser</a></p>` : "";
};
const isText = (path: string) => path.endsWith(".md") || reference.includes(path);

/// The repository's files, which know nothing of the site.
const repository = {
  name: "repository",
  async load({ store, parseData, config }) {
    const render = await renderer(config.markdown);
    store.clear();
    for (const path of allPages().pages) {
      const id = slugOf(path), weight = weightOf(path);
      const { html: inner, metadata } = await render(path, markdownOf(path));
      const html = `<div data-pagefind-weight="${weight}">${linkToBench(path)}${inner}</div>`;
      const description = /<p>(?!<a |<figure)([^]*?)<\/p>/.exec(html)?.[1].replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim().slice(0, 200);
      const data = await parseData({ id, data: {
        title: titleOf(path), description, editUrl: false, pagefind: weight > 0, tableOfContents: isText(path) ? undefined : false } });
      store.set({ id, data, body: "", rendered: { html, metadata: { ...metadata, headings: metadata.headings.filter(({ depth }) => depth > 1) } } });
    }
  },
};

export const collections = { docs: defineCollection({ loader: repository, schema: docsSchema() }) };
