/** The result of one section of `npm run prove`. */
export interface Proof {
  section: string;
  isGreen: boolean;
  seconds: number;
  /** `null` for a section without tests. */
  counts: Counts | null;
  /** The short hash, and whether there were uncommitted changes. */
  commit: string;
  /** For example, `2026-07-30`. */
  date: string;
}

/** The numbers in the last line of a test run. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const BEGIN = '<!-- proven: written by npm run prove -- --record -->';
const END = '<!-- /proven -->';
const HEAD = ['Section', 'Result', 'Seconds', 'Passed', 'Failed', 'Skipped', 'Commit', 'Date'];
const NOT_YET = 'not yet';

/** Returns the counts at the end of a section's output, or `null` if there are none. */
export function countsIn(output: string): Counts | null {
  const [, passed, failed, skipped] =
    [...output.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)].at(-1) ?? [];
  if (passed === undefined) return null;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

export function proofTable(sections: readonly string[], proofs: readonly Proof[]): string {
  return tableOf(sections, new Map(proofs.map((proof) => [proof.section, cellsOf(proof)])));
}

/**
 * Returns the document with the proofs inserted between its markers. Sections that weren't run keep their last row.
 * Rows of removed sections are dropped.
 */
export function recorded(document: string, sections: readonly string[], proofs: readonly Proof[]): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`there is no place for the record: ${BEGIN} … ${END}`);
  const rows = rowsIn(document.slice(from, to));
  for (const proof of proofs) rows.set(proof.section, cellsOf(proof));
  return `${document.slice(0, from)}${BEGIN}\n\n${tableOf(sections, rows)}\n\n${document.slice(to)}`;
}

function cellsOf({ isGreen, seconds, counts, commit, date }: Proof): string[] {
  const figures = counts ? [counts.passed, counts.failed, counts.skipped].map(String) : ['', '', ''];
  return [isGreen ? 'ok' : '**failed**', String(Math.round(seconds)), ...figures, commit, date];
}

function tableOf(sections: readonly string[], rows: ReadonlyMap<string, readonly string[]>): string {
  const lines = sections.map((section) => [
    section,
    ...(rows.get(section) ?? HEAD.slice(1).map((_, index) => (index === 0 ? NOT_YET : ''))),
  ]);
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowsIn(table: string): Map<string, string[]> {
  const lines = [...table.matchAll(/^\|(.*)\|$/gm)].slice(2);
  const rows = lines.map(([, line = '']) => line.split('|').map((cell) => cell.trim()));
  return new Map(rows.map(([section = '', ...cells]) => [section, cells]));
}
