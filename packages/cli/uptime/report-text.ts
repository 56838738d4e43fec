import type { Input } from './input';
import { type Colour, type Paint, shown } from './style';

export interface ReportEntry {
  at: string;
  name: string;
  result: string;
  why: string | null;
}

const RESULT_COLOURS: Readonly<Record<string, Colour>> = { mapped: 'green', approximated: 'yellow', skipped: 'red' };
/** The number of resources listed for a shared reason. */
const MOST_NAMES = 5;

/** Returns one line for each reason why something was lost. Resources that lost nothing are only counted. */
export function reportLines(
  report: readonly ReportEntry[],
  input: Pick<Input, 'name' | 'locate'>,
  paint: Paint,
): string[] {
  const count = (result: string): number => report.filter((entry) => entry.result === result).length;
  const alike = new Map<string, ReportEntry[]>();
  for (const entry of report) {
    if (entry.why === null) continue;
    const key = `${entry.result} ${entry.why}`;
    const known = alike.get(key);
    if (known) known.push(entry);
    else alike.set(key, [entry]);
  }
  const lines = [...alike.values()].map((entries) => lineOf(entries, input, paint));
  return [...lines, `${count('mapped')} mapped, ${count('approximated')} approximated, ${count('skipped')} skipped.`];
}

function lineOf(entries: readonly ReportEntry[], input: Pick<Input, 'name' | 'locate'>, paint: Paint): string {
  const [{ result, why } = { result: '', why: '' }] = entries;
  const named = entries.slice(0, entries.length > MOST_NAMES ? MOST_NAMES - 1 : MOST_NAMES);
  const more = entries.length > named.length ? [`${entries.length - named.length} more`] : [];
  const names = [...named.map(({ name }) => shown(name, 80)), ...more].join(', ');
  const places = [...named.map(({ at }) => placeOf(at, input)), ...more.map(() => '…')].join(', ');
  return `${paint(RESULT_COLOURS[result] ?? 'faint', result.padEnd(12))}  ${names}: ${shown(why ?? '', 1000)}  (${places})`;
}

function placeOf(at: string, input: Pick<Input, 'name' | 'locate'>): string {
  const [, line] = /^line (\d+)$/.exec(at) ?? [];
  const found = line === undefined ? null : input.locate(Number(line));
  return found ? `${found.file}:${found.line}` : `${input.name}:${at}`;
}
