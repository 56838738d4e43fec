import { resolve } from 'node:path';
import { buildService } from '../harness/processes/service-process';
import { ATTACKS, COMPARISON } from './attacks/attacks';
import { HEAD, lineOf } from './line';
import { type Attack, play } from './scene';

/**
 * Runs every attack against each version and prints the effect on the victim as a Markdown table. `name=folder` adds
 * a version whose `dist` is in that folder (by default, `now=.`). Other words select attacks by name.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const named = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  const versions = named.length > 0 ? named : [['now', '.']];
  const wanted = words.filter((word) => !word.includes('='));
  if (versions.some(([, folder]) => folder === '.')) buildService();
  for (const line of HEAD) console.log(line);
  for (const attack of [...COMPARISON, ...ATTACKS]) {
    if (wanted.length > 0 && !wanted.some((word) => attack.name.includes(word))) continue;
    for (const [version = '', folder = '.'] of versions) await row(attack, version, resolve(folder));
  }
}

async function row(attack: Attack, version: string, folder: string): Promise<void> {
  const seen = await play(attack, folder).catch((error: unknown) => String(error).slice(0, 200));
  console.log(lineOf(attack, version, seen));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
