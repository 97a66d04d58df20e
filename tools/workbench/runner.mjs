// A worker that runs programs for the engine, one at a time. With `isHeard`, it posts the program's output before the program ends.

import { run } from "./host.mjs";

self.onmessage = ({ data: { main, side, options, isHeard } }) => {
  const hear = isHeard ? (text, isError) => self.postMessage({ heard: [text, isError] }) : undefined;
  self.postMessage(run(main, side, { ...options, hear }));
};
