/** @lane slow */
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { WebsitePurgeJob } from '../../../src/website/website-purge.job';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ApiResponse } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { DatabaseWitness } from '../../harness/processes/service-process';

interface Problem {
  code: string;
}
interface Scene {
  website: string;
  endpoint: string;
  alert: string;
}
type Kind = keyof Scene;

/** Writes that need a row that another session keeps locked. */
const WRITES: readonly [
  what: string,
  locked: Kind,
  write: (app: TestApp, scene: Scene) => Promise<ApiResponse<Problem>>,
][] = [
  ['change an alert', 'alert', (app, { alert }) => app.admin.put(`/alerts/${alert}`, { failure_threshold: 7 })],
  ['delete an alert', 'alert', (app, { alert }) => app.admin.delete(`/alerts/${alert}`)],
  ['change an endpoint', 'endpoint', (app, { endpoint }) => app.admin.put(`/endpoints/${endpoint}`, { name: 'New' })],
  ['delete the endpoint of an alert', 'alert', (app, { endpoint }) => app.admin.delete(`/endpoints/${endpoint}`)],
  ['add an alert to an endpoint', 'endpoint', (app, { endpoint }) => app.admin.post('/alerts', ANOTHER(endpoint))],
  ['change a website', 'website', (app, { website }) => app.admin.put(`/websites/${website}`, { name: 'New' })],
  ['delete a website', 'website', (app, { website }) => app.admin.delete(`/websites/${website}`)],
];
const ANOTHER = (endpoint: string) => ({
  endpoint_id: endpoint,
  type: 'slack',
  config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
});
/** Far below the 30 s of a statement timeout, and well above the two seconds of a lock timeout. */
const LIMIT_MS = 15_000;

(findPostgres() === null ? describe.skip : describe)('a row that another session keeps locked in PostgreSQL', () => {
  let cluster: PostgresCluster;
  let app: TestApp;
  let witness: DatabaseWitness;
  const holds: { release(): Promise<void> }[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    app = await startOwnApp({ databaseUrl: cluster.url, role: 'api' });
    witness = DatabaseWitness.on(cluster.url);
  }, 120_000);
  afterEach(() => release());
  afterAll(async () => {
    await app.close();
    await witness.close();
    await cluster.remove();
  });

  async function prepare(): Promise<Scene> {
    const website = await newWebsite(app.admin);
    const endpoint = await newEndpoint(app.admin, website);
    return { website, endpoint, alert: await newAlert(app.admin, endpoint) };
  }
  async function hold(kind: Kind, scenes: readonly Scene[]): Promise<void> {
    const ids = scenes.map((scene) => parseId(kind, scene[kind]));
    holds.push(await witness.hold(`SELECT 1 FROM ${kind} WHERE id = ANY ($1::uuid[]) FOR UPDATE`, [ids]));
  }
  const shown = async ({ website, endpoint, alert }: Scene): Promise<string[]> =>
    Promise.all(
      [`/websites/${website}`, `/endpoints/${endpoint}`, `/alerts/${alert}`].map(
        async (path) => (await app.read.get(path)).text,
      ),
    );
  async function release(): Promise<void> {
    await Promise.all(holds.splice(0).map((each) => each.release()));
  }

  it('fails writes to a locked row with 503 after about two seconds and changes nothing; they succeed once it is free', async () => {
    const cases = await Promise.all(
      WRITES.map(async ([what, locked, write]) => ({ what, locked, write, scene: await prepare() })),
    );
    for (const kind of new Set(cases.map(({ locked }) => locked)))
      await hold(
        kind,
        cases.filter(({ locked }) => locked === kind).map(({ scene }) => scene),
      );
    const before = await Promise.all(cases.map(({ scene }) => shown(scene)));
    await Promise.all(
      cases.map(async ({ what, write, scene }) => {
        const began = performance.now();
        const { status, body, headers } = await write(app, scene);
        const tookMs = performance.now() - began;
        expect([what, status, body.code]).toEqual([what, 503, 'temporarily_unavailable']);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        expect(tookMs).toBeGreaterThan(1500);
        expect(tookMs).toBeLessThan(LIMIT_MS);
      }),
    );
    expect(await Promise.all(cases.map(({ scene }) => shown(scene)))).toEqual(before);
    await release();
    for (const { what, write, scene } of cases) {
      const { status } = await write(app, scene);
      expect([what, Math.floor(status / 100)]).toEqual([what, 2]);
    }
  }, 90_000);

  it('deletes a website although one of its rows is locked; the rows are deleted once it is free', async () => {
    const scene = await prepare();
    await hold('alert', [scene]);
    expect((await app.admin.delete(`/websites/${scene.website}`)).status).toBe(204);
    expect((await app.read.get(`/websites/${scene.website}`)).status).toBe(404);
    const rows = () =>
      app.app.get(Database).query('SELECT 1 FROM alert WHERE id = $1', [parseId('alert', scene.alert)]);
    expect(await rows()).toHaveLength(1);
    await release();
    await app.app.get(WebsitePurgeJob).run();
    expect(await rows()).toHaveLength(0);
  }, 60_000);

  it('does not delay requests for other rows while one is locked', async () => {
    const [held, free] = await Promise.all([prepare(), prepare()]);
    await hold('alert', [held]);
    const [refused, ...others] = await Promise.all([
      app.admin.put<Problem>(`/alerts/${held.alert}`, { failure_threshold: 2 }),
      app.admin.put(`/alerts/${free.alert}`, { failure_threshold: 2 }),
      app.admin.put(`/endpoints/${held.endpoint}`, { name: 'New' }),
      app.read.get(`/alerts/${held.alert}`),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refused.status).toBe(503);
  }, 60_000);

  it('waits for a row that is locked for some hundred milliseconds, as the recorder of checks does', async () => {
    const scene = await prepare();
    await hold('alert', [scene]);
    setTimeout(() => void release(), 300);
    const { status } = await app.admin.put<Problem>(`/alerts/${scene.alert}`, { failure_threshold: 2 });
    expect(status).toBe(200);
  }, 60_000);

  it('responds to a check on demand with 503 while its row is locked, and records the result when it is free', async () => {
    const scene = await prepare();
    holds.push(
      await witness.hold('SELECT 1 FROM endpoint_state WHERE endpoint_id = $1 FOR UPDATE', [
        parseId('endpoint', scene.endpoint),
      ]),
    );
    const { status, body } = await app.write.post<Problem>(`/endpoints/${scene.endpoint}/checks`);
    expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
    await release();
    const checks = async () => (await app.read.get<object[]>(`/endpoints/${scene.endpoint}/checks`)).body;
    await eventually('the result is there', async () => (await checks()).length === 1, 30_000);
  }, 90_000);
});
