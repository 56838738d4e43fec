import { generate } from 'lean-qr';

/** White around the code, which scanners need: ISO 18004 asks for four modules. */
const QUIET = 4;

/** A QR code as a path of an SVG with this width and height, one unit for each module. */
export function qrPath(text: string): { size: number; path: string } {
  const code = generate(text);
  const rows: string[] = [];
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) rows.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  return { size: code.size + 2 * QUIET, path: rows.join('') };
}
