/** @lane slow */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { keysAction } from '../../../packages/cli/keys-actions';
import { runKeys } from '../../../packages/cli/keys-command';
import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import { OrganizationService } from '../../../src/identity/organization/organization.service';
import { Api } from '../../../packages/testing/service/api';
import { startOwnApp, type TestApp } from '../../harness/app/app';

// A process of the command loads the service's modules.
jest.setTimeout(240_000);

const ROOT = join(__dirname, '../../..');

interface Listed {
  id: string;
  name: string;
  role: string;
  organization: string;
  expires_at: string | null;
}

// Errors in the command line or the settings are tested in packages/cli/keys-command.spec.ts.
describe('npm run keys', () => {
  let app: TestApp;
  let isServer: boolean;

  /** Runs the command as a separate process from the sources, with the settings of the service. */
  const keys = (...words: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((settle) => {
      const settings = isServer ? { DATABASE_URL: app.config.databaseUrl ?? '' } : {};
      const child = execFile(
        process.execPath,
        ['-r', './scripts/typescript.cjs', 'packages/cli/keys.ts', ...words],
        { cwd: ROOT, env: { PATH: process.env['PATH'], DATA_DIR: app.config.dataDir, ...settings } },
        (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Runs the same command on the services that the running application has already opened. */
  const keysHere = (...words: string[]) => {
    const services = { keys: app.app.get(ApiKeyService), organizations: app.app.get(OrganizationService) };
    return runKeys(
      words,
      () => ({}),
      (request) => keysAction(request)(services),
    );
  };

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' }, { durable: true });
    isServer = app.config.databaseUrl !== null;
  });
  afterAll(() => app.close());

  it('prints a mistake on stderr and exits with code 2; names the process that has the embedded database', async () => {
    const [mistake, create] = await Promise.all([keys('make'), isServer ? null : keys('create')]);
    expect(mistake).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^usage: /) });
    if (create) {
      const inUse = expect.stringContaining(`is in use by process ${process.pid}`);
      expect(create).toEqual({ code: 1, stdout: '', stderr: inUse });
    }
  });

  it('creates a working admin key and revokes another one; the audit log has both', async () => {
    const spare = JSON.parse((await keysHere('create', '--json')).output ?? '') as Listed;
    // On PostgreSQL, the service keeps running.
    if (!isServer) await app.stop();
    const created = await keys('create', '--name', 'Lost and found');
    const revoked = await keys('revoke', spare.id);
    if (!isServer) await app.restart();
    expect([created.code, created.stderr]).toEqual([
      0,
      expect.stringMatching(/^Created key_\w+ \(admin, organization Default, never expires\)/),
    ]);
    expect(created.stdout).toMatch(/^ums_a_\w+\n$/);
    expect(revoked).toEqual({ code: 0, stdout: '', stderr: `Revoked ${spare.id}.\n` });
    const [id] = /key_\w+/.exec(created.stderr) ?? [];

    const found = new Api(app.url, created.stdout.trim());
    const log =
      await found.get<{ action: string; resource_id: string; author: { via: string } }[]>(
        '/audit-log?resource=api_key',
      );
    const entry = (action: string, resource_id: string | undefined) =>
      expect.objectContaining({ action, resource_id, author: expect.objectContaining({ via: 'command_line' }) });
    expect([log.status, log.body]).toEqual([
      200,
      expect.arrayContaining([entry('create', id), entry('delete', spare.id)]),
    ]);
  });

  it('lists the keys that it created, as a table and for programs, and revokes a key once', async () => {
    const { remark = '' } = await keysHere('create', '--name', 'Listed');
    const [id = ''] = /key_\w+/.exec(remark) ?? [];
    const reader = await keysHere('create', '--role', 'read', '--expires', '2099-01-01', '--json');
    const made = JSON.parse(reader.output ?? '') as Listed;
    expect(made).toMatchObject({ role: 'read', expires_at: '2099-01-01T00:00:00.000Z', key: expect.any(String) });

    const table = ((await keysHere('list')).output ?? '').split('\n');
    expect(table[0]).toMatch(/^ID +ROLE +NAME +ORGANIZATION +EXPIRES +LAST USED$/);
    expect(table.find((line) => line.startsWith(id))).toMatch(/ admin +Listed +Default +never +never$/);
    const { output = '' } = await keysHere('list', '--organization', 'Default', '--json');
    const listed = JSON.parse(output) as Listed[];
    expect(listed.filter((key) => [id, made.id].includes(key.id)).map(({ role }) => role)).toEqual(['admin', 'read']);

    expect(await keysHere('revoke', made.id)).toEqual({ exitCode: 0, remark: `Revoked ${made.id}.` });
    const again = { exitCode: 1, remark: `The organization Default has no key ${made.id}. Use ls to show all keys.` };
    expect(await keysHere('revoke', made.id)).toEqual(again);
  });

  it.each([
    [['create', '--expires', '2020-01-01'], /^--expires must be in the future/],
    [
      ['create', '--organization', 'Nobody'],
      /^No organization has the name or ID Nobody\. The organizations are: Default/,
    ],
  ])('%j exits with code 1 and explains why', async (words, text) => {
    expect(await keysHere(...words)).toEqual({ exitCode: 1, remark: expect.stringMatching(text) });
  });
});
