/** @lane slow @databases both */
import type { CheckView } from '../../../src/history/read/check.dto';
import { numberChanges } from '../../../src/monitoring/probes/poll/probe-numbering.job';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { CreatedProbeView } from '../../../src/probe/probe.dto';
import { type Service, startExactly } from '../../../packages/testing/service/start-service';
import { freshDatabase } from '../../harness/database/database';
import { many } from '../../harness/many';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { nextAsks, resultOf, ManualProbe } from '../../harness/app/manual-probe';
import { findLocationViolations, watchLocations } from '../../harness/probe/location-invariants';

/** The embedded database has one process, so both are the same there. */
describe('a probe whose requests two instances serve in turns', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let first: Service;
  let second: Service;
  let atFirst: ManualProbe;
  let atSecond: ManualProbe;
  let website: string;

  beforeAll(async () => {
    database = await freshDatabase();
    const start = () => startExactly({ database: database.url, config: { role: 'api', confirmFailures: true } });
    first = await start();
    second = database.url.startsWith('embedded:') ? first : await start();
    await watchLocations(first.app.get(Database));
    website = await newWebsite(first.write);
    const { body } = await first.admin.post<CreatedProbeView>('/probes', { key: 'fra' });
    atFirst = new ManualProbe(first.url, body.id, 'fra', body.token);
    atSecond = new ManualProbe(second.url, body.id, 'fra', body.token, atFirst.session);
    await atFirst.sync();
    atSecond.cursor = atFirst.cursor;
  });
  afterAll(async () => {
    if (second !== first) await second.close();
    await first.close();
    await database.drop();
  });

  const newRemote = () => newEndpoint(first.write, website, { locations: ['fra'] });
  const numberAtBoth = () => Promise.all([first, second].map(({ app }) => numberChanges(app.get(WorkerDatabase))));

  it('receives from one instance the changes made at the other', async () => {
    const id = await newRemote();
    const waiting = atSecond.poll({ wait: 20 });
    await numberAtBoth();
    expect((await waiting).body.endpoints).toMatchObject([{ endpoint_id: id, confirm_at: null }]);
    await newAlert(first.write, id, { failure_threshold: 2 });
    await numberAtBoth();
    expect((await atSecond.poll()).body.endpoints).toMatchObject([{ endpoint_id: id, confirm_at: 2 }]);
    atFirst.cursor = atSecond.cursor;
    expect((await atFirst.poll()).body.endpoints).toEqual([]);
  });

  it('misses no change, no matter which instance numbers it', async () => {
    const ids = await Promise.all(many(30, newRemote));
    await Promise.all(many(6, numberAtBoth));
    // Results that another session held were left for the next time.
    await numberAtBoth();
    const rows = await first.app
      .get(Database)
      .query<{ version: string | null }>('SELECT version FROM endpoint_location WHERE endpoint_id = ANY ($1)', [
        ids.map((id) => parseId('endpoint', id)),
      ]);
    expect(new Set(rows.map(({ version }) => version)).size).toBe(ids.length);
    await atFirst.sync();
    expect(ids.filter((id) => !atFirst.held.has(id))).toEqual([]);
  });

  it('has its results recorded once, sent to both at once, cut, and in any order', async () => {
    const [, ...ids] = atFirst.held.keys();
    const { now } = (await atFirst.poll()).body;
    const batch = ids.flatMap((id) => [3, 2, 1].map((ago) => atFirst.result(id, now - ago * 60_000)));
    const part = batch.slice(0, 7);
    const replies = await Promise.all([
      atFirst.send(batch),
      atSecond.send(batch),
      atSecond.send(part),
      atFirst.send(part.toReversed()),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const again = (await atFirst.send(batch)).body;
    expect(again.refused.filter(({ code }) => code !== 'not_a_slot')).toEqual([]);
    expect(again.recorded).toBe(0);
    for (const id of ids.slice(0, 5)) {
      const { body: checks } = await first.read.get<CheckView[]>(`/endpoints/${id}/checks`);
      expect(new Set(checks.map(({ checked_at }) => checked_at)).size).toBe(checks.length);
      expect(checks.length).toBeLessThanOrEqual(3);
    }
  });

  it('receives everything in pages of a megabyte, between which no change is lost', async () => {
    const [body, headers] = ['x'.repeat(30_000), [{ key: 'Content-Type', value: 'text/plain' }]];
    const large = { method: 'POST', body, headers, locations: ['fra'] };
    const ids = await Promise.all(many(36, () => newEndpoint(first.write, website, large)));
    await numberAtBoth();
    atFirst.cursor = null;
    const page = (await atFirst.poll()).body;
    expect(page).toMatchObject({ full_sync: true, has_more: true });
    expect(JSON.stringify(page.endpoints).length).toBeLessThan(1_048_576);
    const last = ids.toSorted().at(-1) ?? '';
    await first.write.delete(`/endpoints/${last}`);
    await numberAtBoth();
    expect((await atFirst.poll()).body).toMatchObject({ full_sync: true, has_more: false });
    expect((await atFirst.poll()).body.removed).toEqual([last]);
    expect(ids.filter((id) => !atFirst.held.has(id))).toEqual([last]);
  });

  it('answers at one instance a request sent to the other', async () => {
    const id = await newRemote();
    await numberAtBoth();
    const response = second.write.post<CheckView>(`/endpoints/${id}/checks`, undefined, {
      authorization: `Bearer ${first.write.key ?? ''}`,
    });
    const [ask] = await nextAsks(atFirst);
    await atFirst.send([
      resultOf({ endpoint_id: id, revision: 1, request_id: ask?.request_id, checked_at: Date.now() }),
    ]);
    expect(await response).toMatchObject({ status: 201, body: { endpoint_id: id, outcome: 'up' } });
  });

  it('leaves no slot twice and no wrong verdict, each of which would be found', async () => {
    const sql = first.app.get(Database);
    expect(await findLocationViolations(sql)).toEqual([]);
    await sql.query('INSERT INTO check_result SELECT * FROM check_result ORDER BY checked_at DESC LIMIT 1');
    await sql.query('UPDATE recorded_slot SET before = after');
    await sql.query('UPDATE endpoint_state SET status = 0');
    expect((await findLocationViolations(sql)).map(({ what }) => what)).toEqual([
      'a check of a location that is in the history twice',
      'a slot of a location that was recorded twice',
      'a verdict that is not that of the results',
    ]);
  });
});
