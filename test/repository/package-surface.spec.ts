/** @lane slow */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askScript, readText, ROOT } from './project-files';

describe("the committed reports of the package's exports", () => {
  let declarations: string;
  let first: { status: number | null; said: string };

  const check = () => {
    const args = ['scripts/package-surface.mjs', '--check', '--declarations', declarations];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };

  beforeAll(() => {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    declarations = mkdtempSync(join(ROOT, '.cache', 'surface-'));
    first = check();
  });
  afterAll(() => rmSync(declarations, { recursive: true, force: true }));

  it('list all that the sources export: otherwise `npm run exports` writes them again', () => {
    expect(first).toEqual({ status: 0, said: '' });
  });

  it('stop the build when an export is removed and a signature changed', () => {
    const alter = (file: string, from: RegExp, to: string): void => {
      const path = join(declarations, file);
      const text = readFileSync(path, 'utf8');
      expect(text).toMatch(from);
      writeFileSync(path, text.replace(from, to));
    };
    alter('exports/checker.d.ts', /, parseHostPort\b/, '');
    alter('platform/time/clock.d.ts', /now\(\): Date/, 'now(): number');
    const { status, said } = check();
    expect(status).toBe(1);
    expect(said).toContain('uptime-monitor/checker does not export parseHostPort any more.');
    expect(said).toContain('uptime-monitor/module has other signatures: Clock.');
    expect(said).toContain('npm run exports');
  });
});

describe('two reports of one import path, compared', () => {
  const committed = readText('docs/exports/checker.api.md');
  const differences = (current: string): unknown =>
    askScript(
      'exports/compare.mjs',
      `it.differences('the path', ${JSON.stringify(committed)}, ${JSON.stringify(current)})`,
    );
  const altered = (from: string, to: string): string => {
    expect(committed).toContain(from);
    return committed.replace(from, to);
  };

  it.each([
    [
      'a removed export',
      'export function parseHostPort',
      'function parseHostPort',
      'does not export parseHostPort any',
    ],
    [
      'another parameter',
      'parseHostPort(url: string',
      'parseHostPort(url: URL',
      'has other signatures: parseHostPort.',
    ],
    ['a removed member', '  readonly targetForm: string;\n', '', 'has other signatures: Checker.'],
    [
      'another mentioned type',
      'class TrustedRoots {\n',
      'class TrustedRoots {\n  more(): void;\n',
      'mentions types that are not as they were: TrustedRoots.',
    ],
    ['an added export', '\ntype WaitingPhase', '\nexport type WaitingPhase', 'exports in addition: WaitingPhase.'],
    [
      'another foreign type',
      "{ Socket } from 'node:net'",
      "{ Socket } from 'node:tls'",
      'imports other types of other packages.',
    ],
  ])('report %s', (_what, from, to, words) => {
    expect(differences(altered(from, to))).toEqual([expect.stringContaining(`the path ${words}`)]);
  });

  it('report a path that is no longer exported', () => {
    expect(differences('')).toEqual(['the path is not exported any more.']);
  });

  it('report a command and an export without types that were removed', () => {
    const overview = readText('docs/exports/README.md');
    const without = overview.replace(/^\| (command uptime|uptime-monitor\/openapi.json) .*\n/gm, '');
    const program = `it.rowDifferences(${JSON.stringify(overview)}, ${JSON.stringify(without)})`;
    expect(askScript('exports/compare.mjs', program)).toEqual([
      expect.stringContaining('does not say any more: uptime-monitor/openapi.json'),
      expect.stringContaining('does not say any more: command uptime '),
    ]);
  });
});
