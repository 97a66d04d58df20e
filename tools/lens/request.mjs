// Draws the costliest request of an access (margin.py) over sectors or banks, and as a table. The page sets --heat, a colour.

const CELL = { stroke: "currentColor", "stroke-opacity": 0.25, fill: "none" }, ROW = 8, LEFT = 60, TOP = 16;

function drawing(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/// The positions of the lanes' bytes: the number of columns and, for each lane, its parts of columns as [column, first, last], where
/// first and last are from 0 to 1 within the column.
export function columnsOf({ space, bytes, lanes }) {
  if (space === "shared") {
    const words = Array.from({ length: Math.max(1, bytes / 4) }, (_, k) => k);
    return { count: 32, parts: lanes.map(([, address]) => words.map((k) => [(Math.floor(address / 4) + k) % 32, 0, 1])) };
  }
  const first = ([, address]) => Math.floor(address / 32), last = ([, address]) => Math.floor((address + bytes - 1) / 32);
  const sectors = [...new Set(lanes.flatMap((lane) => Array.from({ length: last(lane) - first(lane) + 1 }, (_, k) => first(lane) + k)))].sort((a, b) => a - b);
  const within = (sector, byte) => Math.min(Math.max(byte / 32 - sector, 0), 1);
  return { count: sectors.length, parts: lanes.map((lane) => sectors.flatMap((sector, column) =>
    sector < first(lane) || sector > last(lane) ? [] : [[column, within(sector, lane[1]), within(sector, lane[1] + bytes)]])) };
}

function svg(access) {
  const { count, parts } = columnsOf(access), width = Math.max(14, Math.min(20, 640 / count));
  const image = drawing("svg", { width: LEFT + count * width, height: TOP + ROW * parts.length + 1, role: "img", "aria-label": access.words });
  const text = (x, y, words) => image.append(drawing("text", { x, y, fill: "currentColor", "font-size": 10, "font-family": "monospace" }, words));
  for (let c = 0; c < count; ++c)
    if (access.space === "shared" || count < 9 || c % 4 === 0) text(LEFT + c * width, 10, c);
  parts.forEach((of, k) => {
    const y = TOP + k * ROW;
    if (k % 4 === 0) text(0, y + ROW, `lane ${access.lanes[k][0]}`);
    for (let c = 0; c < count; ++c) image.append(drawing("rect", { ...CELL, x: LEFT + c * width, y, width, height: ROW }));
    for (const [column, begin, end] of of)
      image.append(drawing("rect", { fill: "var(--heat)", x: LEFT + (column + begin) * width, y, width: Math.max(1.5, (end - begin) * width), height: ROW }));
  });
  return image;
}

function table({ space, lanes }) {
  const result = document.createElement("table");
  const row = (tag, cells) => {
    const line = result.insertRow();
    for (const cell of cells) line.append(Object.assign(document.createElement(tag), { textContent: cell }));
  };
  const isShared = space === "shared";
  row("th", ["lane", "byte", ...(isShared ? ["word", "bank"] : ["sector", "byte of it"])]);
  for (const [lane, address] of lanes)
    row("td", [lane, address, ...(isShared ? [Math.floor(address / 4), Math.floor(address / 4) % 32] : [Math.floor(address / 32), address % 32])]);
  return result;
}

/// The elements for an access: its drawing, which may be wide, and a table with the same content, initially closed.
export function picture(access) {
  const details = document.createElement("details"), wide = document.createElement("div");
  details.append(Object.assign(document.createElement("summary"), { textContent: "as a table" }), table(access));
  Object.assign(wide, { className: "wide", tabIndex: 0 });
  wide.append(svg(access));
  return [wide, details];
}
