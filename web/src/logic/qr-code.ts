import { generate } from 'lean-qr';

/** The white space around the code. Scanners need four modules (ISO 18004). */
const QUIET = 4;

/** Returns a QR code as an SVG path with its width and height, using one unit per module. */
export function qrPath(text: string): { size: number; path: string } {
  const code = generate(text);
  const rows: string[] = [];
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) rows.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  return { size: code.size + 2 * QUIET, path: rows.join('') };
}
