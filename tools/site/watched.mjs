/// Recorded blocks in pages: `<!-- watch: STEP NAME... -->` in a page's Markdown stands for recordings in docs/results/simulator/watch.
/// The first one is shown after STEP steps. Outside the site, nothing is shown.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./repository.mjs";
import { figure } from "./src/watch/drawing.js";
import { Recording, sourceOf } from "./src/watch/recording.js";

/// A recording by its name, with the source lines of its kernel.
export function input(name) {
  const data = JSON.parse(readFileSync(join(root, "docs/results/simulator/watch", `${name}.json`), "utf8"));
  for (const file of new Set(data.sites.flatMap(({ lines }) => lines.map((line) => line.replace(/:\d+$/, ""))))) {
    const source = sourceOf(data, file, readFileSync(join(root, file), "utf8"));
    if (source) return { name: data.kernel, data, source };
  }
  throw Error(`${name}.json: the source of ${data.kernel} is in none of the files that it names`);
}

export const withRecordings = (html) => html.replace(/<div data-watch="(\d+) ([^"]*)"><\/div>/g, (_, step, names) => {
  const inputs = names.split(" ").map(input), recordings = inputs.map((each) => new Recording(each.data, each.source));
  if (Number(step) > recordings[0].steps.length) throw Error(`watch: ${names} has ${recordings[0].steps.length} steps, not ${step}`);
  return figure(recordings, Number(step), inputs);
});
