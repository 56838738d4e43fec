/** @lane slow */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { itWith } from '../../repository/project-files';

jest.setTimeout(240_000);

const ROOT = resolve(__dirname, '../../..');
const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
/** Replaces parts that differ on every run with the text in the documents. */
const settled = (text: string): string =>
  text
    .replace(/\b(ws|ep|al|ct|mw)_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_…')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-20T10:00:00.000Z')
    .replace(/\bsince \d{4}-\d\d-\d\d\b/g, 'since 2026-11-20');

/** The folder of a reader who has the command and a key. */
class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'uptime-walk-'));
  private readonly bin = mkdtempSync(join(tmpdir(), 'uptime-bin-'));

  constructor(private readonly env: Record<string, string>) {
    const command = join(this.bin, 'uptime');
    const words = [process.execPath, '-r', join(ROOT, 'scripts/typescript.cjs'), join(ROOT, 'packages/cli/uptime.ts')];
    writeFileSync(command, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
    chmodSync(command, 0o755);
  }

  write(name: string, text: string): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs lines in a shell. Returns the output on both streams and the exit code of the last one. */
  run(lines: string, env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
    return new Promise((settle) => {
      const child = execFile(
        'bash',
        ['-c', `exec 2>&1\n${lines}`],
        { cwd: this.folder, env: { PATH: `${this.bin}:${process.env['PATH']}`, ...this.env, ...env } },
        (_, output) => settle({ code: child.exitCode, output }),
      );
      child.stdin?.end();
    });
  }

  remove(): void {
    for (const folder of [this.folder, this.bin]) rmSync(folder, { recursive: true, force: true });
  }
}

describe('the examples in the docs', () => {
  let app: TestApp;
  let reader: Reader;

  // It checks nothing, because the URLs in the documents don't exist.
  beforeAll(async () => (app = await startOwnApp({ role: 'api' })));
  afterAll(() => app.close());

  beforeEach(async () => {
    const { write } = await app.organization('Shop');
    reader = new Reader({
      UPTIME_URL: app.url,
      UPTIME_API_KEY: write.key ?? '',
      UPTIME_SECRET_SLACK_URL: 'https://hooks.slack.com/services/T0/B0/secret',
    });
    cpSync(join(ROOT, 'test/fixtures/moving-in'), reader.folder, { recursive: true });
  });
  afterEach(() => reader.remove());

  /** Returns the document with the real output of its commands. */
  async function walked(text: string): Promise<string> {
    let shown = '';
    let end = 0;
    let printed: { code: number | null; output: string } | null = null;
    for (const { 0: block, 1: language = '', 2: body = '', index } of text.matchAll(BLOCK)) {
      const [, file] = /^# (\S+\.ya?ml)\n/.exec(body) ?? [];
      if (file !== undefined) reader.write(file, body);
      if (language === 'sh') printed = await reader.run(body);
      const isOutput = language === 'text' && printed !== null;
      shown += text.slice(end, index) + (isOutput ? `\`\`\`text\n${settled(printed?.output ?? '')}\`\`\`` : block);
      end = index + block.length;
      if (isOutput) printed = null;
    }
    return shown + text.slice(end);
  }

  it.each(['docs/guides/automate/configuration-as-code.md', 'docs/guides/migrate/moving-in.md'])(
    '%s: every command prints the output in the docs',
    async (path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const shown = await walked(text);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(ROOT, path), shown);
      else expect(shown).toBe(text);
    },
  );

  itWith('sqlite3', '--version')(
    'docs/guides/migrate/moving-in.md: the tables of Uptime Kuma 2 are read, including empty and missing ones',
    async () => {
      const page = readFileSync(join(ROOT, 'docs/guides/migrate/moving-in.md'), 'utf8');
      const lines = [...page.matchAll(BLOCK)]
        .map(([, , body = '']) => body)
        .find((body) => body.includes('sqlite3 -json'));
      await reader.run(`sqlite3 kuma.db "CREATE TABLE monitor (id, name, type, url, active, interval, timeout);
      INSERT INTO monitor VALUES (1, 'Front ''page''', 'http', 'https://shop.example.com/', 1, 60, 48.0);
      INSERT INTO monitor VALUES (2, 'Job', 'push', NULL, 1, 60, 48.0); CREATE TABLE tag (id, name)"`);
      const { code, output } = await reader.run(`${lines ?? 'false'}cat kuma.yaml`);
      expect([code, output]).toEqual([0, expect.stringMatching(/^approximated +Job: [^]*^ +name: Front 'page'$/m)]);
    },
  );

  it('the pipelines plan, apply, and have nothing to do afterwards', async () => {
    const page = readFileSync(join(ROOT, 'docs/guides/automate/configuration-as-code.md'), 'utf8');
    const files = [...page.matchAll(BLOCK)].flatMap(([, language, body = '']) => (language === 'yaml' ? [body] : []));
    const [document = '', github = '', gitlab = ''] = files;
    reader.write('monitors.yaml', document);
    const { jobs } = parse(github) as { jobs: { monitors: { env: { UPTIME: string }; steps: { run?: string }[] } } };
    const [plan = '', apply = ''] = jobs.monitors.steps.flatMap(({ run }) => run ?? []);
    const { UPTIME } = jobs.monitors.env;
    expect(UPTIME).toMatch(/ node dist\/cli\/uptime\.js$/);
    const ran = [plan, apply, plan].map((line) => () => reader.run(line, { UPTIME: 'uptime' }));
    expect((await inTurn(ran)).map(({ code }) => code)).toEqual([0, 0, 0]);

    const jobsOfGitlab = parse(gitlab) as Record<
      string,
      { script: string[]; allow_failure?: { exit_codes: number[] } }
    >;
    const lines = ['plan', 'apply'].map((name) => jobsOfGitlab[name]?.script[0] ?? '');
    for (const line of lines) expect(line).toMatch(/^node \/app\/dist\/cli\/uptime\.js /);
    const again = lines.map((line) => () => reader.run(line.replace('node /app/dist/cli/uptime.js', 'uptime')));
    expect((await inTurn(again)).map(({ output }) => output)).toEqual(
      Array(2).fill(expect.stringMatching(/^Nothing to do: /)),
    );
    expect(jobsOfGitlab['plan']?.allow_failure).toEqual({ exit_codes: [2] });
  });
});

async function inTurn<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}
