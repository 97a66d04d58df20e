/// Compressed code in an address, `#code=…`, so that it can be passed on without a server. Also runs in Node.

const MOST_OF_LINK = 16000, MOST_OF_CODE = 1 << 20; // characters; bytes

async function through(stream, bytes, most) {
  const parts = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) throw Error("too long");
    parts.push(value);
  }
}

/// The address of a page with this code. Throws an Error with a one-line message if the address would be too long.
export async function linkTo(address, code) {
  const bytes = await through(new CompressionStream("deflate"), new TextEncoder().encode(code), Infinity);
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (text.length > MOST_OF_LINK) throw Error("This program is too long for a link, which chats and mail would truncate: share the file instead.");
  return `${address}#code=${text}`;
}

/// The code in an address; undefined if there is none. Throws an Error with a one-line message if the code is damaged.
export async function codeOf(address) {
  const [, text] = /#code=(.*)$/s.exec(address) ?? [];
  if (text === undefined) return undefined;
  try {
    if (text.length > MOST_OF_LINK) throw Error("too long");
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate"), bytes, MOST_OF_CODE));
  } catch {
    throw Error("The code in this link is damaged or was cut off: ask for the link again, or for the file.");
  }
}
