/** @lane slow */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { BreakingProxy } from './breaking-proxy';
import { breaksWith, FOUND, UNBROKEN } from './broken-by-a-proxy';

const ROOT = join(__dirname, '../../..');

/** The result of a Jest run in the format of `--json` (https://jestjs.io/docs/cli#--json). */
interface Outcome {
  testResults: {
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const nameOf = (broken: string, test: string): string => `a proxy that ${broken} ${test}`;
const NAMES = FOUND.flatMap(([broken, by]) => [nameOf(broken, by), nameOf(UNBROKEN, by)]);

const CONFIG = {
  rootDir: ROOT,
  roots: ['<rootDir>/packages/testing', '<rootDir>/test/e2e/kit'],
  testMatch: ['<rootDir>/test/e2e/kit/broken-by-a-proxy.suite.ts'],
  testEnvironment: '<rootDir>/scripts/jest/environment.cjs',
  transform: { '\\.ts$': '<rootDir>/scripts/jest/transformer.cjs' },
};

/** A test that failed in an expectation has found something. A test that could not even start has not. */
const whatOf = (status: string, messages: readonly string[]): string =>
  status !== 'failed' || messages.every((message) => message.includes('expect(')) ? status : messages.join('\n');

/** Runs the tests with these names in a separate Jest, as other projects would. Returns the result of each. */
async function outcomesOf(given: object): Promise<Map<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), 'uptime-contract-'));
  const file = join(directory, 'outcome.json');
  const chosen = [...new Set(NAMES)].map(escaped).join('|');
  const args = ['--config', JSON.stringify(CONFIG), '--json', '--outputFile', file, '-i', '-t', `^(${chosen})$`];
  const env = { ...process.env, BROKEN_SERVICE: JSON.stringify(given) };
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  // The tests are expected to fail, so the exit code does not matter.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [jest, ...args], { cwd: ROOT, env, maxBuffer: 64 << 20 }, () => resolve());
  });
  const { testResults } = JSON.parse(await readFile(file, 'utf8')) as Outcome;
  await rm(directory, { recursive: true });
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return new Map(all.map(({ fullName, status, failureMessages }) => [fullName, whatOf(status, failureMessages)]));
}

describe('the public contract, proved through a proxy', () => {
  let app: TestApp;
  let proxy: BreakingProxy;
  let outcomes: Map<string, string>;
  beforeAll(async () => {
    app = await startOwnApp();
    const { admin, write, read, operator } = app;
    proxy = await BreakingProxy.start(app.url, breaksWith(write.key ?? ''));
    const urls = Object.fromEntries(
      [UNBROKEN, ...FOUND.map(([broken]) => broken)].map((name) => [name, proxy.url(name)]),
    );
    const keys = { admin: admin.key, write: write.key, read: read.key, operator: operator.key };
    outcomes = await outcomesOf({ urls, keys });
  }, 300_000);
  afterAll(async () => {
    await proxy.stop();
    await app.close();
  });

  it.each(FOUND)('which %s, fails with the test "%s"', (broken, by) => {
    expect(outcomes.get(nameOf(broken, by))).toBe('failed');
  });

  it.each([...new Set(FOUND.map(([, by]) => by))])('which breaks nothing, passes with the test "%s"', (by) => {
    expect(outcomes.get(nameOf(UNBROKEN, by))).toBe('passed');
  });

  it('leaves no data behind, no matter what is broken and what fails', async () => {
    const lists = ['/websites', '/endpoints', '/alerts', '/contacts', '/maintenance-windows', '/status-pages'];
    const left = [];
    for (const path of lists) left.push([path, (await app.admin.get(path)).body]);
    expect(left).toEqual(lists.map((path) => [path, []]));
  });
});
