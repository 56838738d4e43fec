import { BY_ITSELF_MS, CheckedEndpoint, conclusive } from '../session/checked-endpoint';
import { eventually } from '../../eventually';
import { idWith, timestamp } from '../session/forms';
import { expectProblem } from '../session/problems';
import type { Session, TheSession } from '../session/session';
import { endpointFields, newEndpoint, type Thing } from '../session/things';

interface Found {
  outcome: string;
  error: { code: string; phase: string } | null;
}

/**
 * The check result for each kind of target. Names under `.invalid` never resolve, so they need no network (RFC 2606,
 * section 2).
 */
const FINDINGS: readonly [what: string, fields: (session: Session) => object, outcome: string, code: string | null][] =
  [
    ['a web server that responds 200', () => ({}), 'up', null],
    ['an open port', ({ bench }) => ({ type: 'TCP', url: bench.openPort }), 'up', null],
    ['a closed port', ({ bench }) => ({ type: 'TCP', url: bench.refusedPort }), 'down', 'connection_refused'],
    [
      'a web server that responds 500',
      ({ bench }) => {
        bench.respond('/always-500', 500);
        return { url: bench.url('/always-500') };
      },
      'down',
      'status_unexpected',
    ],
    [
      'a response in which an assertion does not hold',
      () => ({ assertions: [{ source: 'body', comparison: 'contains', target: 'something else' }] }),
      'down',
      'assertion_failed',
    ],
    [
      'a port that says nothing, as SSH',
      ({ bench }) => ({ type: 'SSH', url: bench.openPort.replace('tcp:', 'ssh:'), timeout: 1 }),
      'down',
      'first_byte_timeout',
    ],
  ];

/** Tests section 7 of the contract: on-demand checks, history, uptime, and latency. */
export function describeChecks(session: TheSession): void {
  describe('a check', () => {
    it.each(FINDINGS)('finds %s without storing anything', async (_, fields, outcome, code) => {
      const sent = endpointFields(session(), fields(session()));
      const found = await conclusive(() => session().write.post<Found>('/endpoints/test', sent));
      expect([found.outcome, found.error?.code ?? null]).toEqual([outcome, code]);
    });

    it('runs automatically for a new endpoint, which then has a status', async () => {
      const { id } = await newEndpoint(session());
      const read = async () => (await session().read.get<Thing>(`/endpoints/${id}`)).body;
      const isUp = async () => (await read())['status'] === 'up';
      await eventually('a new endpoint to be up automatically', isUp, BY_ITSELF_MS);
      expect(await read()).toMatchObject({ last_checked_at: timestamp() });
    });

    it('is refused for a disabled endpoint', async () => {
      const { id } = await newEndpoint(session(), { enabled: false });
      expectProblem(await session().write.post(`/endpoints/${id}/checks`), 409, 'conflict');
    });
  });

  describe('the history of an endpoint', () => {
    let endpoint: CheckedEndpoint;
    let newest: Thing;
    const get = <Body>(path: string) => session().read.get<Body>(`/endpoints/${endpoint.id}${path}`);
    beforeAll(async () => {
      // If the machine stalls, the history also contains an inconclusive check. In that case, the test tries another
      // endpoint.
      for (let attempt = 0; attempt < 5; attempt++) {
        endpoint = await CheckedEndpoint.take(session());
        newest = (await endpoint.check('down')) as unknown as Thing;
        if ((await get<Thing[]>('/checks')).body.length === 2) return;
      }
    });

    it('starts with the newest check, exactly as the on-demand check returned it', async () => {
      const { body } = await get<Thing[]>('/checks');
      expect(newest).toMatchObject({ id: idWith('ck'), endpoint_id: endpoint.id, outcome: 'down', status_code: 503 });
      expect(body.map(({ outcome }) => outcome)).toEqual(['down', 'up']);
      expect(body[0]).toEqual(newest);
    });

    it('can be filtered by outcome and by time, and read in pages', async () => {
      const idsOf = async (query: string) => (await get<Thing[]>(`/checks?${query}`)).body.map(({ id }) => id);
      const [down, up] = await idsOf('');
      expect(await idsOf('outcome=up')).toEqual([up]);
      expect(await idsOf('limit=1')).toEqual([down]);
      const cursor = (await get('/checks?limit=1')).headers['x-next-cursor'] ?? 'no X-Next-Cursor';
      expect(await idsOf(`limit=1&cursor=${encodeURIComponent(cursor)}`)).toEqual([up]);
      expect(await idsOf('to=2020-01-01T00:00:00.000Z')).toEqual([]);
      expectProblem(await get('/checks?outcome=maybe'), 400, 'invalid_query');
    });

    it('can be filtered by location, which is the service itself if no probe checks the endpoint', async () => {
      const { body } = await get<Thing[]>('/checks?location=local');
      expect(body.map(({ location, combined_outcome }) => [location, combined_outcome])).toEqual([
        ['local', 'down'],
        ['local', 'up'],
      ]);
      const without = { outage_count: null, downtime_seconds: null, outages: [] };
      expect((await get('/uptime?location=local')).body).toMatchObject({ uptime: 0.5, checks: 2, ...without });
      for (const what of ['checks', 'uptime', 'latency'])
        expectProblem(await get(`/${what}?location=nowhere`), 404, 'not_found');
    });

    it('appears in the endpoint, its website, and the overview', async () => {
      const checked = { status: 'down', last_checked_at: newest['checked_at'] };
      expect((await get('')).body).toMatchObject(checked);
      expect((await session().read.get(`/websites/${endpoint.websiteId}`)).body).toMatchObject(checked);
      const overview = await session().read.get(`/overview?website_id=${endpoint.websiteId}`);
      expect(overview.body).toEqual([
        expect.objectContaining({
          ...checked,
          id: endpoint.id,
          last_error: 'status_unexpected',
          recent: ['up', 'down'],
        }),
      ]);
    });

    it('gives an uptime of one half', async () => {
      expect((await get('/uptime?window=24h')).body).toMatchObject({
        endpoint_id: endpoint.id,
        uptime: 0.5,
        checks: 2,
        failures: 1,
        unknown: 0,
        latency: { max: expect.any(Number) },
      });
      expectProblem(await get('/uptime?window=1y'), 400, 'invalid_query');
    });

    it('has latency buckets that count every check once', async () => {
      const { body } = await get<{ count: number; failures: number }[]>('/latency');
      const sum = (field: 'count' | 'failures') => body.reduce((total, bucket) => total + bucket[field], 0);
      expect([sum('count'), sum('failures')]).toEqual([2, 1]);
    });

    it('is exported as Prometheus gauges', async () => {
      const { text } = await session().read.get('/metrics');
      const line = text
        .split('\n')
        .find((each) => each.startsWith('uptime_endpoint_up{') && each.includes(endpoint.id));
      expect(line).toMatch(/ 0$/);
    });
  });
}
