// A worker that runs programs for the engine, one at a time. If its output is listened to, texts arrive before the program ends.

import { run } from "./host.mjs";

self.onmessage = ({ data: { main, side, options, isHeard } }) => {
  const hear = isHeard ? (text, isError) => self.postMessage({ heard: [text, isError] }) : undefined;
  self.postMessage(run(main, side, { ...options, hear }));
};
