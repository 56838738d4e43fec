import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { eventually } from '../../../packages/testing/eventually';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Endpoint {
  id: string;
  name: string;
  website_id: string;
  group: string;
  status: string;
}
interface Event {
  type: string;
  reason: string;
  website_id: string;
}

describe('moving an endpoint to another website', () => {
  let app: TestApp;
  let alerting: Alerting;
  let owner: ServiceOrganization;
  let from: string;
  let to: string;
  let endpoint: string;
  let counter = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    alerting = Alerting.of(app.app);
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await app.organization(`Owner ${++counter}`);
    [from, to] = [await newWebsite(owner.write, 'Old'), await newWebsite(owner.write, 'New')];
    endpoint = await newEndpoint(owner.write, from);
  });

  const move = (website_id: unknown, more: object = {}) =>
    owner.write.put<Endpoint & { code: string; errors: { pointer: string; code: string }[] }>(
      `/endpoints/${endpoint}`,
      { website_id, ...more },
    );
  const count = async (website: string): Promise<number> =>
    (await owner.read.get<{ endpoint_count: number }>(`/websites/${website}`)).body.endpoint_count;
  /** Writes the state as the recorder does. */
  const isDown = () =>
    app.app
      .get(Database)
      .query('UPDATE endpoint_state SET status = 0, last_checked_at = now() WHERE endpoint_id = $1', [
        parseId('endpoint', endpoint),
      ]);
  const statusOf = async (website: string): Promise<string> =>
    (await owner.read.get<{ status: string }>(`/websites/${website}`)).body.status;
  const namesIn = async (path: string): Promise<string[]> =>
    (await owner.read.get<{ id: string }[]>(path)).body.map(({ id }) => id);
  const events = async (query = ''): Promise<Event[]> =>
    (await owner.read.get<Event[]>(`/alerts/events?${query}`)).body;

  it('takes it out of one list and puts it into the other, with counts, status and overview', async () => {
    await isDown();
    expect([await statusOf(from), await statusOf(to)]).toEqual(['down', 'unknown']);
    const { status, body } = await move(to, { name: 'Moved' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: endpoint, name: 'Moved', website_id: to, group: 'New', status: 'down' });
    expect([await count(from), await count(to)]).toEqual([0, 1]);
    expect([await statusOf(from), await statusOf(to)]).toEqual(['unknown', 'down']);
    expect(await namesIn(`/websites/${from}/endpoints`)).toEqual([]);
    expect(await namesIn(`/websites/${to}/endpoints`)).toEqual([endpoint]);
    expect(await namesIn(`/overview?website_id=${from}`)).toEqual([]);
    expect((await owner.read.get(`/overview?website_id=${to}`)).body).toMatchObject([
      { website: { id: to, name: 'New' } },
    ]);
  });

  it('shows it on the status page of its current website', async () => {
    const slug = (website: string) => `page-${website.slice(-8)}`;
    for (const website of [from, to])
      await owner.write.put(`/websites/${website}/status-page`, { enabled: true, slug: slug(website) });
    await move(to);
    const isShown = async (website: string): Promise<boolean> =>
      (await (await fetch(`${app.url}/status/${slug(website)}`)).text()).includes('Checkout');
    expect(await eventually('the new page', () => isShown(to))).toBe(true);
    expect(await eventually('the old page', async () => !(await isShown(from)))).toBe(true);
  });

  it('keeps its alerts, open episodes, streak and history', async () => {
    const alert = await newAlert(owner.write, endpoint, { failure_threshold: 2, success_threshold: 1 });
    await alerting.playEvery(20, endpoint, 'FF');
    const checks = (await owner.read.get<object[]>(`/endpoints/${endpoint}/checks`)).body;
    await move(to);
    expect((await owner.read.get(`/alerts/${alert}`)).body).toMatchObject({ triggered: true, endpoint_id: endpoint });
    expect(await namesIn(`/alerts?website_id=${to}`)).toEqual([alert]);
    expect((await owner.read.get<object[]>(`/endpoints/${endpoint}/checks`)).body).toEqual(checks);
    await alerting.play(endpoint, 'S');
    expect(await events(`endpoint_id=${endpoint}`)).toMatchObject([
      { type: 'resolved', reason: 'threshold', website_id: to },
      { type: 'triggered', website_id: from },
    ]);
  });

  it('is in the audit log with both websites', async () => {
    await move(to);
    const { body } = await owner.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${endpoint}&limit=1`);
    expect(body).toMatchObject([
      { action: 'update', changed: ['website_id'], before: { website_id: from }, after: { website_id: to } },
    ]);
  });

  it('pauses it in a disabled website, resolves its open episodes, and starts it again elsewhere', async () => {
    await newAlert(owner.write, endpoint, { failure_threshold: 1 });
    await alerting.play(endpoint, 'F');
    await owner.write.put(`/websites/${to}`, { enabled: false });
    expect((await move(to)).body).toMatchObject({ website_id: to, status: 'paused' });
    expect(await events()).toMatchObject([{ type: 'resolved', reason: 'disabled' }, { type: 'triggered' }]);
    expect((await move(from)).body).toMatchObject({ website_id: from, status: 'unknown' });
    await owner.write.put(`/websites/${from}`, { enabled: false });
    expect((await owner.read.get(`/endpoints/${endpoint}`)).body).toMatchObject({ status: 'paused' });
  });

  it('keeps it and its events when its former website is deleted', async () => {
    await newAlert(owner.write, endpoint, { failure_threshold: 1 });
    const left = await newEndpoint(owner.write, from);
    await newAlert(owner.write, left, { failure_threshold: 1 });
    for (const each of [endpoint, left]) await alerting.play(each, 'F');
    await move(to);
    expect((await owner.write.delete(`/websites/${from}`)).status).toBe(204);
    expect((await owner.read.get(`/endpoints/${endpoint}`)).status).toBe(200);
    expect(await events()).toMatchObject([{ type: 'triggered', endpoint_id: endpoint }]);
  });

  it('changes nothing if it is already in the website', async () => {
    const { body } = await owner.read.get<Endpoint>(`/endpoints/${endpoint}`);
    expect((await owner.write.put(`/endpoints/${endpoint}`, body)).body).toMatchObject({
      ...body,
      updated_at: expect.any(String),
    });
  });

  it('answers 404 at the field for a website that is unknown, deleted or of another organization', async () => {
    const gone = await newWebsite(owner.write);
    await owner.write.delete(`/websites/${gone}`);
    const foreign = await newWebsite(app.write);
    const responses = [];
    for (const website of ['ws_00000000000000000000000000', gone, foreign]) {
      const { status, body } = await move(website);
      responses.push([status, body.code, body.errors]);
    }
    const expected = [404, 'not_found', [expect.objectContaining({ pointer: '/website_id', code: 'not_found' })]];
    expect(responses).toEqual([expected, expected, expected]);
    expect(await count(from)).toBe(1);
  });

  it.each(['nonsense', null, 7, 'ep_00000000000000000000000000'])('answers 400 for the website %j', async (website) => {
    const { status, body } = await move(website);
    expect([status, body.errors.map(({ pointer }) => pointer)]).toEqual([400, ['/website_id']]);
  });

  it('allows moves in opposite directions while websites are enabled and disabled, and the counts are right afterwards', async () => {
    const others = [endpoint, await newEndpoint(owner.write, to), await newEndpoint(owner.write, to)];
    const statuses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const acts = [
        ...others.map((id, i) =>
          owner.write.put(`/endpoints/${id}`, { website_id: (round + i) % 2 ? from : to, interval: 60 + round }),
        ),
        owner.write.put(`/endpoints/${endpoint}`, { website_id: round % 2 ? to : from }),
        owner.write.put(`/websites/${from}`, { enabled: round % 2 === 0 }),
        owner.write.put(`/websites/${to}`, { enabled: round % 2 === 1 }),
      ];
      statuses.push(...(await Promise.all(acts)).map(({ status }) => status));
    }
    // 503 only for a move that another move of the same endpoint has overtaken.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.filter((status) => status === 503).length).toBeLessThan(7);
    const lists = [await namesIn(`/websites/${from}/endpoints`), await namesIn(`/websites/${to}/endpoints`)];
    expect(lists.flat().sort()).toEqual([...others].sort());
    expect([await count(from), await count(to)]).toEqual(lists.map(({ length }) => length));
  });
});
