import { cut, oneLine } from '../../../src/platform/text/text-limits';

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, faint: 2 } as const;
export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

export const STATUS_COLOURS: Readonly<Record<string, Colour>> = { up: 'green', down: 'red', degraded: 'yellow' };

/** Uses colors only if the output is a terminal. */
export const painter = (hasColour: boolean): Paint => {
  if (!hasColour) return (_, text) => text;
  return (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;
};

/** Returns untrusted text on one line, cut to `max` characters, so that it can't control the terminal. */
export const shown = (text: string, max = 200): string => cut(oneLine(text), max);

/** Returns a header line and the rows. Columns are as wide as needed. `paint` receives padded cells. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (column: number, cell: string, row: readonly string[]) => string = (_, cell) => cell,
): string[] {
  const widths = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), title.length),
  );
  const last = titles.length - 1;
  const line = (cells: readonly string[], painted: (column: number, cell: string) => string): string =>
    cells
      .map((cell, column) => painted(column, column === last ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(titles, (_, cell) => cell), ...rows.map((row) => line(row, (column, cell) => paint(column, cell, row)))];
}
