/** @lane slow */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres';
import { UNFINISHED_RESTORE } from '../../../src/platform/database/embedded/unfinished-restore';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

// Each call of the command is a separate process that compiles it first.
jest.setTimeout(180_000);

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

/** The API resources that were created before the backup. */
const READ = ['/websites', '/alerts', '/api-keys', '/audit-log', '/organization', '/probes'];

/**
 * Values that change: when a key was used, the number of keys, and the bytes that changes added. The harness creates
 * its three keys again at every start. The bytes are written with a delay.
 */
const isMoving = (name: string): boolean => ['last_used_at', 'api_keys', 'changed_bytes_per_day'].includes(name);

describe('a backup', () => {
  let app: TestApp;
  let folder: string;
  let endpointId: string;
  let isServer: boolean;

  const backup = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
    backupOf(app.config.dataDir, words);
  const backupOf = (dataDir: string, words: string[]): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, ['-r', './scripts/typescript.cjs', 'packages/cli/backup.ts', ...words], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: dataDir,
        ...(app.config.databaseUrl === null ? {} : { DATABASE_URL: app.config.databaseUrl }),
      },
    });
  const known = async (api: Api): Promise<Record<string, unknown[]>> => {
    const found: Record<string, unknown[]> = {};
    for (const path of [...READ, `/endpoints/${endpointId}`]) {
      const { text } = await api.get(path);
      found[path] = [JSON.parse(text, (name, value: unknown) => (isMoving(name) ? null : value))].flat();
    }
    return found;
  };
  /** Deletes all data, as a broken disk or a mistake would. */
  const destroy = async (): Promise<void> => {
    if (app.config.databaseUrl === null) return rmSync(app.config.dataDir, { recursive: true });
    const client = new Client({ connectionString: app.config.databaseUrl });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE');
    await client.query('CREATE SCHEMA public');
    await client.end();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-backup-'));
    app = await startOwnApp({ role: 'api' }, { durable: true });
    isServer = app.config.databaseUrl !== null;
    endpointId = await newEndpoint(app.write, await newWebsite(app.write));
    await newAlert(app.write, endpointId);
    await app.admin.post('/probes', { key: 'fra' });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses to back up the embedded database while the service runs', async () => {
    if (isServer) return;
    await expect(backup('save', join(folder, 'running'))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/in use by process \d+/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('restores everything after a complete loss', async () => {
    const file = join(folder, 'all.backup');
    const before = await known(app.admin);
    const { key } = app.admin;
    // On PostgreSQL, the service keeps running during a backup.
    if (isServer) await backup('save', file);
    await app.stop();
    if (!isServer) await backup('save', file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await destroy();
    await backup('restore', file);
    await app.restart();
    const sameKey = new Api(app.url, key);
    const after = await known(sameKey);
    for (const [path, items] of Object.entries(before)) {
      // The harness creates its three keys again at every start.
      const hasMore = path === '/api-keys' || path === '/audit-log';
      expect([path, after[path]]).toEqual([path, hasMore ? expect.arrayContaining(items) : items]);
    }
    expect(await newWebsite(app.write, 'After')).toMatch(/^ws_/);
  });

  it('overwrites neither an existing file with a backup nor existing data with a restore', async () => {
    const file = join(folder, 'kept.backup');
    writeFileSync(file, 'something else');
    await expect(backup('save', file)).rejects.toMatchObject({ stderr: expect.stringContaining('already exists') });
    await app.stop();
    await expect(backup('restore', file)).rejects.toMatchObject({ stderr: expect.stringContaining('is not empty') });
    await app.restart();
    expect((await app.read.get<object[]>('/websites')).body.length).toBeGreaterThan(0);
  });

  it('starts no service on an interrupted restore, and restores it again', async () => {
    if (isServer) return;
    const file = join(folder, 'interrupted.backup');
    const interrupted = join(folder, 'interrupted');
    await app.stop();
    await backup('save', file);
    await backupOf(interrupted, ['restore', file]);
    // A state that a kill or a power cut can leave.
    rmSync(join(interrupted, 'pgdata', 'global'), { recursive: true });
    rmSync(join(interrupted, 'pgdata.ready'));
    writeFileSync(join(interrupted, UNFINISHED_RESTORE), '');
    const start = EmbeddedPostgres.start({ directory: interrupted });
    await expect(start).rejects.toThrow(/its restore was interrupted. Restore the backup again/);
    await backupOf(interrupted, ['restore', file]);
    expect(readdirSync(interrupted).sort()).toEqual(readdirSync(app.config.dataDir).sort());
    const embedded = await EmbeddedPostgres.start({ directory: interrupted });
    await embedded.close();
    await app.restart();
  });

  it('leaves no files behind when a backup or a restore fails', async () => {
    const missing = join(folder, 'no', 'such', 'folder');
    await expect(backup('save', missing)).rejects.toMatchObject({ code: 1 });
    expect(existsSync(missing)).toBe(false);
    await expect(backup('restore', join(folder, 'none'))).rejects.toMatchObject({
      stderr: expect.stringContaining('does not exist'),
    });
    if (!isServer) {
      const noArchive = join(folder, 'no-archive');
      const elsewhere = join(folder, 'elsewhere');
      writeFileSync(noArchive, 'no archive');
      await expect(backupOf(elsewhere, ['restore', noArchive])).rejects.toMatchObject({ code: 1 });
      expect(readdirSync(elsewhere)).toEqual([]);
      await expect(backupOf(elsewhere, ['save', join(folder, 'nothing')])).rejects.toMatchObject({
        stderr: expect.stringContaining('contains no database'),
      });
    }
    await expect(backup('save')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('usage') });
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});
