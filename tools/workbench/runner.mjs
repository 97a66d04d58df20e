// A worker that runs programs for the engine, one at a time.

import { run } from "./host.mjs";

self.onmessage = ({ data: { main, side, options } }) => self.postMessage(run(main, side, options));
