/** @lane slow */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './project-files';

/** One text for each area, each with one word of the list. */
const FILES: Readonly<Record<string, string>> = {
  'docs/page.md': '# Title\n\nThe admin is told.\n\nWhat it does is clear.\n\nRun `npm run beside`.\n',
  'docs/decisions/0001-one.md': 'It stands in the file.\n',
  'CHANGELOG.md': 'Meanwhile it changed.\n',
  '.env.example': '# Whoever runs it\n# may change this.\nPORT=3000\n',
  'src/thing.ts': [
    '/** Of the others it takes the first. */',
    'export const first = 1;',
    '// Somebody may ask twice,',
    '// and again.',
    "const text = 'The name must not be told';",
    "const sql = 'SELECT told FROM beside';",
    "logger.warn('Nothing was told');",
    "const field = { description: 'The id of what was told', help: 'Deliveries that are told' };",
    "const word = 'told';",
    '// prose: the standard uses this word',
    "const quoted = 'MUST be told to all';",
    '// prose: ok',
    "const unexplained = 'MUST be told to all';",
  ].join('\n'),
  'src/thing.spec.ts': "it('is told by name', () => expect('told twice').toBe(1));\n",
  'web/src/page.tsx': 'export const page = () => <p title="It goes on">Nobody was <b>told</b></p>;\n',
  'packages/cli/command.ts': "program.description('begins a new check');\n",
};

describe('the prose linter', () => {
  let folder: string;
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [join(ROOT, 'scripts/prose/lint.mjs'), ...args], { cwd: folder, encoding: 'utf8' });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-prose-'));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds a retired phrase in every kind of text, and leaves code, SQL, and single words alone', () => {
    const found = run('--list')
      .trim()
      .split('\n')
      .map((line) => line.replace(/: \[(\S+)\] ([^:]+):.*/, ' $1 $2'));
    expect(found.sort()).toEqual(
      [
        '.env.example:1 env whoever',
        'CHANGELOG.md:1 changelog meanwhile',
        'docs/decisions/0001-one.md:1 decisions stand',
        'docs/page.md:3 docs told',
        'docs/page.md:5 docs starts with What',
        'packages/cli/command.ts:1 cli begin',
        'src/thing.spec.ts:1 titles told',
        'src/thing.ts:13 messages told',
        'src/thing.ts:1 docstrings starts with Of',
        'src/thing.ts:3 comments somebody',
        'src/thing.ts:5 messages told',
        'src/thing.ts:7 logs told',
        'src/thing.ts:8 api told',
        'src/thing.ts:8 metrics told',
        'web/src/page.tsx:1 ui go on',
        'web/src/page.tsx:1 ui somebody',
      ].sort(),
    );
  });

  it('fails if an area has more hits than its budget', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/prose/lint.mjs')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, expect.stringContaining('1 hits in changelog, and the budget is 0')]);
  });
});
