import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { look, type Read, readAgain, type Shown, store, type Stored } from './installation';
import { addTeamMigration, makeNextVersion } from './next-version';
import { type Step, stepsOf } from './page';
import { type Ended, Reader } from './walk';

const ROOT = resolve(__dirname, '../..');
const STEPS = stepsOf(readFileSync(join(ROOT, 'docs/guides/extend/extending.md'), 'utf8'));
const UPGRADE = 'The next version';

/** Commands with their output on the page. */
export type Commands = Extract<Step, { kind: 'commands' }>;

/** The steps after the first passing test, to which the script leads. */
const REST = STEPS.slice(STEPS.findIndex((step) => step.kind === 'commands' && step.lines.includes('npm test')) + 1);

/** The shell commands after the first passing test. */
export const COMMANDS = REST.filter((step): step is Commands => step.kind === 'commands');

/**
 * The results of a team's use of the package: from the empty folder over the next version to a day without the
 * extension.
 */
export interface TeamLife {
  readonly firstGreenTest: Ended;
  readonly ended: ReadonlyMap<Step, Ended>;
  /** In the order of the page: with `EXTENSIONS`, with its own main, and the next version. */
  readonly shown: readonly Shown[];
  readonly nextVersion: string;
  readonly installed: string;
  readonly before: Read;
  readonly upgraded: Read;
  readonly second: Ended;
  readonly without: Read & { readonly log: string };
  readonly back: Read;
  /** Two processes of the next version, started at once on an empty PostgreSQL, or `null` without PostgreSQL. */
  readonly together: readonly Ended[] | null;
}

/** Runs all steps in folders outside the project, which are removed at the end. */
export async function liveAsTeam(): Promise<TeamLife> {
  const home = mkdtempSync(join(tmpdir(), 'uptime-team-'));
  const folder = join(home, 'acme');
  mkdirSync(folder);
  const firstGreenTest = script('scripts/first-green-test.mjs', '--in', folder);
  const reader = await Reader.in(folder, ROOT);
  try {
    return { firstGreenTest, ...(await goOn(reader, join(home, 'next'))) };
  } finally {
    await reader.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function goOn(reader: Reader, next: string): Promise<Omit<TeamLife, 'firstGreenTest'>> {
  const ended = new Map<Step, Ended>();
  const shown: Shown[] = [];
  let life: { stored: Stored; before: Read } | null = null;
  let nextVersion = '';
  for (const step of REST) {
    if (step.heading === UPGRADE && nextVersion === '') {
      life = await begin(reader);
      nextVersion = makeNextVersion(newestTarball(reader.folder), next);
      reader.checkout = next;
      addTeamMigration(reader.folder);
    }
    const done = await reader.carryOut(step);
    ended.set(step, done);
    if (step.kind === 'file' || !step.serves) continue;
    if (done.code !== 0) throw new Error(failures(ended));
    shown.push(await look(reader.url, reader.log));
  }
  if (life === null) throw new Error(`The page has no part "${UPGRADE}"`);
  const installed = readFileSync(join(reader.folder, 'node_modules/uptime-monitor/package.json'), 'utf8');
  const upgraded = await readAgain(reader.url, life.stored);
  return {
    ended,
    shown,
    nextVersion,
    installed,
    before: life.before,
    upgraded,
    ...(await leaveAndReturn(reader, life.stored)),
  };
}

/** Returns the failed commands with their output, because a service that does not start may be the result of one. */
const failures = (ended: ReadonlyMap<Step, Ended>): string =>
  [...ended]
    .flatMap(([step, { code, output }]) =>
      step.kind === 'commands' && code !== 0 ? [`${step.lines}ended with ${code}:\n${output}`] : [],
    )
    .join('\n\n');

async function begin(reader: Reader): Promise<{ stored: Stored; before: Read }> {
  // Nothing listens there, because no notification is expected.
  const stored = await store(reader.url, 'http://127.0.0.1:9');
  return { stored, before: await readAgain(reader.url, stored) };
}

async function startTwoAtOnce({ folder, checkout }: Reader): Promise<readonly Ended[] | null> {
  if (findPostgres() === null) return null;
  const cluster = await PostgresCluster.start();
  const twins = await Promise.all([Reader.in(folder, checkout), Reader.in(folder, checkout)]);
  const settings = `DATABASE_URL='${cluster.url}' BOOTSTRAP_API_KEY=first-key-of-acme-0123456789 EXTENSIONS=./dist/index.js`;
  try {
    return await Promise.all(twins.map((twin) => twin.serve(`${settings} npx uptime-monitor`)));
  } finally {
    await Promise.all(twins.map((twin) => twin.stop()));
    await cluster.remove();
  }
}

async function leaveAndReturn(
  reader: Reader,
  stored: Stored,
): Promise<Pick<TeamLife, 'second' | 'without' | 'back' | 'together'>> {
  const second = await reader.run('PORT=0 EXTENSIONS=./dist/index.js npx uptime-monitor');
  await reader.serve('npx uptime-monitor');
  const without = { ...(await readAgain(reader.url, stored)), log: reader.log };
  await reader.serve('EXTENSIONS=./dist/index.js npx uptime-monitor');
  const back = await readAgain(reader.url, stored);
  await reader.stop();
  return { second, without, back, together: await startTwoAtOnce(reader) };
}

const newestTarball = (folder: string): string =>
  join(folder, 'vendor', readFileSync(join(folder, 'vendor/newest'), 'utf8').trim());

function script(...words: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  return { code: status, output: `${stdout}${stderr}` };
}
