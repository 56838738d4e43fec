/** @lane slow */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, readText, ROOT } from '../../repository/project-files';

jest.setTimeout(120_000);

// Only one version of Node is installed. A preloaded file makes it report another version. Syntax that an old version
// could not read would be in a file that is loaded after the version check.
describe('on a Node that is too old', () => {
  let folder: string;
  let preload: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-node-'));
    preload = join(folder, 'older.cjs');
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'version', { value: process.env.SAYS_VERSION || process.version });`,
    );
    execFileSync(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: ROOT });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (version: string, command: string, ...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, words, {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `-r ${preload}`, SAYS_VERSION: version },
    });
    return { status, stdout, stderr };
  };
  const sentence = (version: string) => `Node 20.19 or newer is needed; this is ${version} (${process.execPath}).`;

  it.each([
    ['dist/main.js'],
    ['dist/cli/keys.js'],
    ['dist/cli/uptime.js'],
    ['scripts/build.mjs'],
    ['scripts/test.mjs'],
    ['scripts/demo.mjs'],
  ])('node %s reports it in one sentence and exits with code 1', (script) => {
    const given = run('v18.20.4', process.execPath, script);
    expect(given).toEqual({ status: 1, stdout: '', stderr: `${sentence('18.20.4')}\n` });
  });

  it.each([['start'], ['test']])('npm %s reports it first and without a stack', (script) => {
    const { status, stderr, stdout } = run('v18.20.4', 'npm', script);
    expect([status === 0, stdout + stderr]).toEqual([false, expect.stringContaining(sentence('18.20.4'))]);
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['v20.18.3', 1],
    ['v20.19.0', 0],
    ['v20.20.2', 0],
    ['v22.1.0', 0],
    ['v24.0.0-nightly', 0],
  ])('%s exits with code %i', (version, status) => {
    expect(run(version, process.execPath, 'src/start/node-version.cjs').status).toBe(status);
  });

  it('the version equals the one in package.json, and the check uses syntax that every Node understands', () => {
    const text = readText('src/start/node-version.cjs');
    const { engines } = readJson('package.json') as { engines: { node: string } };
    expect(`>=${/needed = '([\d.]+)'/.exec(text)?.[1]}`).toBe(engines.node);
    expect(text).not.toMatch(/=>|`|\b(const|let|import|class|async)\b|\?\?|\?\./);
    for (const script of ['dist/main.js', 'dist/cli/keys.js', 'dist/cli/uptime.js']) {
      const [, first = ''] = /require\("([^"]+)"\)/.exec(readText(script)) ?? [];
      expect([script, first]).toEqual([script, expect.stringMatching(/\/node-version\.cjs$/)]);
      expect([script, readText(script)]).toEqual([script, expect.not.stringMatching(/\?\?|\?\./)]);
    }
  });
});
