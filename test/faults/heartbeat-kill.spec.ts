import { HeartbeatSweep } from '../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { checkEngine } from '../harness/app/invariants';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { KILL_DATABASES, type KillScene } from '../harness/processes/kill-scene';

interface Stored {
  pings: number;
  /** The error codes of its checks, oldest first. */
  checks: (string | null)[];
  events: number;
  pending: boolean;
}

const HOURLY = { every: 3600, grace: 60 };

/**
 * The points at which the process is killed, and the data that is stored then, before another process finishes the
 * work.
 */
const PING: readonly [point: FailpointName, pings: number, checks: number][] = [
  ['heartbeat.before_commit', 0, 0],
  ['heartbeat.committed', 1, 0],
  ['recorder.before_commit', 1, 0],
  ['heartbeat.recorded', 1, 1],
];

describe.each(KILL_DATABASES)('kill -9 at every line of a ping, and of the sweep, on %s', (_name, open) => {
  let scene: KillScene;
  let endpoint: string;
  let pingId: string;

  beforeAll(async () => {
    scene = await open();
  }, 180_000);
  afterAll(() => scene.remove(), 60_000);
  beforeEach(async () => {
    const { write } = await scene.survivor();
    endpoint = await newEndpoint(write, await newWebsite(write), {
      name: 'Backup',
      type: 'HEARTBEAT',
      url: undefined,
      heartbeat: HOURLY,
    });
    await newAlert(write, endpoint);
    pingId = (await write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${endpoint}`)).body.heartbeat.ping_id;
  });
  afterEach(() => scene.end());

  const query = async <Row>(sql: string): Promise<Row[]> =>
    (await scene.survivor()).app.get(Database).query<Row>(sql, [parseId('endpoint', endpoint)]);
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
    const { body } = await (await scene.survivor()).read.get<{ error: { code: string } | null }[]>(path);
    return { ...row, checks: body.map(({ error }) => error?.code ?? null).toReversed() };
  }
  /** Runs another process that survives. Half a minute later, it sweeps twice. */
  async function survived(): Promise<Stored> {
    const survivor = await scene.survivor();
    await survivor.advance('31 s');
    for (let look = 0; look < 2; look++) await survivor.app.get(HeartbeatSweep).run();
    await checkEngine(survivor.app.get(Database));
    return stored();
  }

  it.each(PING)(
    'a ping that is killed at %s gets no 200, and leaves at most the ping and its check',
    async (point, pings, checks) => {
      const victim = await scene.launch('api', `${point}=kill`);
      await expect(ping(victim.url)).rejects.toThrow();
      await victim.killed();
      expect(await stored()).toMatchObject({ pings, checks: Array(checks).fill('heartbeat_failed'), events: checks });
      const whole = { pings, checks: Array(pings).fill('heartbeat_failed'), events: pings, pending: false };
      expect(await survived()).toEqual(whole);
      // `curl --retry` would do this.
      expect(await ping((await scene.survivor()).url)).toBe(200);
      expect(await survived()).toMatchObject({ pings: pings + 1, checks: Array(pings + 1).fill('heartbeat_failed') });
    },
    120_000,
  );

  it('a ping that got its 200 is stored with its check, no matter what is killed then', async () => {
    const victim = await scene.launch('api', 'heartbeat.before_commit=error:once');
    expect(await ping(victim.url)).toBe(503);
    expect(await ping(victim.url)).toBe(200);
    await victim.kill();
    expect(await survived()).toEqual({ pings: 1, checks: ['heartbeat_failed'], events: 1, pending: false });
  }, 120_000);

  it.each(PING)(
    'a missed run is recorded once when the sweep is killed at %s',
    async (point, _, checks) => {
      await query(`UPDATE heartbeat SET expected_at = now() - interval '10 minutes', deadline_at = now() - interval '9 minutes'
                    WHERE endpoint_id = $1`);
      await (await scene.launch('worker', `${point}=kill`)).killed();
      expect(await stored()).toMatchObject({ checks: Array(checks).fill('heartbeat_missed') });
      expect(await survived()).toEqual({ pings: 0, checks: ['heartbeat_missed'], events: 1, pending: false });
    },
    120_000,
  );
});
