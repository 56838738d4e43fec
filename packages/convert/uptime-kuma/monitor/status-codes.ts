import { parseRanges, type NumberRange } from '../../../../src/checker/assertion/number-ranges';
import { cut } from '../../../../src/platform/text/text-limits';

/** The range of status codes allowed in an assertion. */
const [LEAST, MOST] = [100, 599];
const MAX_RANGES = 50;

/** The codes and ranges that a monitor accepts, in assertion format. */
export interface AcceptedCodes {
  /** `null` if no response can have this code. */
  target: string | null;
  difference: string | null;
}

/** The codes that both monitors and endpoints accept by default. */
export const USUAL_CODES = '200-299';

/** Parses `["200-299", "301"]` and merges overlapping ranges. */
export function acceptedCodes(codes: readonly unknown[]): AcceptedCodes {
  const read = codes.map((code) => ({ code: String(code), ranges: parseRanges(String(code)) }));
  const ranges = read.flatMap((one) => one.ranges ?? []);
  const unread = read.filter((one) => one.ranges === null).map(({ code }) => `"${cut(code, 20, '')}"`);
  const merged = mergedRanges(ranges);
  const isCut = ranges.some(([from, to]) => from < LEAST || to > MOST) || merged.length > MAX_RANGES;
  const differences = [
    ...(unread.length > 0 ? [`the status codes ${unread.slice(0, 5).join(', ')} cannot be read and are left out`] : []),
    ...(isCut ? [`status codes are only compared from ${LEAST} to ${MOST}, in at most ${MAX_RANGES} ranges`] : []),
  ];
  return {
    target: merged.length === 0 ? null : merged.slice(0, MAX_RANGES).map(rangeText).join(','),
    difference: differences.length === 0 ? null : differences.join('; '),
  };
}

const rangeText = ([from, to]: NumberRange): string => (from === to ? String(from) : `${from}-${to}`);

function mergedRanges(ranges: readonly NumberRange[]): NumberRange[] {
  const merged: [number, number][] = [];
  const inside = ranges
    .map(([from, to]): NumberRange => [Math.max(from, LEAST), Math.min(to, MOST)])
    .filter(([from, to]) => from <= to)
    .toSorted(([a], [b]) => a - b);
  for (const [from, to] of inside) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
