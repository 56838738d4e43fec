import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { DISK_KINDS, type DiskKind, playPowerCuts, type PowerCutOrder, type PowerCutReport } from './power-cut-run';

const USAGE =
  'usage: npm run test:power-cut -- [--cut N] [--cut-again N] [--service N] [--not-synchronized N] [--seconds N] [--seed S] [--json]';
const option = (kind: DiskKind): string => kind.replaceAll(' ', '-');
const DEFAULTS: Readonly<Record<DiskKind, string>> = {
  cut: '20',
  'cut again': '5',
  service: '1',
  'not synchronized': '10',
};

function readOrder(): { order: PowerCutOrder; isJson: boolean } {
  const numbers = Object.fromEntries(
    DISK_KINDS.map((kind) => [option(kind), { type: 'string', default: DEFAULTS[kind] } as const]),
  );
  const { values } = parseArgs({
    options: {
      ...numbers,
      seconds: { type: 'string', default: '6' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      json: { type: 'boolean', default: false },
    },
  });
  const number = (name: string): number => {
    const value = Number((values as Record<string, unknown>)[name]);
    if (Number.isInteger(value) && value >= 0) return value;
    console.error(USAGE);
    process.exit(2);
  };
  const disks = Object.fromEntries(DISK_KINDS.map((kind) => [kind, number(option(kind))])) as Record<DiskKind, number>;
  return { order: { seed: number('seed'), seconds: number('seconds'), disks }, isJson: values.json };
}

function show({ moments, facts, disks }: PowerCutReport, say: (line: string) => void): void {
  say(
    `${moments} moments; facts: ${Object.entries(facts)
      .map(([fact, count]) => `${count} ${fact}`)
      .join(', ')}`,
  );
  for (const kind of DISK_KINDS) {
    const examined = disks.filter((disk) => disk.kind === kind);
    const broken = examined.filter(({ wrong }) => wrong.length > 0);
    say(`${kind}: ${examined.length} disks, ${broken.length} broken`);
    if (kind === 'not synchronized') continue;
    for (const { moment, wrong } of broken)
      say(`  moment ${moment}:\n${wrong.map((line) => `    ${line}`).join('\n')}`);
  }
}

async function main(): Promise<number> {
  const { order, isJson } = readOrder();
  const say = (line: string): void => console[isJson ? 'error' : 'log'](line);
  Logger.overrideLogger(false);
  say(`Power cuts, --seed ${order.seed}`);
  const report = await playPowerCuts(order, say);
  show(report, say);
  if (isJson) console.log(JSON.stringify(report));
  const synced = report.disks.filter(({ kind }) => kind !== 'not synchronized');
  const failed = synced.filter(({ wrong }) => wrong.length > 0).length;
  say(`${synced.length - failed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
void main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
