/** @databases both */
import { IncidentChanged, IncidentMembersMoved } from '../../../src/incident/incident-events';
import type { IncidentDetailView } from '../../../src/incident/incident.dto';
import { Database } from '../../../src/platform/database/database';
import { TransactionEvents } from '../../../src/platform/events/transaction-events';
import { formatId, parseId } from '../../../src/platform/ids/id';
import type { ApiResponse } from '../../../packages/testing/service/api';
import { startApp, type TestApp } from '../../harness/app/app';
import { newDetectedIncident, newIncident } from '../../harness/app/incidents';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refused {
  code: string;
  detail: string;
  errors: { pointer: string; code: string }[];
}
type Shown = IncidentDetailView & Refused;

/** Minutes ago. */
interface Bad {
  since: number;
  until?: number;
}

const [NO_INCIDENT, NO_ENDPOINT] = ['inc_00000000000000000000000000', 'ep_00000000000000000000000000'];

describe('incidents that were grouped wrongly', () => {
  let app: TestApp;
  let database: Database;
  let website: string;
  let changes: IncidentChanged[] = [];
  let moves: IncidentMembersMoved[] = [];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
    website = await newWebsite(app.write);
    const events = app.app.get(TransactionEvents);
    events.on(IncidentChanged, (change) => Promise.resolve(void changes.push(change)));
    events.on(IncidentMembersMoved, (move) => Promise.resolve(void moves.push(move)));
  });
  afterAll(() => app.close());
  afterEach(() => database.query('DELETE FROM incident WHERE org_id = $1', [app.orgId]));

  /** Creates an incident with one endpoint for each, `a` being the first. */
  const detected = async (...bad: Bad[]): Promise<{ id: string; endpoints: string[] }> => {
    const endpoints: string[] = [];
    for (const at of bad.keys()) endpoints.push(await newEndpoint(app.write, website, { name: 'abcdefgh'[at] }));
    const members = bad.map((one, at) => ({ ...one, endpoint: endpoints[at] ?? '' }));
    const id = await newDetectedIncident(database, members, { address: '192.0.2.1' });
    [changes, moves] = [[], []];
    return { id, endpoints };
  };
  const read = async (id: string) => (await app.read.get<IncidentDetailView>(`/incidents/${id}`)).body;
  const say = (id: string, body: object) => app.write.post(`/incidents/${id}/updates`, body);
  const split = (id: string, endpoint_ids: unknown) =>
    app.write.post<Shown>(`/incidents/${id}/split`, { endpoint_ids });
  const merge = (id: string, incident_ids: unknown) =>
    app.write.post<Shown>(`/incidents/${id}/merge`, { incident_ids });
  const minutesAgo = (iso: string | null) =>
    iso === null ? null : Math.round((Date.now() - Date.parse(iso)) / 60_000);
  const factsOf = (one: IncidentDetailView) => ({
    state: one.state,
    cause: one.cause?.kind,
    since: minutesAgo(one.started_at),
    until: minutesAgo(one.ended_at),
    counts: [one.open_count, one.endpoint_count],
    endpoints: one.endpoints.map((each) => each.endpoint_name).sort(),
    said: one.updates.map(({ text, status }) => text || `(${status})`),
  });
  const refusal = ({ status, body }: ApiResponse<Refused>) => [
    status,
    body.code,
    ...(body.errors ?? []).map((e) => e.pointer),
  ];
  const events = () => changes.map(({ incident, change }) => [formatId('incident', incident.id), change]);

  it('a merged incident can be split again (2i2c #6340): it then has the counts, times, and updates from before', async () => {
    const one = await detected({ since: 20 }, { since: 15, until: 10 });
    await say(one.id, { text: 'We look.', status: 'investigating' });
    const two = await detected({ since: 30 }, { since: 5 });
    const [first, second] = [await read(one.id), await read(two.id)];
    const merged = await merge(one.id, [two.id]);
    expect([merged.status, factsOf(merged.body)]).toEqual([
      200,
      {
        state: 'open',
        cause: 'people',
        since: 30,
        until: null,
        counts: [3, 4],
        endpoints: ['a', 'a', 'b', 'b'],
        said: ['We look.'],
      },
    ]);
    expect(await read(two.id)).toMatchObject({ state: 'merged', merged_into: one.id, endpoints: [], updates: [] });
    expect(events()).toEqual([
      [two.id, 'merged'],
      [one.id, 'merged'],
    ]);
    expect(moves).toMatchObject([
      { from: [{ id: parseId('incident', two.id) }], to: { id: parseId('incident', one.id) } },
    ]);
    const back = await split(one.id, two.endpoints);
    expect(back.headers['location']).toBe(`/api/v1/incidents/${back.body.id}`);
    expect([back.status, factsOf(back.body)]).toEqual([201, { ...factsOf(second), cause: 'people' }]);
    expect(factsOf(await read(one.id))).toEqual({ ...factsOf(first), cause: 'people' });
    expect(back.body.number).toBeGreaterThan(second.number);
    expect(events().slice(2)).toEqual([
      [one.id, 'split'],
      [back.body.id, 'opened'],
    ]);
    expect(moves[1]?.endpointIds).toEqual(two.endpoints.map((id) => parseId('endpoint', id)));
    const entries = await app.admin.get<{ action: string }[]>('/audit-log?resource=incident&limit=4');
    expect(entries.body.map(({ action }) => action)).toEqual(['update', 'create', 'update', 'update']);
  });

  it('updates of a merged incident go back with it, and so do its name and its times, and nothing that is of both', async () => {
    const one = await detected({ since: 20 });
    await say(one.id, { text: 'Ours.', status: 'identified', public: true });
    const two = await detected({ since: 9, until: 7 }, { since: 8, until: 6 });
    await say(two.id, { text: 'It was us.', status: 'resolved', public: true });
    await say(two.id, { text: 'A note.' });
    await app.write.put(`/incidents/${two.id}`, { title: 'The other thing' });
    const [first, second] = [await read(one.id), await read(two.id)];
    const seenOf = (each: IncidentDetailView) => ({
      ...factsOf(each),
      cause: undefined,
      title: each.title,
      status: each.status,
      public: each.public,
      joined: each.joined_at,
      updates: each.updates,
    });
    await merge(one.id, [two.id]);
    expect((await read(one.id)).status).toBe('investigating');
    const back = await split(one.id, two.endpoints);
    expect(seenOf(await read(back.body.id))).toEqual(seenOf(second));
    expect(seenOf(await read(one.id))).toEqual(seenOf(first));
  });

  it('updates of a merged incident stay while any endpoint of it does, and so do later updates', async () => {
    const [one, two] = [await detected({ since: 20 }), await detected({ since: 9 }, { since: 8 })];
    await say(two.id, { text: 'Said of two.' });
    await merge(one.id, [two.id]);
    await say(one.id, { text: 'Said of both.' });
    const [a, b] = two.endpoints;
    const part = await split(one.id, [a]);
    const rest = await split(one.id, [b]);
    expect([part, rest].map(({ body }) => factsOf(body).said)).toEqual([[], ['Said of two.']]);
    expect(factsOf(await read(one.id)).said).toEqual(['Said of both.']);
  });

  it('a merged incident leaves the list, and can only be read', async () => {
    const [one, two] = [await detected({ since: 2 }), await detected({ since: 1 })];
    await merge(one.id, [two.id]);
    const ids = async (query: string) =>
      (await app.read.get<IncidentDetailView[]>(`/incidents${query}`)).body.map(({ id }) => id);
    expect(await ids('')).not.toContain(two.id);
    expect(await ids('?state=merged')).toContain(two.id);
    expect((await app.read.get(`/incidents/${two.id}/endpoints`)).status).toBe(200);
    const acts = [
      app.write.put<Shown>(`/incidents/${two.id}`, { title: 'x' }),
      app.write.post<Shown>(`/incidents/${two.id}/updates`, { text: 'x' }),
      app.write.delete<Shown>(`/incidents/${two.id}`),
      split(two.id, two.endpoints),
      merge(two.id, [one.id]),
      merge(one.id, [two.id]),
    ];
    for (const act of acts) expect(refusal(await act)).toEqual([409, 'conflict']);
  });

  it('an endpoint that was in both is one member, bad since the first, and the opener stays', async () => {
    const one = await detected({ since: 20, until: 15 }, { since: 20, until: 16 });
    const shared = [{ endpoint: one.endpoints[0] ?? '', since: 4 }];
    const again = await newDetectedIncident(database, shared);
    const merged = await merge(one.id, [again]);
    expect(factsOf(merged.body)).toMatchObject({ state: 'open', since: 20, until: null, counts: [1, 2] });
    expect(merged.body.endpoints[0]).toMatchObject({ endpoint_id: one.endpoints[0], ended_at: null });
    expect(merged.body.summary).toBe('2 endpoints are down');
  });

  it('the latest update never contradicts the measured state', async () => {
    const [open, over] = [await detected({ since: 9 }), await detected({ since: 8, until: 7 })];
    await say(over.id, { text: 'It was us.', status: 'resolved', public: true });
    const merged = await merge(open.id, [over.id]);
    expect(merged.body).toMatchObject({ state: 'open', status: 'investigating', public: true });
    expect(merged.body.updates).toMatchObject([
      { status: 'investigating', automatic: true, public: true, by: null },
      { status: 'resolved', automatic: false },
    ]);
    // Only endpoints that have recovered are left in it.
    const apart = await split(open.id, open.endpoints);
    expect(apart.body).toMatchObject({ state: 'open', status: null, public: false, updates: [] });
    const left = await read(open.id);
    expect(factsOf(left)).toMatchObject({ state: 'ended', until: 7, counts: [0, 1] });
    expect(left.updates[0]).toMatchObject({ status: 'resolved', automatic: true, public: true });
    expect(left.status).toBe('resolved');
  });

  it('a split incident stays acknowledged, unless no endpoint is failing', async () => {
    const one = await detected({ since: 9 }, { since: 8 }, { since: 7, until: 6 });
    await database.query(`UPDATE incident SET ack_by = 'On call', ack_at = now(), ack_note = 'Mine' WHERE id = $1`, [
      parseId('incident', one.id),
    ]);
    const bad = await split(one.id, [one.endpoints[1]]);
    const well = await split(one.id, [one.endpoints[2]]);
    const rest = await read(one.id);
    expect([bad, well].map(({ body }) => body.acknowledgement?.by)).toEqual(['On call', undefined]);
    expect([rest.acknowledgement?.note, rest.summary, well.body.summary]).toEqual([
      'Mine',
      'a is down: connection refused',
      'c was down: connection refused',
    ]);
  });

  it.each<[what: string, ids: unknown, ...wrong: string[]]>([
    ['none', [], '/endpoint_ids'],
    ['1,001', Array.from({ length: 1001 }, () => NO_ENDPOINT), '/endpoint_ids'],
    ['one twice', [NO_ENDPOINT, NO_ENDPOINT], '/endpoint_ids'],
    ['an incident', [NO_INCIDENT], '/endpoint_ids'],
    ['a text', NO_ENDPOINT, '/endpoint_ids'],
    ['nothing', undefined, '/endpoint_ids'],
  ])('are not split by %s', async (_, ids, ...wrong) => {
    expect(refusal(await split(NO_INCIDENT, ids))).toEqual([400, 'validation_failed', ...wrong]);
  });

  it('are not split by all of their endpoints or by one that is not in them, and not if they are over or manual', async () => {
    const one = await detected({ since: 9 }, { since: 8 });
    const over = await detected({ since: 9, until: 2 }, { since: 9, until: 2 });
    const foreign = (await app.organization('Other')).write;
    const [a = '', b = ''] = one.endpoints;
    expect(refusal(await split(one.id, [a, b]))).toEqual([409, 'conflict']);
    expect(refusal(await split(one.id, [a, NO_ENDPOINT]))).toEqual([404, 'not_found', '/endpoint_ids/1']);
    expect(refusal(await split(one.id, [over.endpoints[0]]))).toEqual([404, 'not_found', '/endpoint_ids/0']);
    expect(refusal(await split(over.id, [over.endpoints[0]]))).toEqual([409, 'conflict']);
    expect(refusal(await split(await newIncident(app.write), [a]))).toEqual([409, 'conflict']);
    expect(refusal(await split(NO_INCIDENT, [a]))).toEqual([404, 'not_found']);
    expect((await foreign.post(`/incidents/${one.id}/split`, { endpoint_ids: [a] })).status).toBe(404);
    expect([factsOf(await read(one.id)).counts, events().filter(([id]) => id === one.id)]).toEqual([[2, 2], []]);
  });

  it.each<[what: string, ids: unknown, ...wrong: string[]]>([
    ['none', [], '/incident_ids'],
    ['101', Array.from({ length: 101 }, () => NO_INCIDENT), '/incident_ids'],
    ['one twice', [NO_INCIDENT, NO_INCIDENT], '/incident_ids'],
    ['an endpoint', [NO_ENDPOINT], '/incident_ids'],
    ['nothing', undefined, '/incident_ids'],
  ])('are not merged with %s', async (_, ids, ...wrong) => {
    expect(refusal(await merge(NO_INCIDENT, ids))).toEqual([400, 'validation_failed', ...wrong]);
  });

  it('are not merged with themselves, a manual one, an unknown one, or one of another organization', async () => {
    const [one, two] = [await detected({ since: 2 }), await detected({ since: 1 })];
    const manual = await newIncident(app.write);
    const other = (await app.organization('Other')).write;
    const foreign = await newIncident(other);
    expect(refusal(await merge(one.id, [two.id, one.id]))).toEqual([409, 'conflict']);
    expect(refusal(await merge(one.id, [manual]))).toEqual([409, 'conflict']);
    expect(refusal(await merge(manual, [one.id]))).toEqual([409, 'conflict']);
    expect(refusal(await merge(one.id, [two.id, NO_INCIDENT]))).toEqual([404, 'not_found', '/incident_ids/1']);
    expect(refusal(await merge(one.id, [foreign]))).toEqual([404, 'not_found', '/incident_ids/0']);
    expect((await other.post(`/incidents/${one.id}/merge`, { incident_ids: [foreign] })).status).toBe(404);
    expect([(await read(one.id)).state, (await read(two.id)).state]).toEqual(['open', 'open']);
  });

  it('simultaneous splits and merges wait for each other, and leave each failing endpoint in one open incident', async () => {
    const some = [];
    for (let n = 0; n < 3; n++) some.push(await detected({ since: 3 }, { since: 2 }));
    const [one, two, three] = some.map(({ id }) => id) as [string, string, string];
    const results = await Promise.all([
      merge(one, [two]),
      merge(two, [three]),
      merge(three, [one]),
      split(one, [some[0]?.endpoints[0]]),
      split(three, [some[2]?.endpoints[1]]),
    ]);
    for (const { status } of results) expect([200, 201, 404, 409]).toContain(status);
    const wrong = await database.query(
      `SELECT i.id FROM incident i WHERE i.org_id = $1 AND i.kind = 'detected' AND (
         i.endpoint_count <> (SELECT count(*) FROM incident_member m WHERE m.incident_id = i.id)
         OR i.open_count <> (SELECT count(*) FROM incident_member m WHERE m.incident_id = i.id AND m.ended_at IS NULL)
         AND i.ended_at IS NULL OR i.merged_into IS NOT NULL AND i.endpoint_count > 0)`,
      [app.orgId],
    );
    const members = await database.query(
      'SELECT DISTINCT endpoint_id FROM incident_member WHERE endpoint_id = ANY ($1::uuid[]) AND ended_at IS NULL',
      [some.flatMap(({ endpoints }) => endpoints.map((id) => parseId('endpoint', id)))],
    );
    expect([wrong, members.length]).toEqual([[], 6]);
  });
});
