/** A range with inclusive bounds. */
export type NumberRange = readonly [from: number, to: number];

/** Parses a list such as "200-299,301". Returns `null` if the text isn't such a list, or a range is reversed. */
export function parseRanges(text: string): NumberRange[] | null {
  const ranges = text.split(',').map(parseRange);
  return ranges.every((range) => range !== null) ? ranges : null;
}

export const holdsNumber = (ranges: readonly NumberRange[], value: number): boolean =>
  ranges.some(([from, to]) => from <= value && value <= to);

function parseRange(text: string): NumberRange | null {
  const parts = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(text);
  if (!parts) return null;
  const from = Number(parts[1]);
  const to = parts[2] === undefined ? from : Number(parts[2]);
  return from <= to ? [from, to] : null;
}
