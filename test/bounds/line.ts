import type { Attack, Measured } from './scene';

/** The head of the table of all attacks, as Markdown. */
export const HEAD = [
  '| Attack | Version | Slots missed | Alert after | p99, failed reads | CPU in one piece | Memory, added | Live | Visits failed; oldest page; slowest sign-in | The attacker |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

/** Returns the line of an attack: the measurements, or the reason why there are none. */
export function lineOf({ name }: Pick<Attack, 'name'>, version: string, seen: Measured | string): string {
  const cells = typeof seen === 'string' ? [`could not be played: ${seen}`] : cellsOf(seen);
  return `| ${[name, version, ...cells].join(' | ')} |`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function visitsOf({ visits }: Measured): string {
  if (!visits) return '';
  const all = [...visits.asked.values()].reduce((sum, count) => sum + count, 0);
  const [first] = visits.failures;
  const example = first === undefined ? '' : ` (${first.replaceAll('|', ' ')})`;
  return `${visits.failures.length} of ${all}${example}; ${seconds(visits.oldestPageMs)}; ${seconds(visits.slowestSignInMs)}`;
}

const cellsOf = (seen: Measured): string[] => [
  `${seen.missed} of ${seen.due}`,
  seen.alertMs === null ? 'none in 60 s' : `${(seen.alertMs / 1000).toFixed(1)} s`,
  `${Math.round(seen.p99)} ms, ${seen.failedReads}`,
  `${seen.pieceMs} ms`,
  `${seen.memoryMb} MB, ${seen.addedMb}`,
  seen.stayedLive ? 'yes' : 'no',
  visitsOf(seen),
  seen.effect.text,
];
