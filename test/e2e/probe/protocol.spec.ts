/** @databases both */
import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CheckView } from '../../../src/history/read/check.dto';
import { AssignedEndpoints } from '../../../src/monitoring/probes/intake/assigned-endpoints';
import { readResult } from '../../../src/monitoring/probes/intake/sent-results';
import { IntakeService } from '../../../src/monitoring/probes/intake/intake.service';
import { ProbePresenceJob } from '../../../src/monitoring/probes/presence/probe-presence.job';
import type { ProbeCaller } from '../../../src/platform/access/caller';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import type { ProbeView } from '../../../src/probe/probe.dto';
import { digestOf } from '../../../src/probe-protocol/digest';
import { POLL_PATH, RESULTS_PATH } from '../../../src/probe-protocol/protocol';
import { StreamReader } from '../../../src/stream/stream-reader';
import { eventually } from '../../../packages/testing/eventually';
import { startApp, type TestApp } from '../../harness/app/app';
import { collectQueries } from '../../harness/app/query-counter';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import {
  DOWN,
  nextAsks,
  numberNow,
  resultOf,
  type ManualProbe,
  startManualProbe,
} from '../../harness/app/manual-probe';

interface Watched {
  id: string;
  errors?: { pointer: string; code: string }[];
}

const URL_OF_TARGET = 'https://shop.example.com/health';

describe('the probe protocol', () => {
  let app: TestApp;
  let database: Database;
  let probe: ManualProbe;
  let website: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
    website = await newWebsite(app.write);
    probe = await startManualProbe(app, 'fra');
  });
  afterAll(() => app.close());

  /** Creates an endpoint of the probe, and sends it to the probe. */
  const newRemote = async (fields: object = {}): Promise<string> => {
    const id = await newEndpoint(app.write, website, {
      url: URL_OF_TARGET,
      interval: 60,
      locations: ['fra'],
      ...fields,
    });
    await told();
    return id;
  };
  /** Returns the changes that are sent to the probe. */
  const told = async () => {
    await numberNow(app);
    return probe.sync();
  };
  const change = (id: string, fields: object) => app.write.put(`/endpoints/${id}`, fields);
  const viewOf = async () => (await app.read.get<ProbeView>(`/probes/${probe.id}`)).body;
  const statusOf = async (id: string) => (await app.read.get<{ status: string }>(`/endpoints/${id}`)).body.status;

  describe('sends a probe its checks', () => {
    it('as they were saved, with the headers that are masked for others, and each change of them', async () => {
      const headers = [{ key: 'Authorization', value: 'Bearer secret' }];
      const id = await newEndpoint(app.write, website, { url: URL_OF_TARGET, headers, timeout: 7, locations: ['fra'] });
      expect((await probe.sync()).endpoints).toEqual([]);
      const first = await told();
      expect(first).toMatchObject({ full_sync: false, has_more: false, removed: [], pause_ms: 0, requests: [] });
      expect(first.lease_until - first.now).toBe(900_000);
      expect(first.endpoints).toEqual([
        {
          endpoint_id: id,
          organization: formatId('organization', app.orgId),
          revision: 1,
          interval: 60,
          phase_ms: expect.any(Number),
          run_now: true,
          confirm_at: null,
          allow_private: false,
          definition: {
            type: 'HTTPS',
            url: URL_OF_TARGET,
            timeout: 7,
            method: 'GET',
            headers,
            body: null,
            follow_redirects: true,
            assertions: [],
            tls: null,
            certificate_warn_days: 14,
          },
        },
      ]);
      expect((await told()).endpoints).toEqual([]);

      await newAlert(app.write, id, { failure_threshold: 2 });
      expect((await told()).endpoints).toMatchObject([{ endpoint_id: id, revision: 1, confirm_at: null }]);
      await change(id, { method: 'HEAD', enabled: true });
      expect((await told()).endpoints).toMatchObject([{ revision: 2, definition: { method: 'HEAD' } }]);
      await change(id, { enabled: false });
      expect(await told()).toMatchObject({ endpoints: [], removed: [id] });
      await change(id, { enabled: true });
      expect(await told()).toMatchObject({ endpoints: [{ endpoint_id: id }], removed: [] });
      await change(id, { locations: ['local'] });
      expect(await told()).toMatchObject({ endpoints: [], removed: [id] });
      await change(id, { locations: ['local', 'fra'] });
      expect((await told()).endpoints).toMatchObject([{ endpoint_id: id, confirm_at: null }]);
      await app.write.delete(`/endpoints/${id}`);
      expect(await told()).toMatchObject({ endpoints: [], removed: [id] });
    });

    it('in full if the cursor is foreign, or the digest differs', async () => {
      const id = await newRemote();
      const all = [...probe.held.values()];
      const held = { count: all.length, digest: digestOf(all) };
      expect((await probe.poll(held)).body).toMatchObject({ full_sync: false, endpoints: [] });
      expect((await probe.poll({ ...held, count: 7 })).body.endpoints).toHaveLength(all.length);
      for (const cursor of ['nonsense', `A${probe.cursor ?? ''}`])
        expect((await probe.poll({ cursor })).body).toMatchObject({ full_sync: true, has_more: false });
      await change(id, { name: 'Health' });
      expect((await told()).endpoints).toEqual([]);
    });
  });

  it('lets the newest session work, and the one before if the newest does not respond', async () => {
    const [first, second] = [probe.another(), probe.another()];
    await first.sync();
    await second.sync();
    expect(await first.poll()).toMatchObject({ status: 409, body: { code: 'session_replaced' } });
    expect((await first.poll({ standby: true })).status).toBe(409);
    expect((await second.poll()).status).toBe(200);
    await database.query(`UPDATE probe SET last_seen_at = now() - interval '46 seconds' WHERE id = $1`, [
      parseId('probe', probe.id),
    ]);
    expect((await first.poll({ standby: true })).status).toBe(200);
    expect((await second.poll()).status).toBe(409);
    const waiting = first.poll({ wait: 20 });
    const third = probe.another();
    await third.sync();
    expect((await waiting).status).toBe(409);
    Object.assign(probe, { session: third.session, cursor: third.cursor });
  });

  it('answers a waiting poll as soon as there is something', async () => {
    const id = await newRemote();
    const waiting = probe.poll({ wait: 20 });
    await change(id, { timeout: 3 });
    await numberNow(app);
    expect((await waiting).body.endpoints).toMatchObject([{ endpoint_id: id, revision: 2 }]);
  });

  it.each([
    ['401', 'whose token is revoked', (id: string) => app.admin.post(`/probes/${id}/rotate`, { grace: 0 })],
    ['403', 'that is disabled', (id: string) => app.admin.put(`/probes/${id}`, { enabled: false })],
  ])('answers a waiting poll at once with %s to a probe %s, which gets nothing more', async (status, _, end) => {
    const ended = await startManualProbe(app, `ended-${status}`);
    const process = ended.another();
    const waiting = process.poll({ cursor: ended.cursor, wait: 20 });
    await eventually('it waits', async () => {
      const sql = 'SELECT FROM probe WHERE id = $1 AND session = $2';
      return (await database.query(sql, [parseId('probe', ended.id), process.session])).length > 0;
    });
    await end(ended.id);
    expect((await waiting).status).toBe(Number(status));
  });

  it('shows what a probe reports of itself, and when it stops responding (Grafana app #1000)', async () => {
    const clock = Date.now() + 90_000;
    await probe.poll({
      version: '0.2.0',
      types: ['HTTP', 'HTTPS'],
      clock,
      buffered: 3,
      dropped: 2,
      skipped: 1,
      lag_ms: 7,
    });
    const shown = { status: 'online', version: '0.2.0', protocol: 1, types: ['HTTP', 'HTTPS'], buffered: 3 };
    expect(await viewOf()).toMatchObject({ ...shown, dropped: 2, skipped: 1, lag_ms: 7 });
    expect(Math.abs(((await viewOf()).clock_offset_ms ?? 0) - 90_000)).toBeLessThan(2000);
    const watched = await newEndpoint(app.write, website, { type: 'PROBE', url: 'probe:fra' });
    const look = async () => (await app.write.post<CheckView>(`/endpoints/${watched}/checks`)).body;
    expect(await look()).toMatchObject({
      outcome: 'up',
      warning: { message: expect.stringMatching(/^Probe fra: the clock of the probe is (89|90|91) s ahead/) },
    });
    await database.query(`UPDATE probe SET last_seen_at = now() - interval '61 seconds' WHERE id = $1`, [
      parseId('probe', probe.id),
    ]);
    await app.app.get(ProbePresenceJob).run();
    expect(await viewOf()).toMatchObject({ status: 'offline' });
    expect(await look()).toMatchObject({ outcome: 'down', error: { code: 'probe_offline' } });
    await probe.poll();
    expect(await viewOf()).toMatchObject({ status: 'online' });
    expect(await look()).toMatchObject({ outcome: 'up', degraded: false });
    await app.write.delete(`/endpoints/${watched}`);
  });

  it.each([
    ['probe:fra', 201, undefined],
    ['probe:shared/fra', 400, 'unknown_location'],
    ['probe:nowhere', 400, 'unknown_location'],
    ['probe:local', 400, 'unknown_location'],
    ['fra', 400, 'invalid_format'],
    ['probe:Fra', 400, 'invalid_format'],
    ['probe:frashared/x', 400, 'invalid_format'],
  ])('watches by the target %s: %i', async (url, status, code) => {
    const fields = { name: 'Watched', type: 'PROBE', url };
    const { body, ...reply } = await app.write.post<Watched>(`/websites/${website}/endpoints`, fields);
    expect([reply.status, body.errors?.[0]?.code]).toEqual([status, code]);
    if (status === 400) return expect(body.errors).toMatchObject([{ pointer: '/url' }]);
    const changed = await app.write.put<Watched>(`/endpoints/${body.id}`, { url: 'probe:nowhere' });
    expect([changed.status, changed.body.errors]).toMatchObject([400, [{ pointer: '/url', code: 'unknown_location' }]]);
    expect((await app.write.put(`/endpoints/${body.id}`, { name: 'Other', url })).status).toBe(200);
    await app.write.delete(`/endpoints/${body.id}`);
  });

  it('is not deleted while an endpoint watches it, and a deleted one is down for endpoints that watched it', async () => {
    const { body: made } = await app.admin.post<{ id: string }>('/probes', { key: 'watched' });
    const watching = await newEndpoint(app.write, website, { type: 'PROBE', url: 'probe:watched' });
    expect(await app.admin.delete(`/probes/${made.id}`)).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('1 endpoint of type PROBE watches the probe') },
    });
    // Writes the row as an older build did.
    await database.query('DELETE FROM probe WHERE id = $1', [parseId('probe', made.id)]);
    const { body: check } = await app.write.post<object>(`/endpoints/${watching}/checks`);
    expect(check).toMatchObject({ outcome: 'down', error: { code: 'probe_offline' } });
    await app.write.delete(`/endpoints/${watching}`);
  });

  it('is named in the metrics, which need no key, only if it is the operator’s', async () => {
    const { body: shared } = await app.operator.post<{ id: string }>('/shared-probes', { key: 'measured' });
    await database.query('UPDATE probe SET protocol = 1 WHERE id = $1', [parseId('probe', shared.id)]);
    await app.app.get(ProbePresenceJob).run();
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain(`uptime_probe_up{probe="${shared.id}"} 0`);
    expect(metrics).toContain('uptime_probe_sessions_total{probe="organizations"}');
    expect(metrics).toMatch(/^uptime_organization_probes\{state="online"\} [1-9]/m);
    expect(metrics).not.toContain(probe.id);
    await app.operator.delete(`/shared-probes/${shared.id}`);
  });

  it('names the protocols it supports to a probe with another one, which is shown as unsupported', async () => {
    const [before, reply] = [probe.cursor, await probe.poll({ protocol: 2, version: '9.0.0' })];
    expect(reply).toMatchObject({ status: 409, body: { code: 'protocol_unsupported', supported: [1] } });
    expect(await viewOf()).toMatchObject({ status: 'unsupported', version: '9.0.0' });
    probe.cursor = before;
    expect((await probe.poll()).status).toBe(200);
    expect(await viewOf()).toMatchObject({ status: 'online' });
  });

  describe('accepts results', () => {
    it('once each, in their order, no matter how often they are sent', async () => {
      const id = await newRemote();
      const { now } = await probe.sync();
      const slots = [3, 2, 1].map((ago) => probe.result(id, now - ago * 60_000, ago === 1 ? DOWN : {}));
      expect((await probe.send(slots)).body).toMatchObject({ recorded: 3, duplicates: 0, refused: [], pause_ms: 0 });
      expect((await probe.send(slots)).body).toMatchObject({ recorded: 0, duplicates: 3, refused: [] });
      const [both, again] = await Promise.all(
        [0, 1].map(() => probe.send([...slots, probe.result(id, now)]).then(({ body }) => body)),
      );
      expect((both?.recorded ?? 0) + (again?.recorded ?? 0)).toBe(1);
      expect(await statusOf(id)).toBe('up');
      const { body: checks } = await app.read.get<CheckView[]>(`/endpoints/${id}/checks`);
      expect(checks.map(({ outcome }) => outcome)).toEqual(['up', 'down', 'up', 'up']);
    });

    it('and counts those that came too late to trigger anything', async () => {
      const id = await newRemote();
      const { now } = await probe.sync();
      expect((await probe.send([probe.result(id, now - 10 * 60_000)])).body).toMatchObject({ recorded: 1, late: 1 });
      expect((await probe.send([probe.result(id, now)])).body).toMatchObject({ recorded: 1, late: 0 });
    });

    it('of one grid only, though two requests send the results of two at the same moment', async () => {
      const id = await newRemote();
      const { now } = await probe.sync();
      const row = probe.result(id, now);
      const moved = { ...row, slot: (row.slot ?? 0) + 1000, checked_at: row.checked_at + 1000 };
      const bodies = await Promise.all([row, moved].map((one) => probe.send([one]).then(({ body }) => body)));
      const [first, second] = bodies.toSorted((a, b) => b.recorded - a.recorded);
      expect([first?.recorded, second?.recorded]).toEqual([1, 0]);
      // If the later one came first, the earlier one is a duplicate.
      expect([second?.duplicates, second?.refused.map(({ code }) => code)]).toEqual(
        bodies[0] === first ? [0, ['not_a_slot']] : [1, []],
      );
    });

    it('without reading their endpoints again, unless that would refuse one: then it uses the stored state', async () => {
      const id = await newRemote();
      const queries = collectQueries(app.app.get(WorkerDatabase).dataSource);
      const reads = () => queries.filter(([sql]) => sql.includes('"certificateWarnDays"')).length;
      let { now } = await probe.sync();
      now -= 10 * 60_000;
      const next = async () => (await probe.send([probe.result(id, (now += 60_000))])).body;
      expect([(await next()).recorded, reads()]).toEqual([1, 1]);
      expect([(await next()).recorded, (await next()).recorded, reads()]).toEqual([1, 1, 1]);
      // Writes the change of another instance, which this one does not notice.
      await database.query(
        `UPDATE endpoint_location SET last_slot_at = last_slot_at + interval '61 seconds' WHERE endpoint_id = $1`,
        [parseId('endpoint', id)],
      );
      expect([(await next()).duplicates, (await next()).recorded]).toEqual([1, 1]);
      await change(id, { enabled: false });
      expect((await next()).refused).toEqual([{ index: 0, code: 'not_assigned' }]);
      await change(id, { enabled: true });
      expect((await next()).recorded).toBe(1);
      await change(id, { url: `${URL_OF_TARGET}/other` });
      expect((await next()).refused).toEqual([{ index: 0, code: 'stale_revision' }]);
    });

    it('of an endpoint that is forgotten while another one is read, by its earlier definition', async () => {
      const [known, other] = [await newRemote(), await newRemote()];
      const { now } = await probe.sync();
      const endpoints = app.app.get(AssignedEndpoints);
      const [row] = await database.query<{ number: number }>('SELECT number FROM probe WHERE id = $1', [
        parseId('probe', probe.id),
      ]);
      const number = row?.number ?? 0;
      const sent = [known, other].map((id) => readResult(probe.result(id, now)));
      const first = await endpoints.of(number, sent.slice(0, 1), now);
      endpoints.keep(number, first);
      const found = endpoints.of(number, sent, now);
      // Simulates that a batch from another request can't be recorded.
      endpoints.forget(number, first);
      expect((await found).size).toBe(2);
    });

    it('but refuses each invalid row', async () => {
      const [id, paused] = [await newRemote(), await newRemote()];
      const local = await newEndpoint(app.write, website, { url: URL_OF_TARGET });
      const { now } = await probe.sync();
      const pausedRow = probe.result(paused, now);
      await change(paused, { enabled: false });
      const good = probe.result(id, now);
      const ahead = { ...good, slot: (good.slot ?? 0) + 60_000 };
      const rows = [
        { ...good, endpoint_id: local },
        { ...good, endpoint_id: formatId('endpoint', newUuid()) },
        pausedRow,
        { ...good, revision: 2 },
        { ...ahead, slot: (good.slot ?? 0) + 7 },
        { ...ahead, slot: Math.ceil(now / 20) * 20 + 60_000 },
        { ...good, checked_at: now - 3_700_000 },
        { ...good, result: { ...good.result, error: { code: 'bad_luck', phase: 'connect', message: '' } } },
        { ...good, slot: null, request_id: newUuid() },
        null,
        good,
        { ...good, slot: (good.slot ?? 0) + 20, checked_at: good.checked_at + 20 },
      ];
      const { status, body } = await probe.send(rows);
      expect(status).toBe(200);
      expect(body).toMatchObject({ recorded: 1, duplicates: 0 });
      expect(body.refused.map(({ index, code }) => `${index} ${code}`)).toEqual([
        '0 not_assigned',
        '1 not_assigned',
        '2 not_assigned',
        '3 stale_revision',
        '4 not_a_slot',
        '5 in_future',
        '6 too_old',
        '7 invalid',
        '8 not_a_slot',
        '9 invalid',
        '11 not_a_slot',
      ]);
    });

    it.each([
      ['nothing', '', 400],
      ['invalid JSON', '{"protocol": 1', 400],
      ['a value that is not a list', { results: {} }, 400],
      ['1,001 rows', { results: Array.from({ length: 1001 }, () => 0) }, 400],
      ['256 KiB', { results: [], more: 'x'.repeat(262_144) }, 413],
      ['too many values', { results: [], more: Array.from({ length: 110_000 }, () => 0) }, 413],
    ])('but refuses a batch of %s', async (_, body, status) => {
      const sent = typeof body === 'string' ? body : { protocol: 1, session: probe.session, ...body };
      expect((await probe.post(RESULTS_PATH, sent)).status).toBe(status);
    });

    it('also compressed, and refuses a body that is too large when decompressed', async () => {
      const body = { protocol: 1, session: probe.session, results: [] };
      expect((await probe.postPacked(RESULTS_PATH, body)).status).toBe(200);
      expect((await probe.postPacked(RESULTS_PATH, { ...body, more: 'x'.repeat(300_000) })).status).toBe(200);
      expect((await probe.postPacked(RESULTS_PATH, { ...body, more: 'x'.repeat(600_000) })).status).toBe(413);
      const bomb = gzipSync(Buffer.alloc(5_000_000, '['));
      expect((await probe.post(RESULTS_PATH, bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
      expect((await probe.post(RESULTS_PATH, 'no gzip', { 'content-encoding': 'gzip' })).status).toBe(400);
      expect((await probe.post(POLL_PATH, '{}', { 'content-encoding': 'br' })).status).toBe(415);
    });
  });

  describe('has a probe run checks on demand', () => {
    it('of a stored endpoint, recorded as any other check', async () => {
      const id = await newRemote();
      const response = app.write.post<CheckView>(`/endpoints/${id}/checks?location=fra`);
      const [ask, ...others] = await nextAsks(probe);
      expect([ask, others]).toEqual([
        { request_id: expect.any(String), endpoint_id: id, definition: null, expires_at: expect.any(Number) },
        [],
      ]);
      expect(await app.write.post(`/endpoints/${id}/checks`)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
      const answer = resultOf(
        { endpoint_id: id, revision: 1, request_id: ask?.request_id, checked_at: Date.now() },
        DOWN,
      );
      expect((await probe.send([answer, answer])).body).toMatchObject({
        recorded: 1,
        refused: [{ index: 1, code: 'not_a_slot' }],
      });
      const { status, body } = await response;
      expect(status).toBe(201);
      expect(body).toMatchObject({ endpoint_id: id, outcome: 'down', error: { code: 'connection_refused' } });
      expect((await app.read.get<CheckView[]>(`/endpoints/${id}/checks`)).body.map((check) => check.id)).toEqual([
        body.id,
      ]);
      expect((await probe.send([answer])).body.refused).toEqual([{ index: 0, code: 'not_a_slot' }]);
    });

    it('and of settings that are not stored, and keeps nothing of them', async () => {
      const body = { name: 'Try', url: URL_OF_TARGET, type: 'HTTPS', headers: [{ key: 'X-Api-Key', value: 'hidden' }] };
      const response = app.write.post<CheckView>('/endpoints/test?location=fra', body);
      const [ask] = await nextAsks(probe);
      expect(ask).toMatchObject({
        endpoint_id: null,
        organization: formatId('organization', app.orgId),
        allow_private: false,
        definition: { url: URL_OF_TARGET, headers: [{ key: 'X-Api-Key', value: 'hidden' }] },
      });
      await probe.send([
        resultOf({ endpoint_id: null, revision: null, request_id: ask?.request_id, checked_at: Date.now() }),
      ]);
      const { status, body: shown } = await response;
      expect([status, shown.outcome, 'id' in shown]).toEqual([200, 'up', false]);
      expect(await database.query('SELECT definition FROM probe_ask WHERE endpoint_id IS NULL')).toEqual([
        { definition: null },
      ]);
    });

    it('unless it is not online, or not one of the locations', async () => {
      const id = await newRemote();
      const ask = (location: string) => app.write.post(`/endpoints/${id}/checks?location=${location}`);
      expect(await ask('local')).toMatchObject({ status: 404 });
      expect(await ask('no%20key')).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
      await database.query('UPDATE probe SET online = false WHERE id = $1', [parseId('probe', probe.id)]);
      expect(await ask('fra')).toMatchObject({ status: 409, body: { code: 'probe_offline' } });
      await probe.poll();
    });
  });

  it('has the live stream name a check as the list of checks does, of two locations in one millisecond, and resumes after each', async () => {
    const other = await startManualProbe(app, 'virginia');
    const id = await newRemote({ locations: ['fra', 'virginia'], quorum: 'any' });
    await other.sync();
    const stream = app.app.get(StreamReader);
    const { now: before } = await stream.now();
    const up = probe.result(id, Date.now());
    await probe.send([up]);
    await other.send([{ ...other.result(id, up.checked_at, DOWN), checked_at: up.checked_at }]);
    const told = await eventually('both checks are told', async () => {
      const items = await stream.after(before, app.orgId, 100);
      const found = items.filter(({ message }) => message?.includes(id) && message.includes('event: check'));
      return found.length === 2 ? found : null;
    });
    const checks = (await app.read.get<CheckView[]>(`/endpoints/${id}/checks`)).body;
    for (const [index, location] of ['fra', 'virginia'].entries()) {
      const check = checks.find((one) => one.location === location);
      expect(told[index]?.message).toContain(`id: ${check?.id}\n`);
      expect(await stream.positionOf(app.orgId, check?.id ?? '')).toEqual(told[index]?.position);
    }
  });

  it('reads few large batches at a time, refuses more before they are read, and takes small ones in the meantime', async () => {
    const id = await newRemote();
    // A separate probe, because a token has a limit per second. The results aren't for its endpoints, which shows
    // only when they are read.
    const other = await startManualProbe(app, 'large');
    const rows = [...Array(600)].map(() => probe.result(id, Date.now()));
    const headers = {
      authorization: `Bearer ${other.token}`,
      'content-type': 'application/json',
      'content-length': 200_000,
    };
    // Half sent and never finished. If a place was in use for a moment, the request is sent again.
    const slow: ClientRequest[] = [];
    let isOver = false;
    const open = (): void => {
      if (isOver) return;
      const one = request(`${app.url}${RESULTS_PATH}`, { method: 'POST', headers });
      one.on('error', () => {}).on('response', () => setTimeout(open, 100));
      one.write('{');
      slow.push(one);
    };
    for (let n = 0; n < 8; n++) open();
    try {
      const refused = await eventually('one more is refused', async () => {
        const response = await probe.send(rows);
        return response.status === 503 && response;
      });
      expect(refused.headers['retry-after']).toBe('2');
      expect((await probe.send(rows.slice(0, 1))).status).toBe(200);
    } finally {
      isOver = true;
      for (const one of slow) one.destroy();
    }
    await eventually('it is taken', async () => (await other.send(rows)).status === 200);
  });

  it('refuses all but a few results that the recorder has no room for, and takes them when they come again', async () => {
    const fields = { url: URL_OF_TARGET, locations: ['fra'] };
    const ids = await Promise.all([...Array(8)].map(() => newEndpoint(app.write, website, fields)));
    await told();
    const intake = app.app.get(IntakeService);
    const probeId = parseId('probe', probe.id) ?? '';
    const [caller] = await database.query<ProbeCaller>(
      'SELECT id AS "probeId", number, org_id AS "orgId" FROM probe WHERE id = $1',
      [probeId],
    );
    if (!caller) throw new Error('there is no such probe');
    // All arrive at the same moment. The last one has few results.
    const batches = ids.map((id, n) => {
      const sent = probe.result(id, Date.now());
      return { protocol: 1, session: probe.session, results: [...Array(n < 7 ? 1000 : 50)].map(() => sent) };
    });
    const taken = await Promise.allSettled(batches.map((batch) => intake.take(caller, batch)));
    const takenWith = (duplicates: number) => ({
      status: 'fulfilled',
      value: expect.objectContaining({ recorded: 1, duplicates, refused: [] }) as unknown,
    });
    expect(taken.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => takenWith(999)));
    expect(taken[6]).toMatchObject({ status: 'rejected', reason: { code: 'temporarily_unavailable' } });
    expect(taken[7]).toEqual(takenWith(49));
    expect(await intake.take(caller, batches[6])).toMatchObject({ recorded: 1, duplicates: 999, refused: [] });
  });

  it('is as docs/reference/probe-protocol.md shows', async () => {
    const text = readFileSync(join(__dirname, '../../../docs/reference/probe-protocol.md'), 'utf8');
    const shown = [...text.matchAll(/^```json\n([^]*?)^```/gm)].map(([, json = '']) => JSON.parse(json) as Example);
    const [poll, work, batch, outcome] = shown;
    if (!poll || !work || !batch || !outcome || shown.length !== 4) throw new Error('the page shows two requests');
    const alone = (work['endpoints'] as { endpoint_id: string; revision: number }[]).slice(0, 1);
    expect(text).toContain(digestOf(alone));
    const fresh = await startManualProbe(app, 'docs');
    const { session } = fresh;
    const definition = { url: 'https://shop.example.com/health', timeout: 10 };
    const headers = [{ key: 'Authorization', value: 'Bearer secret' }];
    const id = await newEndpoint(app.write, website, { ...definition, headers, locations: ['docs'] });
    await numberNow(app);

    const told = (await fresh.poll({ ...poll, session, cursor: null, wait: 0 })).body;
    const [endpoint] = told.endpoints;
    expect(shapeOf(told)).toEqual(shapeOf(work));
    expect(endpoint?.definition).toEqual((work['endpoints'] as Example[])[0]?.['definition']);

    const [first, second] = batch['results'] as Example[];
    const { slot, checked_at } = fresh.result(id, told.now);
    const sent = [
      { ...first, endpoint_id: id, slot, checked_at },
      { ...second, slot, checked_at },
    ];
    const answer = (await fresh.send(sent)).body;
    expect({ ...answer, now: outcome['now'] }).toEqual(outcome);
    await app.write.delete(`/endpoints/${id}`);
  });
});

type Example = Record<string, unknown>;

/** Returns the names of all fields, and the types of their values. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
};
