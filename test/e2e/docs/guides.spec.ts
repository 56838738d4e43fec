import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startOwnApp, type TestApp } from '../../harness/app/app';

jest.setTimeout(120_000);

const ROOT = resolve(__dirname, '../../..');
const BLOCK = /^[ ]*```(\w+)\n([\s\S]*?)^[ ]*```$/gm;
/** Pages whose examples have their own spec, which also compares what they print. */
const OTHERS = new Set([
  'automate/configuration-as-code.md',
  'migrate/moving-in.md',
  'extend/extending.md',
  'people/people.md',
]);

/** The pages with blocks of `sh`, which work as they are. Blocks of `bash` need something that this machine hasn't. */
const PAGES = readdirSync(join(ROOT, 'docs/guides'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !OTHERS.has(file))
  .filter((file) => /^[ ]*```sh$/m.test(readFileSync(join(ROOT, 'docs/guides', file), 'utf8')))
  .sort();

describe('the examples in the guides', () => {
  let app: TestApp;
  let folder: string;
  let env: Record<string, string>;

  // It checks nothing, because the URLs in the guides don't exist.
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    folder = mkdtempSync(join(tmpdir(), 'uptime-guides-'));
    cpSync(join(ROOT, 'test/fixtures/moving-in'), folder, { recursive: true });
    const words = [process.execPath, '-r', join(ROOT, 'scripts/typescript.cjs'), join(ROOT, 'packages/cli/uptime.ts')];
    writeFileSync(join(folder, 'uptime'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
    chmodSync(join(folder, 'uptime'), 0o755);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.close();
  });

  async function create(path: string, body: object): Promise<string> {
    const response = await fetch(`${app.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.admin.key ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([path, response.status]).toEqual([path, 201]);
    return ((await response.json()) as { id: string }).id;
  }

  /** The resources that a reader has before they start. */
  beforeEach(async () => {
    const website = await create('websites', { name: 'Shop', url: 'https://shop.example.com' });
    const endpoint = (name: string, type: string, url: string) =>
      create(`websites/${website}/endpoints`, { name, type, url });
    env = {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      UPTIME_URL: app.url,
      UPTIME_API_KEY: app.admin.key ?? '',
      WEBSITE: website,
      ENDPOINT: await endpoint('Front page', 'HTTPS', 'https://shop.example.com/'),
      PARENT: await endpoint('Router', 'ICMP', 'icmp://router.example.com'),
      CONTACT: await create('contacts', {
        name: 'Hook',
        type: 'webhook',
        config: { url: 'https://hooks.example.com/uptime' },
      }),
    };
  });

  function run(lines: string): Promise<{ code: number | null; output: string }> {
    return new Promise((settle) => {
      const child = execFile(
        'bash',
        ['--norc', '-euo', 'pipefail', '-c', lines],
        { cwd: folder, env },
        (_, stdout, stderr) => settle({ code: child.exitCode, output: stdout + stderr }),
      );
      child.stdin?.end();
    });
  }

  it('are in most guides', () => {
    expect(PAGES.length).toBeGreaterThan(25);
  });

  it.each(PAGES)('work: %s', async (page) => {
    const blocks = [...readFileSync(join(ROOT, 'docs/guides', page), 'utf8').matchAll(BLOCK)];
    const failed: object[] = [];
    for (const [, language = '', body = ''] of blocks) {
      const [, file] = /^# (\S+\.ya?ml)\n/.exec(body) ?? [];
      if (file !== undefined) writeFileSync(join(folder, file), body);
      if (language !== 'sh') continue;
      const { code, output } = await run(body);
      if (code !== 0) failed.push({ body, code, output });
    }
    expect(failed).toEqual([]);
  });
});
