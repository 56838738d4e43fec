import { resolve } from 'node:path';
import { buildService } from '../harness/processes/service-process';
import { ATTACKS, COMPARISON } from './attacks/attacks';
import { type Attack, type Measured, play } from './scene';

/**
 * Plays every attack against each version and prints what the victim felt as a Markdown table. `name=folder` adds a
 * version whose `dist` is in that folder (`now=.` is what there is without one); other words choose attacks by name.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const named = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  const versions = named.length > 0 ? named : [['now', '.']];
  const wanted = words.filter((word) => !word.includes('='));
  if (versions.some(([, folder]) => folder === '.')) buildService();
  console.log(
    '| Attack | Version | Slots missed | Alert after | p50 / p99 / failed reads | Memory | Live | The attacker |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const attack of [...COMPARISON, ...ATTACKS]) {
    if (wanted.length > 0 && !wanted.some((word) => attack.name.includes(word))) continue;
    for (const [version = '', folder = '.'] of versions) await row(attack, version, resolve(folder));
  }
}

async function row(attack: Attack, version: string, folder: string): Promise<void> {
  const cells = await play(attack, folder).then(cellsOf, (error: unknown) => [
    `could not be played: ${String(error).slice(0, 200)}`,
  ]);
  console.log(`| ${[attack.name, version, ...cells].join(' | ')} |`);
}

const cellsOf = (seen: Measured): string[] => [
  `${seen.missed} of ${seen.due}`,
  seen.alertMs === null ? 'none in 60 s' : `${(seen.alertMs / 1000).toFixed(1)} s`,
  `${Math.round(seen.p50)} / ${Math.round(seen.p99)} ms / ${seen.failedReads}`,
  `${seen.memoryMb} MB`,
  seen.stayedLive ? 'yes' : 'no',
  seen.effect.text,
];

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
