/** @lane slow */
import fc from 'fast-check';
import { eventually } from '../../../packages/testing/eventually';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { POLL_PATH, REFUSALS, RESULTS_PATH } from '../../../src/probe-protocol/protocol';
import type { CreatedProbeView } from '../../../src/probe/probe.dto';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { numberNow, resultOf, ManualProbe } from '../../harness/app/manual-probe';

/** Requests in a run. `FUZZ_REQUESTS=10000` is the full run. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1500);
jest.setTimeout(120_000 + REQUESTS * 300);

const BUSY_MS = 120_000;
const SHED = [408, 503];

/** One token may send 60 requests at once. */
const PROBES = 180;
/** A body of 1 MiB is refused before it is read. The others are small. */
const MAX_TEXT = 400;

describe('random requests of probes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('never cause an internal error, and change nothing of others', async () => {
    const website = await newWebsite(app.write);
    const probes = await probesOf(app);
    const victim = probes[0];
    if (!victim) throw new Error('there is no probe');
    const mine = await newEndpoint(app.write, website, {
      locations: probes.slice(1, 6).map(({ location }) => location),
    });
    const foreign = await newEndpoint(app.write, website, { locations: [victim.location] });
    const local = await newEndpoint(app.write, website);
    await numberNow(app);
    const before = await stateOf(app, [foreign, local]);

    const random = requests([mine, foreign, local], Date.now());
    const seen = new Map<number, number>();
    let next = 0;
    const batches = fc.sample(random, REQUESTS);
    const attackers = probes.slice(1);
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = next++; i < batches.length; i = next++) {
          const probe = attackers[i % attackers.length];
          const request = batches[i];
          if (!probe || !request) return;
          // On a busy machine, the service refuses some requests before it reads them.
          const { status, text, body } = await eventually(
            'the service has time',
            async () => {
              const reply = await probe.post<{ refused?: { code: string }[] }>(request.path, request.body);
              return SHED.includes(reply.status) ? null : reply;
            },
            BUSY_MS,
          );
          seen.set(status, (seen.get(status) ?? 0) + 1);
          if (![200, 400, 409, 413, 429].includes(status))
            throw new Error(`${status} ${text} for ${JSON.stringify(request)}`);
          if (text.includes(foreign) || text.includes(local)) throw new Error(`told of others: ${text}`);
          for (const { code } of body.refused ?? []) expect(REFUSALS).toContain(code);
        }
      }),
    );

    expect(seen.get(200) ?? 0).toBeGreaterThan(REQUESTS / 10);
    expect(seen.get(400) ?? 0).toBeGreaterThan(REQUESTS / 10);
    expect(await stateOf(app, [foreign, local])).toEqual(before);
  });
});

async function probesOf(app: TestApp): Promise<ManualProbe[]> {
  const probes: ManualProbe[] = [];
  for (let n = 0; n < PROBES; n++) {
    const key = `probe-${n}`;
    const { status, body, text } = await app.operator.post<CreatedProbeView>('/shared-probes', { key });
    if (status !== 201) throw new Error(text);
    probes.push(new ManualProbe(app.url, body.id, `shared/${key}`, body.token));
  }
  return probes;
}

const stateOf = (app: TestApp, endpoints: readonly string[]): Promise<unknown> =>
  app.app.get(Database).query(
    `SELECT s.*, l.* FROM endpoint_state s LEFT JOIN endpoint_location l ON l.endpoint_id = s.endpoint_id
        WHERE s.endpoint_id = ANY ($1) ORDER BY s.endpoint_id`,
    [endpoints.map((id) => parseId('endpoint', id))],
  );

/** A value for any position. */
const anything = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 1, 1.5, 2 ** 31, 2 ** 53, 1e308, '', '\0', '\ud800', '__proto__', [], {}, [[]]),
  fc.string({ maxLength: MAX_TEXT }),
  fc.jsonValue({ maxDepth: 3 }),
);

function requests(endpoints: readonly string[], nowMs: number): fc.Arbitrary<{ path: string; body: unknown }> {
  const session = fc.oneof(fc.constant('scripted-session-0000'), fc.stringMatching(/^[0-9a-zA-Z-]{14,70}$/));
  const head = {
    protocol: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: anything }),
    session,
  };
  const cursor = fc.oneof(fc.constant(null), fc.base64String({ maxLength: 200 }), fc.string({ maxLength: 30 }));
  const poll = fc.record(
    { ...head, cursor, wait: fc.constant(0), clock: fc.double(), lag_ms: fc.nat() },
    { requiredKeys: ['protocol', 'session'] },
  );
  const time = fc.oneof(
    fc.integer({ min: nowMs - 7_200_000, max: nowMs + 60_000 }),
    fc.integer({ min: -20, max: 2 ** 48 }).map((ms) => ms * 20),
  );
  const row = fc
    .record({
      endpoint_id: fc.oneof(fc.constantFrom(...endpoints, null), fc.string({ maxLength: 40 })),
      revision: fc.oneof(fc.constant(1), fc.integer()),
      slot: fc.oneof(
        fc.constant(null),
        time.map((ms) => Math.floor(ms / 20) * 20),
        time,
      ),
      request_id: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.uuid() }),
      checked_at: time,
      outcome: fc.constantFrom('up' as const, 'unknown' as const),
    })
    .map(({ outcome, ...of }) =>
      resultOf(of, outcome === 'up' ? {} : { outcome, error: { code: 'internal', phase: 'internal', message: 'x' } }),
    );
  const spoilt = fc
    .tuple(row, fc.string({ maxLength: 20 }), anything)
    .map(([sent, name, value]) => ({ ...sent, [name]: value, result: { ...sent.result, [name]: value } }));
  const field = fc.constantFrom('endpoint_id', 'revision', 'slot', 'checked_at', 'attempts', 'first_error', 'result');
  const broken = fc.tuple(row, field, anything).map(([sent, name, value]) => ({ ...sent, [name]: value }));
  const results = fc.array(fc.oneof(row, spoilt, broken, anything), { maxLength: 20 });
  const batch = fc.record({
    ...head,
    results: fc.oneof({ weight: 9, arbitrary: results }, { weight: 1, arbitrary: anything }),
  });
  const pathed = (path: string, body: fc.Arbitrary<unknown>) => body.map((sent) => ({ path, body: sent }));
  return fc.oneof(
    pathed(POLL_PATH, poll),
    pathed(RESULTS_PATH, batch),
    pathed(POLL_PATH, fc.dictionary(fc.string({ maxLength: 12 }), anything)),
    pathed(RESULTS_PATH, anything),
  );
}
