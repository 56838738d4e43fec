/** @lane slow */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../src/testing/service/api';

// Each call of the command is a process of its own that loads the service's modules.
jest.setTimeout(240_000);

const ROOT = join(__dirname, '../../..');

interface Listed {
  id: string;
  name: string;
  role: string;
  organization: string;
  expires_at: string | null;
}

describe('npm run keys', () => {
  let app: TestApp;
  let isServer: boolean;

  /** The command, from the source; with the settings of the service. */
  const keysOf = (env: Record<string, string>, words: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((settle) => {
      const child = execFile(
        process.execPath,
        ['-r', './scripts/typescript.cjs', 'src/cli/keys.ts', ...words],
        { cwd: ROOT, env: { PATH: process.env['PATH'], ...env } },
        (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
      );
    });
  const keys = (...words: string[]) =>
    keysOf(
      { DATA_DIR: app.config.dataDir, ...(isServer ? { DATABASE_URL: app.config.databaseUrl ?? '' } : {}) },
      words,
    );

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' }, { durable: true });
    isServer = app.config.databaseUrl !== null;
  });
  afterAll(() => app.close());

  it('--help explains every option; mistakes in the command line end with 2', async () => {
    const help = await keysOf({}, ['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const word of ['--role', '--name', '--expires', '--organization', '--json', 'Exit code'])
      expect(help.stdout).toContain(word);
    for (const words of [[], ['make'], ['revoke'], ['create', 'more'], ['list', '--colour']]) {
      const { code, stdout } = await keysOf({ DATA_DIR: '/nowhere' }, words);
      expect([words, code, stdout]).toEqual([words, 2, '']);
    }
  });

  it('makes no database where there is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-keys-'));
    const { code, stderr } = await keysOf({ DATA_DIR: folder }, ['create']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR: .* holds no database\. Set DATA_DIR/)]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('names the process that has the embedded database', async () => {
    if (isServer) return;
    const { code, stderr } = await keys('create');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is in use by process ${process.pid}`)]);
  });

  it('makes an admin key that works, lists it, revokes it, and writes both into the audit log', async () => {
    // On PostgreSQL the service keeps running.
    if (!isServer) await app.stop();
    const created = await keys('create', '--name', 'Lost and found');
    expect([created.code, created.stderr]).toEqual([
      0,
      expect.stringMatching(/^Made key_\w+ \(admin, organization Default, never expires\)/),
    ]);
    expect(created.stdout).toMatch(/^ums_a_\w+\n$/);
    const [id = ''] = /key_\w+/.exec(created.stderr) ?? [];
    const reader = await keys('create', '--role', 'read', '--expires', '2099-01-01', '--json');
    const made = JSON.parse(reader.stdout) as Listed;
    expect(made).toMatchObject({ role: 'read', expires_at: '2099-01-01T00:00:00.000Z', key: expect.any(String) });

    const table = (await keys('list')).stdout.split('\n');
    expect(table[0]).toMatch(/^ID +ROLE +NAME +ORGANIZATION +EXPIRES +LAST USED$/);
    expect(table.find((line) => line.startsWith(id))).toMatch(/ admin +Lost and found +Default +never +never$/);
    const listed = JSON.parse((await keys('list', '--organization', 'Default', '--json')).stdout) as Listed[];
    expect(listed.filter((key) => [id, made.id].includes(key.id)).map(({ role }) => role)).toEqual(['admin', 'read']);

    const revoked = await keys('revoke', made.id);
    expect([revoked.code, revoked.stderr]).toEqual([0, `Revoked ${made.id}.\n`]);
    const again = await keys('revoke', made.id);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has no key')]);

    if (!isServer) await app.restart();
    const found = new Api(app.url, created.stdout.trim());
    const log =
      await found.get<{ action: string; resource_id: string; author: { via: string } }[]>(
        '/audit-log?resource=api_key',
      );
    const entry = (action: string, resource_id: string) =>
      expect.objectContaining({ action, resource_id, author: expect.objectContaining({ via: 'command_line' }) });
    expect([log.status, log.body]).toEqual([
      200,
      expect.arrayContaining([entry('create', id), entry('create', made.id), entry('delete', made.id)]),
    ]);
  });

  it('says what is wrong with an option or an organization', async () => {
    if (!isServer) await app.stop();
    for (const [words, code, text] of [
      [['create', '--role', 'boss'], 2, /^--role must be one of/],
      [['create', '--name', ''], 2, /^--name must/],
      [['create', '--expires', 'tomorrow'], 2, /^--expires must be/],
      [['create', '--expires', '2020-01-01'], 1, /^--expires must be in the future/],
      [['create', '--organization', 'Nobody'], 1, /^There is no organization Nobody\. There are: Default/],
      [['revoke', 'ums_a_not_an_id'], 2, /^the key must be named by its id/],
    ] as const) {
      const { code: ended, stdout, stderr } = await keys(...words);
      expect([words, ended, stdout, stderr]).toEqual([words, code, '', expect.stringMatching(text)]);
    }
    if (!isServer) await app.restart();
  });
});
