import type { Attack, Measured } from './scene';

/** The head of the table of all attacks, as Markdown. */
export const HEAD = [
  '| Attack | Version | Slots missed | Alert after | p99, failed reads | CPU in one piece | Memory, added | Live | The attacker |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

/** Its line of an attack: what was measured, or why it could not be. */
export function lineOf({ name }: Pick<Attack, 'name'>, version: string, seen: Measured | string): string {
  const cells = typeof seen === 'string' ? [`could not be played: ${seen}`] : cellsOf(seen);
  return `| ${[name, version, ...cells].join(' | ')} |`;
}

const cellsOf = (seen: Measured): string[] => [
  `${seen.missed} of ${seen.due}`,
  seen.alertMs === null ? 'none in 60 s' : `${(seen.alertMs / 1000).toFixed(1)} s`,
  `${Math.round(seen.p99)} ms, ${seen.failedReads}`,
  `${seen.pieceMs} ms`,
  `${seen.memoryMb} MB, ${seen.addedMb}`,
  seen.stayedLive ? 'yes' : 'no',
  seen.effect.text,
];
