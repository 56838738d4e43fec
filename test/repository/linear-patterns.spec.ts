import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText, ROOT } from './project-files';

/** Each pattern is quadratic or worse on a run of one character. */
const SLOW = [
  'export const end = /[.,;:!?)]+$/;',
  'export const lines = (text: string) => text.split(/\\s*\\n\\s*/);',
  'export const tag = /<(a+)+>/;',
  'export const made = (text: string) => text.replace(new RegExp("-+$"), "");',
  'const DASHES = "-+"; export const joined = new RegExp(`${DASHES}$`);',
  'const WORD = /\\w+;/; export const copied = RegExp(WORD.source);',
  'export const raw = new RegExp(String.raw`\\s+$`);',
  'export const partly = (name: string) => new RegExp(`${name}|=+$`);',
];
const FAST = [
  'export const end = /(?<![.,;:!?)])[.,;:!?)]+$/;',
  'export const address = /https?:\\/\\/[^\\s<>"]+/g;',
  'export const item = /[\\t ]*(?:"[^"]*")?(,|$)/y; export const copy = () => new RegExp(item);',
  'export const cookie = (name: string) => new RegExp(`(?:^|;\\\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`);',
  'export const short = /\\.(?![^[]{0,256}\\])/;',
];

interface Report {
  diagnostics: { filename: string; code: string }[];
}

describe('the lint rule against slow patterns on stored texts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'uptime-patterns-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('reports each quadratic or exponential form, literal or assembled, and no linear one', () => {
    const config = join(folder, 'oxlint.json');
    const rules = { 'uptime/linear-patterns': 'error' };
    const jsPlugins = [join(ROOT, 'scripts/lint/plugin.mjs')];
    writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, jsPlugins, rules }));
    for (const [index, text] of SLOW.entries()) writeFileSync(join(folder, `slow${index}.ts`), text);
    for (const [index, text] of FAST.entries()) writeFileSync(join(folder, `fast${index}.ts`), text);
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-c', config, '-f', 'json', folder], {
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as Report;
    const found = new Set(diagnostics.map(({ filename }) => filename.slice(folder.length + 1)));
    expect([...found].sort()).toEqual(SLOW.map((_, index) => `slow${index}.ts`));
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['uptime(linear-patterns)']));
  });

  it('holds for all code that the service, its packages, or its pages run', () => {
    const { overrides } = JSON.parse(readText('.oxlintrc.json')) as {
      overrides: { files: string[]; rules: Record<string, string> }[];
    };
    const files = overrides.flatMap(({ files: covered, rules }) =>
      rules['uptime/linear-patterns'] === 'error' ? covered : [],
    );
    expect(files).toEqual(expect.arrayContaining(['src/**', 'packages/**', 'web/src/**', 'web/reference/**']));
  });
});
