/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { MaintenanceSweep } from '../../../src/maintenance/maintenance-sweep.job';
import { OccurrencePlanner } from '../../../src/maintenance/occurrence-planner.job';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const HOUR = 3_600_000;

interface Told {
  name: string;
  state: string;
}

describe('the start and the end of maintenance', () => {
  let app: TestApp;
  let clock: MovingClock;
  let database: Database;
  let website: string;

  beforeAll(async () => {
    // No job runs automatically, so the test controls each sweep.
    app = await startOwnApp({ role: 'api' });
    clock = MovingClock.of(app.app);
    database = app.app.get(Database);
    website = await newWebsite(app.write);
  });
  afterAll(async () => {
    armFailpoints([]);
    await app.close();
  });
  afterEach(async () => {
    armFailpoints([]);
    await database.query('DELETE FROM maintenance_window');
    await database.query('DELETE FROM maintenance_occurrence');
    await database.query('DELETE FROM stream_event');
  });

  const sweep = () => app.app.get(MaintenanceSweep).run();
  const now = () => Date.now() + clock.aheadMs;
  // A second ago, because the clock of this process may be some milliseconds ahead of the database's.
  const running = async (scope: object, fields: object = {}): Promise<string> => {
    const times = { starts_at: new Date(now() - 1000).toISOString(), ends_at: new Date(now() + HOUR).toISOString() };
    const body = { name: 'Move', scope, ...times, ...fields };
    const response = await app.write.post<{ id: string }>('/maintenance-windows', body);
    expect(response.status).toBe(201);
    return response.body.id;
  };
  /** Returns an endpoint whose newest result has this code, and whose next check is due in an hour. */
  const endpoint = async (code: number, fields: object = {}): Promise<string> => {
    const id = await newEndpoint(app.write, website, { interval: 3600, ...fields });
    await database.query('UPDATE endpoint_state SET status = $2 WHERE endpoint_id = $1', [
      parseId('endpoint', id),
      code,
    ]);
    await database.query(
      `UPDATE endpoint_schedule SET next_check_at = now() + interval '1 hour' WHERE endpoint_id = $1`,
      [parseId('endpoint', id)],
    );
    return id;
  };
  const [DOWN, UP] = [0, 1];
  const isDueSoon = async (id: string): Promise<boolean> => {
    const [row] = await database.query<{ soon: boolean }>(
      `SELECT next_check_at <= now() + interval '30 s' AS soon FROM endpoint_schedule WHERE endpoint_id = $1`,
      [parseId('endpoint', id)],
    );
    return row?.soon ?? false;
  };
  const told = async (): Promise<string[]> =>
    (
      await database.query<{ payload: Told }>(
        `SELECT payload FROM stream_event WHERE kind = 'maintenance' ORDER BY xid, seq`,
      )
    ).map(({ payload }) => `${payload.name} ${payload.state}`);

  it.each([
    ['ended manually', (id: string) => app.write.post(`/maintenance-windows/${id}/end`)],
    ['deleted', (id: string) => app.write.delete(`/maintenance-windows/${id}`)],
    [
      'shortened',
      (id: string) => app.write.put(`/maintenance-windows/${id}`, { ends_at: new Date(now() - 500).toISOString() }),
    ],
    [
      'over',
      () =>
        database.query(
          `UPDATE maintenance_occurrence SET ends_at = date_trunc('second', now()) - interval '2 s', starts_at = date_trunc('second', now()) - interval '1 minute'`,
        ),
    ],
  ])('makes covered endpoints that are down due within 30 s when a window is %s', async (_, end) => {
    const [down, up, paused] = [await endpoint(DOWN), await endpoint(UP), await endpoint(DOWN, { enabled: false })];
    const id = await running({ all: true });
    await sweep();
    expect(await isDueSoon(down)).toBe(false);
    await end(id);
    await sweep();
    expect([await isDueSoon(down), await isDueSoon(up), await isDueSoon(paused)]).toEqual([true, false, false]);
    expect(await told()).toEqual(['Move started', 'Move ended']);
  });

  it('does not schedule an endpoint that no scope of the window covered', async () => {
    const [by, other] = [await endpoint(DOWN), await endpoint(DOWN)];
    await app.write.post(`/maintenance-windows/${await running({ endpoint_ids: [by], tags: ['nobody'] })}/end`);
    await sweep();
    expect([await isDueSoon(by), await isDueSoon(other)]).toEqual([true, false]);
  });

  it('schedules an endpoint that a change removes from the scope, and sends an update event, not an end', async () => {
    const [left, out] = [await endpoint(DOWN), await endpoint(DOWN)];
    const id = await running({ endpoint_ids: [left, out] });
    await sweep();
    await app.write.put(`/maintenance-windows/${id}`, { scope: { endpoint_ids: [left] } });
    await sweep();
    expect(await isDueSoon(out)).toBe(true);
    expect(await told()).toEqual(['Move started', 'Move started']);
  });

  it('keeps an endpoint with an interval of one second on its own schedule', async () => {
    const id = await endpoint(DOWN, { interval: 1, timeout: 1 });
    await database.query(
      `UPDATE endpoint_schedule SET next_check_at = now() + interval '900 ms' WHERE endpoint_id = $1`,
      [parseId('endpoint', id)],
    );
    const at = () =>
      database.query('SELECT next_check_at FROM endpoint_schedule WHERE endpoint_id = $1', [parseId('endpoint', id)]);
    const before = await at();
    await app.write.post(`/maintenance-windows/${await running({ all: true })}/end`);
    await sweep();
    expect(await at()).toEqual(before);
  });

  it.each(['before_over', 'after_over'] as const)(
    'is completed by the next sweep and sent once if the end fails at %s',
    async (point) => {
      const down = await endpoint(DOWN);
      const id = await running({ all: true });
      await sweep();
      await app.write.post(`/maintenance-windows/${id}/end`);
      armFailpoints([`maintenance.${point}=error`]);
      await expect(sweep()).rejects.toThrow(`maintenance.${point}`);
      expect([await told(), await isDueSoon(down)]).toEqual([['Move started'], false]);
      armFailpoints([]);
      await sweep();
      await sweep();
      expect([await told(), await isDueSoon(down)]).toEqual([['Move started', 'Move ended'], true]);
    },
  );

  it('is sent once, by the next sweep, if the start fails', async () => {
    await running({ all: true });
    armFailpoints(['maintenance.before_begun=error']);
    await expect(sweep()).rejects.toThrow('maintenance.before_begun');
    expect(await told()).toEqual([]);
    armFailpoints([]);
    await sweep();
    await sweep();
    expect(await told()).toEqual(['Move started']);
  });

  it('is handled by only one of several simultaneous sweeps', async () => {
    const ids = [await running({ all: true }), await running({ all: true })];
    await Promise.all([sweep(), sweep(), sweep()]);
    for (const id of ids) await app.write.post(`/maintenance-windows/${id}/end`);
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    expect((await told()).sort()).toEqual(['Move ended', 'Move ended', 'Move started', 'Move started']);
  });

  it('is sent once though the clock is set back', async () => {
    await running({ all: true });
    await sweep();
    clock.advance(-HOUR / 2);
    await sweep();
    await app.app.get(OccurrencePlanner).run();
    clock.advance(HOUR / 2);
    await sweep();
    expect(await told()).toEqual(['Move started']);
    clock.advance(HOUR);
    await sweep();
    clock.advance(-HOUR);
    await sweep();
    expect(await told()).toEqual(['Move started', 'Move ended']);
  });

  it('sends the end of an occurrence that started and ended while no sweep ran', async () => {
    await app.write.post(`/maintenance-windows/${await running({ all: true })}/end`);
    await sweep();
    expect(await told()).toEqual(['Move ended']);
  });

  it('reaches the clients of the live stream of its organization', async () => {
    const other = await app.organization('Other');
    const streams = await Promise.all(
      [app.read, other.read].map(async ({ key }) => {
        const response = await fetch(`${app.url}/api/v1/stream`, { headers: { authorization: `Bearer ${key ?? ''}` } });
        const seen = { text: '', response };
        void response.body
          ?.pipeThrough(new TextDecoderStream())
          .pipeTo(new WritableStream({ write: (part) => void (seen.text += part) }))
          .catch(() => {});
        return seen;
      }),
    );
    const [mine, theirs] = streams;
    await eventually('both are open', () => streams.every(({ text }) => text.includes('event: ready')));
    const id = await running({ all: true });
    await sweep();
    await app.write.post(`/maintenance-windows/${id}/end`);
    await sweep();
    await eventually('the end is told', () => mine?.text.includes('"state":"ended"'));
    const data = [...(mine?.text ?? '').matchAll(/id: at_\S+\nevent: maintenance\ndata: (.*)\n/g)].map(
      ([, json = '']) => JSON.parse(json) as object,
    );
    expect(data).toEqual([
      { window_id: id, name: 'Move', state: 'started', until: expect.stringMatching(/Z$/) },
      { window_id: id, name: 'Move', state: 'ended', until: expect.stringMatching(/Z$/) },
    ]);
    expect(theirs?.text).not.toContain('maintenance');
  });

  it('ten thousand endpoints that are down are all due after a window over everything', async () => {
    const many = await newWebsite(app.write);
    const source = app.app.get(DataSource);
    await source.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), org_id, id, 'n' || n, 'http://many.example/' || n, 'HTTP' FROM website, generate_series(1, 10000) AS n WHERE id = $1`,
      [parseId('website', many)],
    );
    await source.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, status) SELECT id, key, org_id, 0 FROM endpoint WHERE website_id = $1`,
      [parseId('website', many)],
    );
    await source.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       SELECT id, org_id, 3600, 10, (random() * 3600000)::int, true, 0, now() + interval '1 hour' FROM endpoint WHERE website_id = $1`,
      [parseId('website', many)],
    );
    const began = performance.now();
    const id = await running({ all: true });
    const created = performance.now();
    await app.write.post(`/maintenance-windows/${id}/end`);
    const ending = performance.now();
    await sweep();
    process.stdout.write(
      `10,000 endpoints: window created in ${(created - began).toFixed(0)} ms, end acted on in ${(performance.now() - ending).toFixed(0)} ms\n`,
    );
    const late = await source.query<object[]>(
      `SELECT 1 FROM endpoint_schedule s JOIN endpoint e ON e.id = s.endpoint_id WHERE e.website_id = $1 AND s.next_check_at > now() + interval '30 s'`,
      [parseId('website', many)],
    );
    expect([late.length, await told()]).toEqual([0, ['Move ended']]);
    await app.write.delete(`/websites/${many}`);
  });
});
