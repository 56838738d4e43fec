/**
 * @lane slow
 * @databases both
 */
import type { PingView } from '../../../src/heartbeat/ping.dto';
import { AcknowledgementJob } from '../../../src/alert/acknowledgement/acknowledgement.job';
import { MaintenanceSweep } from '../../../src/maintenance/maintenance-sweep.job';
import { eventually } from '../../../packages/testing/eventually';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { StreamReader } from '../../../src/stream/stream-reader';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { sweepHeartbeats } from '../../harness/app/heartbeats';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';

interface Heartbeat {
  every: number | null;
  grace: number;
  ping_id: string;
  push_token: string;
  ping_url: string | null;
  last_ping_at: string | null;
  next_expected_at: string | null;
  late_at: string | null;
  running_since: string | null;
}
interface Endpoint {
  id: string;
  url: string;
  status: string;
  interval: number | null;
  heartbeat: Heartbeat;
}
interface Check {
  outcome: string;
  checked_at: string;
  duration_ms: number | null;
  error: { code: string; phase: string; message: string } | null;
}

const DAILY = { every: 86_400 };
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

describe('a heartbeat', () => {
  let app: TestApp;
  let websiteId: string;
  let pingKey: string;
  beforeAll(async () => {
    app = await startOwnApp({ publicUrl: 'https://uptime.example.com' });
    websiteId = await newWebsite(app.write);
    pingKey = (await app.write.get<{ ping_key: string }>(`/websites/${websiteId}`)).body.ping_key;
  });
  afterAll(() => app.close());

  const fields = (more: object = {}) => ({ name: 'Backup', type: 'HEARTBEAT', heartbeat: DAILY, ...more });
  const make = async (more: object = {}, query = ''): Promise<Endpoint> =>
    (await app.write.post<Endpoint>(`/websites/${websiteId}/endpoints${query}`, fields(more))).body;
  const read = async ({ id }: { id: string }): Promise<Endpoint> =>
    (await app.write.get<Endpoint>(`/endpoints/${id}`)).body;
  const checks = async ({ id }: { id: string }): Promise<Check[]> =>
    (await app.read.get<Check[]>(`/endpoints/${id}/checks`)).body;
  const sweep = () => sweepHeartbeats(app);
  const pinged = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
    const response = await fetch(`${app.url}${path}`, init);
    return [response.status, await response.text()];
  };

  it('shows its schedule and URLs, and null for fields that it does not have', async () => {
    const made = await make();
    expect(made).toMatchObject({ url: 'heartbeat:', status: 'unknown', interval: null, headers: null, tls: null });
    expect(made.heartbeat).toMatchObject({ every: 86_400, cron: null, grace: 3600, next_expected_at: null });
    expect(made.heartbeat.ping_url).toBe(`https://uptime.example.com/ping/${made.heartbeat.ping_id}`);
    expect(made.heartbeat.push_token).toMatch(/^[\w-]{24}$/);
    const shown = (await app.read.get<Endpoint>(`/endpoints/${made.id}`)).body.heartbeat;
    expect(shown).toMatchObject({ ping_id: '********', push_token: '********', ping_url: '********' });
    expect((await app.read.get<{ ping_key: string }>(`/websites/${websiteId}`)).body.ping_key).toBe('********');
  });

  it('can be sent back unchanged, also with masks', async () => {
    const made = await make();
    expect((await app.write.put(`/endpoints/${made.id}`, made)).status).toBe(200);
    const masked = { ...made, heartbeat: { ...made.heartbeat, ping_id: '********', push_token: '********' } };
    expect((await app.write.put(`/endpoints/${made.id}`, masked)).status).toBe(200);
    expect((await read(made)).heartbeat).toEqual(made.heartbeat);
  });

  it('keeps URLs that a job already uses, and refuses those that are taken', async () => {
    const heartbeat = { ...DAILY, ping_id: UNKNOWN.replace(/1/g, '4'), push_token: 'token-of-kuma' };
    expect((await make({ heartbeat })).heartbeat).toMatchObject({
      ping_id: heartbeat.ping_id,
      push_token: 'token-of-kuma',
    });
    const again = await app.write.post(`/websites/${websiteId}/endpoints`, fields({ heartbeat }));
    expect([again.status, again.text]).toEqual([409, expect.not.stringContaining('Backup')]);
    expect(await pinged('/api/push/token-of-kuma?status=up&msg=OK&ping=')).toEqual([200, '{"ok":true}']);
    expect(await pinged('/api/push/token-of-none')).toEqual([
      404,
      '{"ok":false,"msg":"Monitor not found or not active."}',
    ]);
  });

  it('is up at its first ping, and expects the next a period later', async () => {
    const made = await make();
    const { status: taken, text, headers } = await app.ping(made, 'success', { body: 'done' });
    expect([taken, text]).toEqual([200, 'OK']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'ping-body-limit': '10000',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
    const { status, heartbeat } = await read(made);
    expect(status).toBe('up');
    const last = Date.parse(heartbeat.last_ping_at ?? '');
    expect(Date.parse(heartbeat.next_expected_at ?? '') - last).toBe(86_400_000);
    expect(Date.parse(heartbeat.late_at ?? '') - last).toBe(90_000_000);
    expect(await checks(made)).toMatchObject([
      { outcome: 'up', checked_at: heartbeat.last_ping_at, duration_ms: null, error: null },
    ]);
    const latency = await app.read.get<{ latency: object }>(`/endpoints/${made.id}/uptime`);
    expect(latency.body.latency).toMatchObject({ avg: null, p95: null });
  });

  it('shows in the overview when its next ping is expected, which no other endpoint has', async () => {
    const made = await make();
    await pinged(`/ping/${made.heartbeat.ping_id}`);
    const other = await newEndpoint(app.write, websiteId);
    const items = (await app.read.get<{ id: string; next_expected_at: string | null }[]>('/overview')).body;
    const shown = ({ id }: { id: string }) => items.find((item) => item.id === id)?.next_expected_at;
    expect(shown(made)).toBe((await read(made)).heartbeat.next_expected_at);
    expect(shown({ id: other })).toBeNull();
  });

  it('has its last ping and the next expected one in the metrics, and the service its number of pings', async () => {
    const made = await make({ key: 'measured' });
    await pinged(`/ping/${made.heartbeat.ping_id}`);
    const { last_ping_at, next_expected_at } = (await read(made)).heartbeat;
    const { text } = await app.read.get('/metrics');
    const value = (gauge: string) =>
      new RegExp(`^uptime_endpoint_${gauge}_timestamp_seconds.*"measured".* (.+)$`, 'm').exec(text)?.[1];
    expect(Number(value('last_ping'))).toBe(Date.parse(last_ping_at ?? '') / 1000);
    expect(Number(value('expected'))).toBe(Date.parse(next_expected_at ?? '') / 1000);
    const own = await (await fetch(`${app.url}/metrics`)).text();
    for (const sample of [
      'uptime_pings_total{result="taken"} ',
      'uptime_heartbeats_overdue 0',
      'uptime_ingest_gap_seconds_total ',
    ])
      expect(own).toContain(`\n${sample}`);
  });

  it('is not late if the service was not there to accept its ping', async () => {
    const made = await make({ heartbeat: { every: 60, grace: 60 } });
    await app.ping(made);
    // Simulates that the service stopped a minute after the ping.
    await app.app.get(Database).query(
      `UPDATE heartbeat SET expected_at = now() - interval '10 minutes', deadline_at = now() - interval '9 minutes'
      WHERE ping_id = $1`,
      [made.heartbeat.ping_id],
    );
    await app.app.get(Database).query(`UPDATE ingest_seen SET seen_at = now() - interval '10 minutes'`);
    await app.advance('1 s');
    expect((await checks(made))[0]).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    expect((await checks(made)).filter(({ outcome }) => outcome === 'down')).toEqual([]);
  });

  it('answers each URL as healthchecks does', async () => {
    const { ping_id: id } = (await make({ key: 'nightly' })).heartbeat;
    const answers = async (...paths: string[]) => Promise.all(paths.map((path) => pinged(path)));
    expect(await answers(`/${id}`, `/ping/${id}/start/`, `/ping/${id}/log`, `/ping/${pingKey}/nightly`)).toEqual(
      Array.from({ length: 4 }, () => [200, 'OK']),
    );
    expect(await answers(`/ping/${id}/256`, `/ping/${id}/START`, `/ping/${id}?rid=no`)).toEqual([
      [400, 'invalid url format'],
      [400, 'invalid url format'],
      [400, 'invalid uuid format'],
    ]);
    expect(
      await answers(`/ping/${UNKNOWN}`, `/ping/${UNKNOWN}/START`, `/ping/${id}/foo`, `/ping/${pingKey}/none`),
    ).toEqual(Array.from({ length: 4 }, () => [404, 'not found']));
    expect(await pinged(`/ping/${id}`, { method: 'HEAD' })).toEqual([200, '']);
    expect(await pinged(`/ping/${id}`, { method: 'OPTIONS' })).toEqual([204, '']);
    expect((await pinged(`/ping/${id}`, { method: 'PUT' }))[0]).toBe(405);
  });

  it('accepts any body, and keeps its first 10,000 bytes as text', async () => {
    const made = await make();
    const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
      pinged(`/ping/${made.heartbeat.ping_id}/log`, { method: 'POST', body, headers });
    const odd = Buffer.from([0x61, 0x00, 0xff, 0x62]);
    expect(await post(odd, { 'content-type': 'application/json', 'content-encoding': 'gzip' })).toEqual([200, 'OK']);
    expect(await post('é'.repeat(300_000), { 'idempotency-key': 'x', authorization: 'Bearer wrong' })).toEqual([
      200,
      'OK',
    ]);
    const kept = await app.app
      .get(Database)
      .query<{ body: string; body_bytes: number }>(
        `SELECT body, body_bytes FROM ping WHERE kind = 3 AND body IS NOT NULL ORDER BY id DESC LIMIT 2`,
      );
    expect(kept.map(({ body, body_bytes }) => [body.length, body_bytes])).toEqual([
      [5000, 600_000],
      [4, 4],
    ]);
  });

  it('is down at once when its job fails, and shows why', async () => {
    const made = await make();
    await app.ping(made, 'fail', { exitCode: 3 });
    expect(await checks(made)).toMatchObject([
      {
        outcome: 'down',
        error: { code: 'heartbeat_failed', phase: 'run', message: expect.stringContaining('exit code 3') },
      },
    ]);
    await pinged(`/api/push/${made.heartbeat.push_token}?status=down&msg=disk%20full`);
    expect((await checks(made))[0]?.error?.message).toBe('disk full');
  });

  it.each([
    ['a result with its reason and its time', '?status=up&msg=214%20tables&ping=31.6', '214 tables', 10, 32],
    ['a failure with its reason', '?status=down&msg=disk%20full&ping=', 'disk full', 9, null],
    ['a time that is not a number', '?msg=OK&ping=1e99', 'OK', 2, null],
    ['a negative time', '?msg=&ping=-1', null, 0, null],
    ['the first 10,000 bytes of a reason', `?msg=${'x'.repeat(9999)}%C3%BC%C3%BC`, 'x'.repeat(9999), 10_003, null],
  ])('lists a push in the form of Uptime Kuma: %s', async (_, query, body, body_bytes, duration_ms) => {
    const made = await make();
    expect((await pinged(`/api/push/${made.heartbeat.push_token}${query}`))[0]).toBe(200);
    const [listed] = (await app.write.get<PingView[]>(`/endpoints/${made.id}/pings`)).body;
    expect(listed).toMatchObject({ body, body_bytes, duration_ms });
    expect((await checks(made))[0]?.duration_ms ?? null).toBe(duration_ms);
  });

  it('takes the duration of a run from its start, and the text from the body, regardless of the query of a push', async () => {
    const made = await make();
    await app.ping(made, 'start');
    const path = `/api/push/${made.heartbeat.push_token}?msg=OK&ping=86400000`;
    expect((await fetch(`${app.url}${path}`, { method: 'POST', body: 'the log' })).status).toBe(200);
    const [listed] = (await app.write.get<PingView[]>(`/endpoints/${made.id}/pings`)).body;
    expect(listed).toMatchObject({ body: 'the log', body_bytes: 7 });
    expect(listed?.duration_ms).toBeLessThan(86_400_000);
  });

  it.each([298, 299, 300])(
    'is down with a message that is cut between characters: %i letters and an emoji',
    async (letters) => {
      const made = await make();
      const msg = encodeURIComponent(`${'x'.repeat(letters)}😀`);
      expect(await pinged(`/api/push/${made.heartbeat.push_token}?status=down&msg=${msg}`)).toEqual([
        200,
        '{"ok":true}',
      ]);
      const [check] = await checks(made);
      expect(check).toMatchObject({ outcome: 'down', error: { code: 'heartbeat_failed' } });
      expect(check?.error?.message).toMatch(/^x{298,300}(😀)?$/u);
    },
  );

  it('is created by the first ping with create=1, once, no matter how many pings arrive at the same time', async () => {
    const path = `/ping/${pingKey}/created-by-ping?create=1`;
    const all = await Promise.all(Array.from({ length: 6 }, () => pinged(path)));
    expect(all.filter(([status]) => status === 201)).toEqual([[201, 'Created']]);
    expect(all.filter(([status]) => status === 200)).toHaveLength(5);
    expect(await pinged(path)).toEqual([200, 'OK']);
    expect((await pinged(`/ping/${pingKey}/Not-A-Key?create=1`))[0]).toBe(404);
  });

  it('is refused a check on demand, and the website’s key is replaced at once', async () => {
    const made = await make({ key: 'rotated' });
    expect((await app.write.post(`/endpoints/${made.id}/checks`)).status).toBe(409);
    expect((await app.write.post('/endpoints/test', fields())).status).toBe(409);
    const other = await newWebsite(app.write, 'Other');
    const before = (await app.write.get<{ ping_key: string }>(`/websites/${other}`)).body.ping_key;
    const after = await app.write.post<{ ping_key: string }>(`/websites/${other}/ping-key/rotate`);
    expect([after.status, after.body.ping_key === before]).toEqual([200, false]);
  });

  it('shows a run by its id and its duration', async () => {
    const made = await make();
    const [a, b] = [UNKNOWN, UNKNOWN.replace(/1/g, '2')];
    await app.ping(made, 'start', { rid: a });
    const since = (await read(made)).heartbeat.running_since;
    expect(since).not.toBeNull();
    await app.advance('5 min');
    await app.ping(made, 'start', { rid: b });
    await app.advance('5 min');
    await app.ping(made, 'success', { rid: a });
    expect(Math.round(((await checks(made))[0]?.duration_ms ?? 0) / 60_000)).toBe(10);
    expect(Date.parse((await read(made)).heartbeat.running_since ?? '')).toBeGreaterThan(Date.parse(since ?? ''));
  });

  it('sends the start and the end of a run and a log to the stream, but no success that changes nothing', async () => {
    const made = await make();
    await pinged(`/ping/${made.heartbeat.ping_id}`);
    const reader = app.app.get(StreamReader);
    const { now: begin } = await reader.now();
    for (const path of ['/start', '/log', '', '']) await pinged(`/ping/${made.heartbeat.ping_id}${path}`);
    // The first success changed the status. Its event may be published after it.
    const told = async () =>
      (await reader.after(begin, null, 100)).flatMap(({ message }) =>
        message?.includes('event: heartbeat') && message.includes(made.id) ? [message] : [],
      );
    await eventually('they are told', async () => (await told()).length >= 3);
    const kinds = ['start', 'log', 'success'];
    expect((await told()).map((message) => /event: heartbeat\ndata: (.*)/.exec(message)?.[1])).toEqual(
      kinds.map((kind) =>
        expect.stringContaining(`{"endpoint_id":"${made.id}","endpoint_name":"Backup","kind":"${kind}","at":"20`),
      ),
    );
  });

  it('misses a run at its deadline, alerts again for the next, and is up with a late ping', async () => {
    const made = await make({ heartbeat: { every: 3600, grace: 600 } });
    await app.ping(made);
    const { late_at } = (await read(made)).heartbeat;
    await app.advance('69 min');
    expect(await checks(made)).toHaveLength(1);
    await app.advance('2 min');
    expect(await checks(made)).toMatchObject([
      { outcome: 'down', checked_at: late_at, error: { code: 'heartbeat_missed' } },
      { outcome: 'up' },
    ]);
    expect((await read(made)).status).toBe('down');
    await app.ping(made);
    expect((await read(made)).status).toBe('up');
  });

  it('has its failure recorded once more when the delay of an alert rule has passed, so that it triggers then', async () => {
    const made = await make();
    const alert = await newAlert(app.write, made.id, { after: 120 });
    const triggered = async () => (await app.write.get<{ triggered: boolean }>(`/alerts/${alert}`)).body.triggered;
    await app.ping(made, 'fail');
    await app.advance('1 min');
    expect([await triggered(), (await checks(made)).length]).toEqual([false, 1]);
    await app.advance('61 s');
    expect([await triggered(), (await checks(made)).length]).toEqual([true, 2]);
  });

  const isTriggered = async (alert: string) =>
    (await app.write.get<{ triggered: boolean }>(`/alerts/${alert}`)).body.triggered;

  it('missed in a maintenance window is one failure that was planned, and triggers when the window is over', async () => {
    const made = await make({ heartbeat: { every: 3600, grace: 0 } });
    const alert = await newAlert(app.write, made.id);
    await pinged(`/ping/${made.heartbeat.ping_id}`);
    const nowMs = app.app.get(DatabaseClock).now().getTime();
    await newMaintenanceWindow(app.write, {
      scope: { endpoint_ids: [made.id] },
      starts_at: new Date(nowMs).toISOString(),
      ends_at: new Date(nowMs + 5_400_000).toISOString(),
    });
    await app.advance('61 min');
    await sweep();
    expect(await checks(made)).toMatchObject([{ outcome: 'down', planned: true }, { outcome: 'up' }]);
    expect(await isTriggered(alert)).toBe(false);
    await app.advance('30 min');
    await app.app.get(MaintenanceSweep).run();
    await sweep();
    expect(await checks(made)).toMatchObject([
      { outcome: 'down', planned: false, error: { code: 'heartbeat_missed' } },
      { outcome: 'down', planned: true },
      { outcome: 'up' },
    ]);
    expect(await isTriggered(alert)).toBe(true);
  });

  it.each<[string, (endpoint: Endpoint) => Promise<unknown>]>([
    ['is removed', ({ id }) => app.write.delete(`/endpoints/${id}/acknowledgement`)],
    [
      'ends at its time',
      async () => {
        await app.advance('61 s');
        await app.app.get(AcknowledgementJob).removeOver();
      },
    ],
  ])('acknowledged while it is down triggers when the acknowledgement %s', async (_, end) => {
    const made = await make();
    await pinged(`/ping/${made.heartbeat.ping_id}/fail`);
    const now = app.app.get(DatabaseClock).now().getTime();
    const until = new Date(now + 60_000).toISOString();
    expect((await app.write.put(`/endpoints/${made.id}/acknowledgement`, { until })).status).toBe(200);
    const alert = await newAlert(app.write, made.id);
    await pinged(`/ping/${made.heartbeat.ping_id}/fail`);
    await sweep();
    expect([await isTriggered(alert), (await checks(made)).length]).toEqual([false, 2]);
    await end(made);
    await sweep();
    expect([await isTriggered(alert), (await checks(made)).length]).toEqual([true, 3]);
  });

  it.each<[string, (parent: Endpoint) => Promise<unknown>]>([
    ['has recovered', (parent) => pinged(`/ping/${parent.heartbeat.ping_id}`)],
    ['is paused', (parent) => app.write.put(`/endpoints/${parent.id}`, { enabled: false })],
    ['is deleted', (parent) => app.write.delete(`/endpoints/${parent.id}`)],
  ])('down while another heartbeat that it depends on is down triggers when that %s', async (_, end) => {
    const parent = await make();
    const child = await make({ depends_on: [parent.id] });
    const alert = await newAlert(app.write, child.id);
    await pinged(`/ping/${parent.heartbeat.ping_id}/fail`);
    await pinged(`/ping/${child.heartbeat.ping_id}/fail`);
    await sweep();
    expect([await isTriggered(alert), (await checks(child)).length]).toEqual([false, 1]);
    await app.advance('1 s');
    await end(parent);
    await sweep();
    expect([await isTriggered(alert), (await checks(child)).length]).toEqual([true, 2]);
    expect((await checks(child))[0]?.error?.code).toBe('heartbeat_failed');
  });

  it('may be late before its first ping if it is armed, and takes too long according to its own limit', async () => {
    const armed = await make({ heartbeat: { every: 3600, grace: 0 } }, '?armed=true');
    const slow = await make({ heartbeat: { ...DAILY, max_runtime: 300 } });
    await app.ping(slow, 'start');
    await app.advance('61 min');
    expect(await checks(armed)).toMatchObject([{ outcome: 'down', error: { code: 'heartbeat_missed' } }]);
    expect(await checks(slow)).toMatchObject([{ outcome: 'down', error: { code: 'heartbeat_overran' } }]);
  });

  it('accepts pings while it is disabled, and expects the next in the future when it is enabled', async () => {
    const made = await make({ heartbeat: { every: 3600 } });
    await app.ping(made);
    await app.write.put(`/endpoints/${made.id}`, { enabled: false });
    expect((await read(made)).heartbeat).toMatchObject({ next_expected_at: null, late_at: null });
    expect((await app.ping(made)).status).toBe(200);
    await app.advance('3 h');
    expect(await checks(made)).toHaveLength(1);
    const enabled = (await app.write.put<Endpoint>(`/endpoints/${made.id}`, { enabled: true })).body.heartbeat;
    const expected = Date.parse(enabled.next_expected_at ?? '') - Date.parse(enabled.last_ping_at ?? '');
    expect(expected).toBe(4 * 3_600_000);
  });

  it('finishes the decisions of a killed process, once', async () => {
    const made = await make();
    await app.ping(made);
    const [{ at } = { at: 0 }] = await app.app.get(Database).query<{ at: number }>(
      `UPDATE heartbeat SET pending = jsonb_build_array(
           jsonb_build_object('atMs', round(extract(epoch FROM last_verdict_at) * 1000), 'outcome', 'up', 'code', NULL, 'message', '', 'durationMs', NULL, 'revision', 1),
           jsonb_build_object('atMs', round(extract(epoch FROM last_verdict_at) * 1000) + 7, 'outcome', 'down', 'code', 'heartbeat_failed', 'message', 'x', 'durationMs', NULL, 'revision', 1)),
         pending_at = now() - interval '1 second'
        WHERE ping_id = $1 RETURNING (extract(epoch FROM last_verdict_at) * 1000)::float8 + 7 AS at`,
      [made.heartbeat.ping_id],
    );
    await app.advance('1 s');
    expect(await checks(made)).toMatchObject([
      { outcome: 'down', checked_at: new Date(at).toISOString() },
      { outcome: 'up' },
    ]);
    expect(
      await app.app.get(Database).query('SELECT 1 FROM heartbeat WHERE pending IS NOT NULL OR pending_at IS NOT NULL'),
    ).toEqual([]);
  });

  it('has a separate request limit, and is deleted with its endpoint', async () => {
    const made = await make();
    await app.ping(made, 'log');
    // All at once, because another one is accepted every second.
    const many = await Promise.all(Array.from({ length: 14 }, () => app.ping(made, 'log')));
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    await app.write.delete(`/endpoints/${made.id}`);
    await app.advance('1 min');
    expect(await app.ping(made, 'log')).toMatchObject({ status: 404, text: 'not found' });
  });

  it('lists its pings newest first, with bodies for roles that may write', async () => {
    const made = await make();
    await app.ping(made, 'start', { rid: UNKNOWN });
    await app.ping(made, 'success', { rid: UNKNOWN, body: 'secret output' });
    const list = await app.write.get<Record<string, unknown>[]>(`/endpoints/${made.id}/pings`);
    expect(list.body).toMatchObject([
      {
        kind: 'success',
        run_id: UNKNOWN,
        body: 'secret output',
        body_bytes: 13,
        exit_code: null,
        address: '127.0.0.1',
      },
      { kind: 'start', run_id: UNKNOWN, body: null, body_bytes: 0, duration_ms: null },
    ]);
    expect(list.body[0]?.['id']).toMatch(/^pg_/);
    expect(list.body[0]?.['duration_ms']).toEqual(expect.any(Number));
    const first = await app.read.get<Record<string, unknown>[]>(`/endpoints/${made.id}/pings?limit=1`);
    expect(first.body).toMatchObject([{ body: '********' }]);
    const rest = await app.read.get(`/endpoints/${made.id}/pings?cursor=${first.headers['x-next-cursor']}`);
    expect(rest.body).toMatchObject([{ kind: 'start' }]);
    expect((await app.read.get(`/endpoints/${await newEndpoint(app.write, websiteId)}/pings`)).status).toBe(409);
  });

  it('is on a status page with its name and why it is down, but without its URL, output, or run', async () => {
    const website = await newWebsite(app.write, 'Jobs');
    const heartbeat = { ...DAILY, push_token: 'token-nobody-sees' };
    const id = await newEndpoint(app.write, website, {
      ...fields({ name: 'Nightly backup', heartbeat }),
      url: undefined,
    });
    const { ping_id } = (await read({ id })).heartbeat;
    await pinged(`/ping/${ping_id}/start`);
    await pinged(`/ping/${ping_id}/3`, { method: 'POST', body: 'output of the job' });
    const made = await app.admin.put(`/websites/${website}/status-page`, { slug: 'jobs', enabled: true });
    expect(made.status).toBe(200);
    const pages = await Promise.all(
      ['', '.json', '/feed.atom', '.svg'].map(async (form) => {
        const response = await fetch(`${app.url}/status/jobs${form}`, {
          headers: { accept: form === '' ? 'text/html' : '*/*' },
        });
        return [response.status, await response.text()] as const;
      }),
    );
    expect(pages.map(([status]) => status)).toEqual([200, 200, 200, 200]);
    const [html = '', json = '', , badge = ''] = pages.map(([, text]) => text);
    for (const page of [html, json]) expect(page).toContain('Nightly backup');
    expect(html).toContain('a run failed');
    expect(badge).toMatch(/down/);
    const { ping_key } = (await app.write.get<{ ping_key: string }>(`/websites/${website}`)).body;
    const secrets = [ping_id, heartbeat.push_token, ping_key, 'heartbeat:', 'output of the job', 'exit code'];
    for (const [, text] of pages) for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('gets new URLs, which are not in the audit log, and the old ones work for another day', async () => {
    const made = await make();
    const { ping_id: old } = made.heartbeat;
    const rotated = (await app.write.post<Endpoint>(`/endpoints/${made.id}/heartbeat/rotate`)).body.heartbeat;
    expect(rotated.ping_id).not.toBe(old);
    expect((await app.ping(made)).status).toBe(200);
    expect((await app.ping({ heartbeat: rotated })).status).toBe(200);
    await app.write.post(`/endpoints/${made.id}/heartbeat/rotate`);
    expect(await app.ping(made)).toMatchObject({ status: 404, text: 'not found' });
    const log = await app.admin.get(`/audit-log?resource_id=${made.id}`);
    expect(log.body).toMatchObject([{ action: 'update' }, { action: 'update' }, { action: 'create' }]);
    for (const address of [old, rotated.ping_id, made.heartbeat.push_token]) expect(log.text).not.toContain(address);
  });

  it('previews when pings are expected, across a change of clocks, and stores nothing', async () => {
    const heartbeat = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
    const from = '2026-10-24T12:00:00Z';
    const preview = await app.read.post<{ expected_at: string[] }>(`/endpoints/heartbeat/preview?from=${from}`, {
      heartbeat,
    });
    expect(preview.body.expected_at.slice(0, 2)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
    expect(preview.body.expected_at).toHaveLength(10);
    expect((await app.read.post('/endpoints/heartbeat/preview', { heartbeat: {} })).status).toBe(400);
  });

  it('triggers at its first failure, regardless of the default thresholds of its contacts', async () => {
    const { write } = await app.organization('Alerted');
    await newContact(write, { default: true, alert_defaults: { failure_threshold: 5 } });
    const website = await newWebsite(write);
    const id = await newEndpoint(write, website, { ...fields(), url: undefined });
    const other = await newEndpoint(write, website);
    const thresholds = async (endpoint: string) =>
      (
        await write.get<{ failure_threshold: number; success_threshold: number }[]>(`/alerts?endpoint_id=${endpoint}`)
      ).body.map(({ failure_threshold, success_threshold }) => [failure_threshold, success_threshold]);
    expect(await thresholds(id)).toEqual([[1, 1]]);
    expect(await thresholds(other)).toEqual([[5, 2]]);
    await newAlert(write, id, { failure_threshold: 2 });
    expect(await thresholds(id)).toEqual([
      [1, 1],
      [2, 1],
    ]);
    const bare = await newEndpoint(write, website, { ...fields(), url: undefined });
    const more = await newContact(write, { name: 'More', alert_defaults: { failure_threshold: 5 } });
    await write.post(`/contacts/${more}/alerts`, { scope: { endpoint_ids: [bare, other] }, success_threshold: 4 });
    expect(await thresholds(bare)).toEqual([
      [1, 1],
      [1, 4],
    ]);
    expect((await thresholds(other)).at(-1)).toEqual([5, 4]);
  });

  it('counts for the quota by its period', async () => {
    const { write } = await app.organization('Counted');
    const website = await newWebsite(write);
    await newEndpoint(write, website, { name: 'Backup', url: undefined, type: 'HEARTBEAT', heartbeat: { every: 100 } });
    const [row] = await app.app
      .get(Database)
      .query<{ rate: number }>(
        'SELECT (check_rate / 1e6)::float8 AS rate FROM organization_use u JOIN organization o ON o.id = u.org_id WHERE o.name = $1',
        ['Counted'],
      );
    expect(row?.rate).toBeCloseTo(0.01);
  });
});
