const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' };

/**
 * Returns the bytes of a text with the escapes `\r`, `\n`, `\t`, `\0`, `\\`, and `\xHH`, or `null` if an escape is
 * invalid. All other characters are encoded as UTF-8.
 */
export function readEscapes(text: string): Buffer | null {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const next = text.indexOf('\\', at);
    parts.push(Buffer.from(next < 0 ? text.slice(at) : text.slice(at, next)));
    if (next < 0) return Buffer.concat(parts);
    const kind = text[next + 1] ?? '';
    const hex = /^[0-9a-f]{2}/i.exec(text.slice(next + 2, next + 4))?.[0];
    if (kind === 'x' && hex !== undefined) parts.push(Buffer.from(hex, 'hex'));
    else if (ESCAPES[kind] === undefined) return null;
    else parts.push(Buffer.from(ESCAPES[kind]));
    at = next + (kind === 'x' ? 4 : 2);
  }
}

/** Returns the bytes of a text that was validated. */
export const bytesOf = (text: string): Buffer => readEscapes(text) ?? Buffer.from(text);
