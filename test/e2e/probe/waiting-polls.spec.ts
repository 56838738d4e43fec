/** @databases both */
import { request } from 'node:http';
import { DataSource } from 'typeorm';
import { ProbeSessions } from '../../../src/monitoring/probes/poll/probe-sessions';
import { WaitingPolls } from '../../../src/monitoring/probes/ask/waiting-polls';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { POLL_PATH } from '../../../src/probe-protocol/protocol';
import { eventually } from '../../../packages/testing/eventually';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { type ManualProbe, startManualProbe } from '../../harness/app/manual-probe';
import { collectQueries } from '../../harness/app/query-counter';
import { onServer } from '../../harness/database/on-server';

describe('a poll that waits', () => {
  let app: TestApp;
  let database: Database;
  let clock: MovingClock;
  let probe: ManualProbe;
  let id: string | null;
  /** The statements of both pools. */
  let sent: [sql: string, parameters: unknown[]][];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    // Only `advance` makes cached data old.
    clock = MovingClock.frozenIn(app.app);
    probe = await startManualProbe(app, 'fra');
    id = parseId('probe', probe.id);
    const pools = new Set([app.app.get(DataSource), app.app.get(WorkerDatabase).dataSource]);
    const collected = [...pools].map((pool) => collectQueries(pool));
    sent = collected[0] ?? [];
    if (collected[1]) collected[1].push = (...items) => sent.push(...items);
  });
  afterAll(() => app.close());

  const isLook = ([sql]: (typeof sent)[number]) => sql.includes('FROM unnest($1::int[]');
  const isOfProbes = ([sql]: (typeof sent)[number]) =>
    /\b(probe|probe_ask|probe_removal|endpoint_location)\b/.test(sql);
  const seen = async () =>
    (
      await database.query<{ at: Date; buffered: number }>(
        'SELECT last_seen_at AS at, buffered FROM probe WHERE id = $1',
        [id],
      )
    )[0];
  const silentFor = (seconds: number) =>
    database.query('UPDATE probe SET last_seen_at = last_seen_at - make_interval(secs => $2) WHERE id = $1', [
      id,
      seconds,
    ]);

  it('and receives nothing takes one statement, in addition to the queries for all that wait', async () => {
    do {
      sent.length = 0;
      const response = probe.poll({ wait: 0.5 });
      await app.app.get(WaitingPolls).look();
      expect(await response).toMatchObject({ status: 200, body: { full_sync: false, endpoints: [], requests: [] } });
      // If the poll was over before a look, it has queried directly.
    } while (!sent.some(isLook));
    expect(sent.filter((one) => isOfProbes(one) && !isLook(one)).map(([sql]) => sql)).toEqual([
      expect.stringContaining('p.lookup = $1'),
    ]);
  });

  it('is recorded together with the other polls', async () => {
    await silentFor(10);
    const before = await seen();
    sent.length = 0;
    await probe.poll({ wait: 0.01, buffered: 7 });
    expect(sent.filter(([sql]) => sql.includes('sessions = sessions'))).toEqual([]);
    await app.app.get(ProbeSessions).writeHeard();
    await eventually('it is written', async () => (await seen())?.buffered === 7);
    expect(Number((await seen())?.at) - Number(before?.at)).toBe(10_000);
  });

  it('is recorded at once if the probe was not seen for half a minute', async () => {
    await silentFor(30);
    sent.length = 0;
    expect((await probe.poll({ wait: 0.01, buffered: 8 })).status).toBe(200);
    expect(sent.filter(([sql]) => sql.includes('sessions = sessions'))).toHaveLength(1);
    expect((await seen())?.buffered).toBe(8);
  });

  it('is not recorded if another process has taken over in the meantime', async () => {
    await silentFor(10);
    await probe.poll({ wait: 0.01, buffered: 9 });
    const other = probe.another();
    await other.poll({ buffered: 1 });
    await app.app.get(ProbeSessions).writeHeard();
    expect((await seen())?.buffered).toBe(1);
    Object.assign(probe, { session: other.session, cursor: other.cursor });
  });

  onServer('is recorded later if another session holds its row (skipped on the embedded database)', async () => {
    await silentFor(10);
    await database.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM probe WHERE id = $1 FOR UPDATE', [id]);
      expect((await probe.poll({ wait: 0.01, buffered: 6 })).status).toBe(200);
      await app.app.get(ProbeSessions).writeHeard();
    });
    await eventually('it is written', async () => (await seen())?.buffered === 6);
  });

  it('is checked again if its body comes late: a session that ended in the meantime is refused', async () => {
    const body = JSON.stringify({ protocol: 1, session: probe.session, cursor: probe.cursor, wait: 0 });
    const headers = {
      authorization: `Bearer ${probe.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    sent.length = 0;
    const late = request(`${app.url}${POLL_PATH}`, { method: 'POST', headers });
    const status = new Promise((resolve, reject) => {
      late.on('error', reject).on('response', (response) => resolve(response.resume().statusCode));
    });
    late.write(body.slice(0, 10));
    await eventually('its token is looked up', () =>
      Promise.resolve(sent.some(([sql]) => sql.includes('p.lookup = $1'))),
    );
    await app.admin.put(`/probes/${probe.id}`, { enabled: false });
    clock.advance(1000);
    late.end(body.slice(10));
    expect(await status).toBe(403);
    await app.admin.put(`/probes/${probe.id}`, { enabled: true });
  });

  it('ends when the organization is deleted, before its rows are removed', async () => {
    await probe.sync();
    sent.length = 0;
    const waiting = probe.poll({ wait: 20 });
    await eventually('it waits', () => Promise.resolve(sent.some(isLook)));
    await database.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [app.orgId]);
    expect((await waiting).status).toBe(401);
    await database.query('UPDATE organization SET deleted_at = NULL WHERE id = $1', [app.orgId]);
  });
});
