import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';

/** The library that Playwright uses to compare screenshots. */
const { PNG } = createRequire(__filename)('playwright-core/lib/utilsBundle') as {
  PNG: { sync: { read(png: Buffer): { width: number; height: number; data: Buffer } } };
};

const COLORS = 256;

/**
 * Returns a screenshot with a palette of its 256 most frequent colors. It has a third of the size, with no visible
 * difference on pages of flat colors.
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const pixels = Array.from({ length: width * height }, (_, at) => data.readUIntBE(at * 4, 3));
  const used = new Map<number, number>();
  for (const color of pixels) used.set(color, (used.get(color) ?? 0) + 1);
  const palette = [...used.keys()].sort((a, b) => (used.get(b) ?? 0) - (used.get(a) ?? 0)).slice(0, COLORS);
  const indexes = new Map([...used.keys()].map((color) => [color, nearest(palette, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (const [at, color] of pixels.entries())
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(color) ?? 0;
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const channels = (color: number): number[] => [color >> 16, (color >> 8) & 255, color & 255];

function nearest(palette: readonly number[], color: number): number {
  const distances = palette.map((other) => {
    const [from, to] = [channels(color), channels(other)];
    return from.reduce((sum, value, at) => sum + (value - (to[at] ?? 0)) ** 2, 0);
  });
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
