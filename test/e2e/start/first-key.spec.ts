/** @lane slow */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { buildService } from '../../harness/processes/service-process';
import { StartFolder, type StartOptions, type StartProcess, takenPort } from '../../harness/processes/start-process';

jest.setTimeout(180_000);

const statusWith = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/api/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } })).status;

/** Returns the status of signing in with the link of the banner, or 0 without a link. */
async function statusOfLink(banner: string): Promise<number> {
  const [, url, token] = /(http:\S+)\/#\/sign-in\/([\w-]+)/.exec(banner) ?? [];
  if (url === undefined) return 0;
  const body = JSON.stringify({ sign_in_token: token });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/auth/session`, { method: 'POST', headers, body })).status;
}

describe('the first key', () => {
  let folder: StartFolder;

  beforeAll(() => buildService());
  beforeEach(() => {
    folder = new StartFolder();
  });
  afterEach(() => folder.remove());

  const keyFile = () => join(folder.path, 'data', 'bootstrap-api-key');
  const keyInFile = () => readFileSync(keyFile(), 'utf8').trim();
  const killedAt = async (failpoint: string, options: StartOptions = {}): Promise<StartProcess> => {
    const first = folder.launch({ ...options, env: { FAILPOINTS: `${failpoint}=kill` } });
    await first.ended();
    expect(first.said).not.toContain('running at');
    return first;
  };

  it('is not created if the port is taken at the first start', async () => {
    const { port, server } = await takenPort();
    const refused = folder.launch({ env: { PORT: port } });
    expect(await refused.ended()).toBe(1);
    server.close();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('is in its file for its user only, whether the process is killed before or after the database has it', async () => {
    await killedAt('start.before_first_key');
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    const neverStored = keyInFile();
    await killedAt('start.after_first_key');
    const third = folder.launch();
    const url = await third.url();
    expect(third.said).toContain('in the file data/bootstrap-api-key');
    expect([await statusWith(url, neverStored), await statusWith(url, keyInFile())]).toEqual([401, 200]);
  });

  it('is in its file if the process is killed before it was shown on a terminal, and a link signs in', async () => {
    await killedAt('start.after_first_key', { terminal: true });
    const second = folder.launch({ terminal: true });
    const url = await second.url();
    expect(second.said).toContain('in the file data/bootstrap-api-key');
    expect(await statusOfLink(second.said)).toBe(201);
    expect(await statusWith(url, keyInFile())).toBe(200);
  });

  it('is shown on a terminal, at most 100 columns wide, and then in no file; each start shows a link until the first sign-in', async () => {
    const first = folder.launch({ terminal: true });
    await first.url();
    expect(first.said).toMatch(/API key +ums_a_\w+ /);
    const banner = first.said.split('\n').filter((line) => /^[┌│└]/.test(line));
    expect(banner.length).toBeGreaterThan(8);
    expect(banner.filter((line) => line.length > 100)).toEqual([]);
    expect(banner.join('\n')).toContain('Ctrl-C stops it');
    await eventually('the file to go, now that the key was shown', () => !existsSync(keyFile()));
    await first.stop();

    const second = folder.launch({ terminal: true });
    await second.url();
    expect(second.said).toContain('not shown again');
    expect(await statusOfLink(second.said)).toBe(201);
    await second.stop();

    const third = folder.launch({ terminal: true });
    await third.url();
    expect(await statusOfLink(third.said)).toBe(0);
  });

  const onServer = findPostgres() === null ? it.skip : it;

  onServer('is created once by several instances that start on one PostgreSQL at the same time', async () => {
    const cluster = await PostgresCluster.start();
    const folders = [folder, new StartFolder(), new StartFolder()];
    try {
      const started = folders.map((each) => each.launch({ env: { DATABASE_URL: cluster.url } }));
      const urls = await Promise.all(started.map((each) => each.url()));
      const files = folders
        .map(({ path }) => join(path, 'data', 'bootstrap-api-key'))
        .filter((path) => existsSync(path));
      expect(files).toHaveLength(1);
      expect(started.filter(({ said }) => said.includes('in the file data/bootstrap-api-key'))).toHaveLength(1);
      const key = readFileSync(files[0] ?? '', 'utf8').trim();
      expect(await Promise.all(urls.map((url) => statusWith(url, key)))).toEqual([200, 200, 200]);
    } finally {
      for (const each of folders.slice(1)) await each.remove();
      await folder.stop();
      await cluster.remove();
    }
  });

  it('leaves nothing behind if its file cannot be written, so that the next start creates it', async () => {
    const second = folder.launch({ env: { DATABASE_URL: 'embedded:memory', DATA_DIR: '/dev/null/data' } });
    expect(await second.ended()).toBe(1);
    expect(second.said).toMatch(
      /^DATA_DIR: the first admin key cannot be written to \/dev\/null\/data.*BOOTSTRAP_API_KEY/m,
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
