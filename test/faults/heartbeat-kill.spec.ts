import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeartbeatSweep } from '../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { checkEngine } from '../harness/app/invariants';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, ServiceProcess } from '../harness/processes/service-process';

/** What is stored of one heartbeat. */
interface Stored {
  pings: number;
  /** Codes of the errors of its checks, oldest first. */
  checks: (string | null)[];
  events: number;
  pending: boolean;
}

const HOURLY = { every: 3600, grace: 60 };

/** Where the process is killed, and what is there at once, before anybody finishes it. */
const PING: readonly [point: FailpointName, pings: number, checks: number][] = [
  ['heartbeat.before_commit', 0, 0],
  ['heartbeat.committed', 1, 0],
  ['recorder.before_commit', 1, 0],
  ['heartbeat.recorded', 1, 1],
];

interface Place {
  databaseUrl: string;
  dataDir: string | null;
  remove(): Promise<void>;
}

const PLACES: readonly [name: string, make: () => Promise<Place>][] = [
  [
    'the embedded database',
    () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'uptime-pinged-'));
      const remove = () => Promise.resolve(rmSync(dataDir, { recursive: true, force: true }));
      return Promise.resolve({ databaseUrl: '', dataDir, remove });
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const cluster = await PostgresCluster.start();
      return { databaseUrl: cluster.url, dataDir: null, remove: () => cluster.remove() };
    },
  ],
];
/** Without PostgreSQL's programs on the embedded database alone. */
const places = findPostgres() === null ? PLACES.slice(0, 1) : PLACES;

describe.each(places)('kill -9 at every line of a ping, and of the sweep, on %s', (_name, make) => {
  let place: Place;
  let app: TestApp | null = null;
  let victim: ServiceProcess | null = null;
  let endpoint: string;
  let pingId: string;

  beforeAll(async () => {
    buildService();
    place = await make();
  }, 180_000);
  afterAll(() => place.remove(), 60_000);
  beforeEach(async () => {
    const { write } = await open();
    endpoint = await newEndpoint(write, await newWebsite(write), {
      name: 'Backup',
      type: 'HEARTBEAT',
      url: undefined,
      heartbeat: HOURLY,
    });
    await newAlert(write, endpoint);
    pingId = (await write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${endpoint}`)).body.heartbeat.ping_id;
  });
  afterEach(async () => {
    await victim?.kill();
    await close();
  });

  /** One in this process, whose own timers decide nothing. The embedded database can be reached by one process at a time. */
  async function open(): Promise<TestApp> {
    const { databaseUrl, dataDir } = place;
    app ??= await startOwnApp({
      role: 'api',
      ...(dataDir === null ? { databaseUrl } : { databaseUrl: null, dataDir }),
    });
    return app;
  }
  async function close(): Promise<void> {
    await app?.close();
    app = null;
  }
  const query = async <Row>(sql: string): Promise<Row[]> =>
    (await open()).app.get(Database).query<Row>(sql, [parseId('endpoint', endpoint)]);

  async function launch(role: 'api' | 'worker', failpoints: string): Promise<ServiceProcess> {
    await close();
    const directory: Record<string, string> = place.dataDir === null ? {} : { DATA_DIR: place.dataDir };
    const env = { ...directory, ROLE: role, FAILPOINTS: failpoints };
    victim =
      role === 'api'
        ? await ServiceProcess.start(place.databaseUrl, env)
        : ServiceProcess.launch(place.databaseUrl, env);
    return victim;
  }
  const ping = (url: string) => fetch(`${url}/ping/${pingId}/fail`).then(({ status }) => status);

  async function stored(): Promise<Stored> {
    const [row] = await query<{ pings: number; events: number; pending: boolean }>(
      `SELECT (SELECT count(*)::int FROM ping p WHERE p.endpoint_key = e.key) AS pings,
              (SELECT count(*)::int FROM alert_event v JOIN alert a ON a.id = v.alert_id WHERE a.endpoint_id = e.id) AS events,
              h.pending IS NOT NULL AS pending
         FROM endpoint e JOIN heartbeat h ON h.endpoint_id = e.id WHERE e.id = $1`,
    );
    if (!row) throw new Error('there is no such heartbeat');
    const path = `/endpoints/${endpoint}/checks`;
    const { body } = await (await open()).read.get<{ error: { code: string } | null }[]>(path);
    return { ...row, checks: body.map(({ error }) => error?.code ?? null).toReversed() };
  }
  /** What another process does that lives on: half a minute later it looks, and looks again. */
  async function survived(): Promise<Stored> {
    const survivor = await open();
    await survivor.advance('31 s');
    for (let look = 0; look < 2; look++) await survivor.app.get(HeartbeatSweep).run();
    await checkEngine(survivor.app.get(Database));
    return stored();
  }

  it.each(PING)(
    'a ping that is killed at %s gets no 200, and leaves no more than itself and its check',
    async (point, pings, checks) => {
      const { url } = await launch('api', `${point}=kill`);
      await expect(ping(url)).rejects.toThrow();
      await victim?.killed();
      expect(await stored()).toMatchObject({ pings, checks: Array(checks).fill('heartbeat_failed'), events: checks });
      const whole = { pings, checks: Array(pings).fill('heartbeat_failed'), events: pings, pending: false };
      expect(await survived()).toEqual(whole);
      // What `curl --retry` does then.
      expect(await ping((await open()).url)).toBe(200);
      expect(await survived()).toMatchObject({ pings: pings + 1, checks: Array(pings + 1).fill('heartbeat_failed') });
    },
    120_000,
  );

  it('a ping that got its 200 is there with its check, whatever is killed then', async () => {
    const { url } = await launch('api', 'heartbeat.before_commit=error:once');
    expect(await ping(url)).toBe(503);
    expect(await ping(url)).toBe(200);
    await victim?.kill();
    expect(await survived()).toEqual({ pings: 1, checks: ['heartbeat_failed'], events: 1, pending: false });
  }, 120_000);

  it.each(PING)(
    'a missed run is recorded once when the sweep is killed at %s',
    async (point, _, checks) => {
      await query(`UPDATE heartbeat SET expected_at = now() - interval '10 minutes', deadline_at = now() - interval '9 minutes'
                    WHERE endpoint_id = $1`);
      await (await launch('worker', `${point}=kill`)).killed();
      expect(await stored()).toMatchObject({ checks: Array(checks).fill('heartbeat_missed') });
      expect(await survived()).toEqual({ pings: 0, checks: ['heartbeat_missed'], events: 1, pending: false });
    },
    120_000,
  );
});
