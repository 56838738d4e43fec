/**
 * @lane slow
 * @databases both
 */
import { Logger } from '@nestjs/common';
import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { HistoryBacklog } from '../../../src/history/write/history-backlog';
import type { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import type { Recorded } from '../../../src/engine/queue/pending-checks';
import { within } from '../../../src/platform/net/deadline';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { Metrics } from '../../../src/platform/observability/metrics';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { recorded as finishedCheck } from '../../harness/app/history';
import { addOccurrence, forgetOccurrences } from '../../harness/app/occurrences';
import { eventually } from '../../../packages/testing/eventually';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { onServer } from '../../harness/database/on-server';

const SITES = 5;

describe('while history cannot be written', () => {
  let app: TestApp;
  let database: Database;
  let recorder: CheckRecorder;
  let backlog: HistoryBacklog;
  let sites: CheckDefinition[];
  let tick = Date.now() - 1_800_000;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    backlog = app.app.get(HistoryBacklog);
    await database.query('CREATE TABLE history_fault (sqlstate text)');
    await database.query(`CREATE FUNCTION history_fault() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE state text;
      BEGIN
        SELECT sqlstate INTO state FROM history_fault;
        IF state IS NOT NULL THEN RAISE EXCEPTION 'history is away' USING ERRCODE = state; END IF;
        RETURN NULL;
      END $$`);
    await database.query(
      'CREATE TRIGGER history_fault BEFORE INSERT ON check_result FOR EACH STATEMENT EXECUTE FUNCTION history_fault()',
    );
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    recorder = newRecorder(app);
    sites = await newSites();
  });
  afterEach(async () => {
    await setFault(null);
    await recorder.drain(10_000);
    jest.restoreAllMocks();
  });

  /** Creates sites that have been up. One failure triggers the alert of each, and one success resolves it. */
  async function newSites(): Promise<CheckDefinition[]> {
    const website = await newWebsite(app.write);
    const definitions = await Promise.all(
      Array.from({ length: SITES }, async () => {
        const id = await newEndpoint(app.write, website);
        await newAlert(app.write, id, { failure_threshold: 1, success_threshold: 1 });
        return app.app.get(CheckDefinitions).loadOne(database, parseId('endpoint', id) ?? '');
      }),
    );
    const found = definitions.filter((definition) => definition !== null);
    await Promise.all(found.map((site) => recorder.record(next(site, 'up'))));
    return found;
  }

  function next({ endpointId, endpointKey, orgId, revision }: CheckDefinition, outcome: Outcome): FinishedCheck {
    tick += 5;
    const check = finishedCheck({ id: endpointId, key: endpointKey }, new Date(tick), outcome, 12.5);
    return { ...check, orgId, revision, slotMs: tick };
  }

  async function setFault(sqlstate: string | null): Promise<void> {
    await database.query('DELETE FROM history_fault');
    if (sqlstate !== null) await database.query('INSERT INTO history_fault VALUES ($1)', [sqlstate]);
  }

  const countOf = async (sql: string): Promise<number> => {
    const [row] = await database.query<{ count: number }>(sql, [sites.map(({ endpointKey }) => endpointKey)]);
    return row?.count ?? 0;
  };
  const stored = () =>
    countOf('SELECT count(*)::int AS count FROM check_result WHERE endpoint_key = ANY ($1::bigint[])');
  const outages = (which: 'IS NULL' | 'IS NOT NULL') =>
    countOf(`SELECT count(*)::int AS count FROM outage WHERE endpoint_key = ANY ($1::bigint[]) AND ended_at ${which}`);
  /** Returns the number of deliveries of this kind to the alerts of the sites. */
  const told = (kind: 'triggered' | 'resolved') =>
    countOf(
      `SELECT count(*)::int AS count FROM alert_event v JOIN endpoint e ON e.id = v.endpoint_id JOIN notification n ON n.event_id = v.id
        WHERE e.key = ANY ($1::bigint[]) AND v.type = '${kind}'`,
    );
  const metric = async (name: string): Promise<number> =>
    (await app.app.get(Metrics).registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
  const historyHealth = async (): Promise<unknown> => {
    const response = await fetch(`${app.url}/health/ready`);
    return ((await response.json()) as { details: { history: unknown } }).details.history;
  };
  const addAll = (outcome: Outcome) => {
    for (const site of sites) recorder.add(next(site, outcome));
  };

  it.each([
    ['the disk of the database fails', '58030'],
    ['a node of the database is away', '08006'],
    ['the database takes too long', '57014'],
    ['the database fails with an unknown error', 'P0001'],
  ])(
    'because %s, sites that fail and recover trigger their alerts, and history follows with every check once',
    async (_, sqlstate) => {
      await setFault(sqlstate);
      addAll('down');
      await eventually('every failure is told', async () => (await told('triggered')) === SITES);
      addAll('up');
      await eventually('every recovery is told', async () => (await told('resolved')) === SITES);
      await eventually('every batch is over', () => backlog.size === 2 * SITES && recorder.backlog === 0);
      expect([await stored(), await metric('uptime_history_waiting'), recorder.backlog]).toEqual([SITES, 2 * SITES, 0]);
      expect(await historyHealth()).toMatchObject({
        ok: true,
        detail: expect.stringContaining('10 checks have been waiting') as string,
      });
      await setFault(null);
      await eventually('history has followed', () => !backlog.isLagging, 20_000);
      expect([await stored(), await outages('IS NOT NULL'), await outages('IS NULL')]).toEqual([3 * SITES, SITES, 0]);
      expect([await historyHealth(), await metric('uptime_history_lost_total')]).toEqual([{ ok: true }, 0]);
      addAll('up');
      await recorder.drain(10_000);
      expect(await stored()).toBe(4 * SITES);
    },
  );

  it('a check on demand is recorded for the client when its history is written', async () => {
    await setFault('58030');
    const [site] = sites;
    if (!site) throw new Error('no site');
    const recording: Promise<Recorded> = recorder.record(next(site, 'down'));
    await eventually('its failure is told', async () => (await told('triggered')) === 1);
    expect(await within(200, recording)).toBe('late');
    await setFault(null);
    expect(await recording).toBe('recorded');
    expect(await stored()).toBe(SITES + 1);
  });

  it('checks that follow later keep the marks from the time they were recorded, and so do their outages', async () => {
    const [site] = sites;
    if (!site) throw new Error('no site');
    const { orgId, endpointKey } = site;
    await setFault('58030');
    const planned = next(site, 'down');
    const [startsAt, endsAt] = [planned.checkedAt, new Date(planned.checkedAt.getTime() + 1)];
    await addOccurrence(database, { orgId, startsAt, endsAt });
    recorder.add(planned);
    recorder.add(next(site, 'down'));
    const degraded = next(site, 'up');
    const warning = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' } as const;
    recorder.add({ ...degraded, result: { ...degraded.result, warning } });
    await eventually('all wait', async () => (await metric('uptime_history_waiting')) === 3);
    await forgetOccurrences(database, orgId);
    await setFault(null);
    await eventually('history has followed', () => !backlog.isLagging, 20_000);
    const checks = await database.query(
      `SELECT c.outcome, d.body -> 'warning' AS warning FROM check_result c LEFT JOIN check_detail d ON d.endpoint_key = c.endpoint_key AND d.hash = c.detail_hash
        WHERE c.endpoint_key = $1 ORDER BY c.checked_at DESC LIMIT 3`,
      [endpointKey],
    );
    expect(checks).toEqual([
      { outcome: 1 + 8, warning },
      { outcome: 0, warning: null },
      { outcome: 0 + 16, warning: null },
    ]);
    const outages = await database.query(
      'SELECT planned, ended_at IS NULL AS open FROM outage WHERE endpoint_key = $1 ORDER BY started_at',
      [endpointKey],
    );
    expect(outages).toEqual([
      { planned: true, open: false },
      { planned: false, open: false },
    ]);
  });

  it('the oldest checks are given up and counted when too many wait, and no outage is missing afterwards', async () => {
    backlog.maxWaiting = SITES;
    const before = await metric('uptime_history_lost_total');
    await setFault('58030');
    addAll('down');
    await eventually('every failure is told', async () => (await told('triggered')) === SITES);
    addAll('up');
    await eventually('every recovery is told', async () => (await told('resolved')) === SITES);
    const lostSince = async () => (await metric('uptime_history_lost_total')) - before;
    // Messages are committed first. A moment later, the process updates its count of waiting checks.
    await eventually('every check waits or is lost', async () => (await lostSince()) + backlog.size === 2 * SITES);
    const lost = await lostSince();
    await setFault(null);
    await eventually('history has followed', () => !backlog.isLagging, 20_000);
    backlog.maxWaiting = 100_000;
    expect(lost).toBeGreaterThanOrEqual(SITES);
    expect([await stored(), await outages('IS NOT NULL'), await outages('IS NULL')]).toEqual([
      3 * SITES - lost,
      SITES,
      0,
    ]);
  });

  onServer(
    'because another session keeps its table locked, alerts of failing sites trigger, and history follows (skipped on the embedded database)',
    async () => {
      await database.transaction(async (tx) => {
        await tx.query('LOCK TABLE check_result IN ACCESS EXCLUSIVE MODE');
        addAll('down');
        await eventually('every failure is told', async () => (await told('triggered')) === SITES, 20_000);
      });
      await eventually('history has followed', () => !backlog.isLagging, 20_000);
      expect([await stored(), await outages('IS NULL')]).toEqual([2 * SITES, SITES]);
    },
    60_000,
  );
});
