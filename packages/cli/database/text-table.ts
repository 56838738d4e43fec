import { cut } from '../../../src/platform/text/text-limits';

export type Column<Row> = readonly [title: string, text: (row: Row) => string];

export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, text]) => text(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** Replaces control characters. Names come from clients and must not be able to control the terminal. */
export const printable = (text: string, most = 40): string =>
  cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·'), most, '');
