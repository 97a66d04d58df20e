/// Markdown of the repository's files as HTML: links lead to the site's pages, and pictures.mjs embeds the pictures.

import { createMarkdownProcessor } from "@astrojs/markdown-remark";
import { withPictures } from "./pictures.mjs";
import { addressOf, targetOf } from "./repository.mjs";
import { withRecordings } from "./watched.mjs";

/// With a Markdown configuration of Astro's, returns a function (path, text) that renders a text with links relative to the path.
export async function renderer(config) {
  const markdown = await createMarkdownProcessor(config);
  return async (path, text) => {
    const { code, metadata } = await markdown.render(text, { fileURL: new URL(`file:///${path}`) });
    const html = code.replace(/(<a\b[^>]*?\shref=")([^"]*)"/g, (whole, before, link) => {
      const target = targetOf(path, link);
      return target ? `${before}${addressOf(target)}"` : whole;
    });
    return { html: withRecordings(withPictures(html.replace(/<h1 id="([^"]*)"[^]*?<\/h1>/, '<a id="$1"></a>'))), metadata };
  };
}
