import starlight from "@astrojs/starlight";
import { pluginLineNumbers } from "@expressive-code/plugin-line-numbers";
import { defineConfig, passthroughImageService } from "astro/config";
import { join } from "node:path";
import { improve, linked, versions } from "./improve.mjs";
import { build, parts, slugOf } from "./repository.mjs";

const grammar = {
  name: "cuda", scopeName: "source.cuda", injectTo: ["source.cpp"],
  injectionSelector: "L:source.cpp -comment -string",
  patterns: [{ name: "storage.modifier.cuda", match: "\\b__(global|device|host|shared|constant|managed|launch_bounds|restrict)__\\b|<<<|>>>" },
    { name: "support.function.cuda", match: "\\b(__[a-z]\\w*|atomic[A-Z]\\w*|cuda[A-Z]\\w*|clock64)\\b" },
    { name: "variable.language.cuda", match: "\\b(threadIdx|blockIdx|blockDim|gridDim|warpSize)\\b" },
    { name: "storage.type.cuda", match: "\\b(dim3|(u?(char|short|int)|float|double)[1-4])\\b" }],
};

export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(build, "public"),
  outDir: join(build, "html"),
  cacheDir: join(build, "cache"),
  base: "/COURSE_BASE/",
  build: { format: "file" },
  trailingSlash: "never",
  image: { service: passthroughImageService() },
  markdown: { remarkPlugins: [versions], rehypePlugins: [improve] },
  telemetry: false,
  integrations: [starlight({
    title: "Parallel histogram and reduction",
    disable404Route: true,
    customCss: ["./src/style.css"],
    head: [{ tag: "script", attrs: { src: "/COURSE_BASE/pages.js", defer: true } }],
    sidebar: [...parts.map(({ label, files }) => ({ label, collapsed: /^\d|^Teach/.test(label),
      items: files.map((file, k) => ({ slug: slugOf(file), ...(/^\d/.test(label) && k === 0 && { label: "The chapter" }) })) })),
      { slug: "reference" }, { label: "Write in the browser", link: "/write" }, { label: "Playground", link: "/playground" }],
    expressiveCode: {
      themes: ["github-dark", "github-light"],
      styleOverrides: { borderRadius: "0.4rem", codeFontSize: "0.77rem", lineNumbers: { foreground: ({ theme }) => (theme.type === "dark" ? "#9198a1" : "#59636e") } },
      plugins: [pluginLineNumbers(), linked],
      shiki: { langs: [grammar], langAlias: { cuda: "cpp", cuh: "cpp", console: "sh" } },
      defaultProps: { showLineNumbers: false },
    },
  })],
});
