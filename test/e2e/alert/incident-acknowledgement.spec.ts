/**
 * @lane slow
 * @databases both
 */
import { AcknowledgementJob } from '../../../src/alert/acknowledgement/acknowledgement.job';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { Alerting } from '../../harness/app/alerting';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

interface Acknowledgement {
  by: string;
  note: string;
  until: string | null;
}

interface Incident {
  id: string;
  acknowledgement: Acknowledgement | null;
  past_acknowledgements: Acknowledgement[];
  endpoints: { endpoint_id: string; suppressed: boolean }[];
}

describe('the acknowledgement of an incident', () => {
  let scene: DeliveryScene;
  let paths = 0;

  beforeAll(async () => {
    scene = await DeliveryScene.start(
      { publicUrl: 'https://uptime.example.com', statusRateLimitPerSecond: 0 },
      { timeStands: true },
    );
  });
  afterAll(() => scene.close());
  beforeEach(() => scene.provider.standingResponse(ACCEPTED.pagerduty));
  afterEach(async () => {
    armFailpoints([]);
    await scene.finish();
    for (const table of ['acknowledgement', 'endpoint', 'incident_sequence'])
      await scene.database.query(`DELETE FROM ${table}`);
  });

  /** Creates endpoints of one website, each with an alert to a separate pager. */
  const crowd = async (count: number, type: 'pagerduty' | 'slack' = 'pagerduty') => {
    const path = `hand-${++paths}`;
    return { path, alerts: await scene.crowd(count, type, path) };
  };
  const incident = async (): Promise<Incident> => {
    const list = await scene.app.read.get<Incident[]>('/incidents');
    return (await scene.app.read.get<Incident>(`/incidents/${list.body[0]?.id}`)).body;
  };
  const pathOf = ({ id }: Incident) => `/incidents/${id}/acknowledgement`;
  const put = async (body: object = {}) => scene.app.write.put<Acknowledgement>(pathOf(await incident()), body);
  const ofEndpoint = async ({ endpointId }: SceneAlert) => {
    const { status, body } = await scene.app.read.get<Acknowledgement>(`/endpoints/${endpointId}/acknowledgement`);
    return status === 404 ? null : body.note;
  };
  const notes = async (alerts: readonly SceneAlert[]) => {
    const found: (string | null)[] = [];
    for (const alert of alerts) found.push(await ofEndpoint(alert));
    return found;
  };
  const told = async (path: string, action: string) => {
    await scene.deliver();
    const events = scene.received<{ event_action: string; dedup_key: string }>(path);
    return events.filter(({ event_action }) => event_action === action).map(({ dedup_key }) => dedup_key);
  };
  const finishAll = async () => {
    await scene.nest.get(AcknowledgementJob).run();
  };

  it('acknowledges each unacknowledged endpoint, notifies pagers under each key once, and takes back only its own acknowledgements', async () => {
    const { path, alerts } = await crowd(4);
    const [first, ...others] = alerts;
    if (!first) throw new Error('there is none');
    await scene.report('F', ...alerts);
    await scene.app.write.put(`/endpoints/${first.endpointId}/acknowledgement`, { note: 'mine' });
    const before = await incident();
    expect((await scene.app.read.get(pathOf(before))).status).toBe(404);
    const done = await put({ note: 'all' });
    expect([done.status, done.body.note]).toEqual([200, 'all']);
    expect((await scene.app.read.get(pathOf(before))).body).toEqual(done.body);
    expect((await incident()).acknowledgement).toEqual(done.body);
    expect(await notes(alerts)).toEqual(['mine', 'all', 'all', 'all']);
    expect((await put({ note: 'all, again' })).status).toBe(200);
    expect(await notes(alerts)).toEqual(['mine', 'all, again', 'all, again', 'all, again']);
    const keys = await told(path, 'acknowledge');
    expect([keys.length, new Set(keys).size]).toEqual([4, 4]);
    expect((await scene.app.write.delete(pathOf(before))).status).toBe(204);
    expect((await scene.app.write.delete(pathOf(before))).status).toBe(404);
    expect(await notes(alerts)).toEqual(['mine', null, null, null]);
    // The acknowledgement is over. The incident shows who made it.
    const past = (await incident()).past_acknowledgements;
    expect(past.map(({ note }) => note)).toEqual(['all, again', 'all']);
    expect(past[1]).toEqual(done.body);
    await scene.report('S', ...others, first);
    expect((await put()).status).toBe(409);
  });

  it('suppresses an endpoint that joins at its address, notifies for one that joins by its website, and after DELETE notifies with the next failed check for the suppressed endpoints only (OnCall #5392)', async () => {
    const { path, alerts } = await crowd(11);
    const [first, ...joiners] = alerts;
    const guess = joiners.pop();
    if (!first || !guess) throw new Error('there is none');
    await scene.report('F', first);
    await put({ note: 'on it' });
    for (const joiner of joiners) await scene.report('F', joiner);
    await Alerting.of(scene.nest).check([{ endpointId: guess.endpointUuid, result: 'F', address: '192.0.2.99' }]);
    expect((await told(path, 'trigger')).length).toBe(2);
    expect((await incident()).endpoints.filter(({ suppressed }) => suppressed)).toHaveLength(9);
    expect(await notes([first, ...joiners, guess])).toEqual([...Array.from({ length: 10 }, () => 'on it'), null]);
    await scene.app.write.delete(pathOf(await incident()));
    await scene.report('F', first, ...joiners, guess);
    expect((await told(path, 'trigger')).length).toBe(11);
    expect((await incident()).endpoints.filter(({ suppressed }) => suppressed)).toEqual([]);
  });

  it('is finished by the job if its process died halfway, and so is its removal', async () => {
    const { alerts } = await crowd(3);
    await scene.report('F', ...alerts);
    armFailpoints(['acknowledgement.step=error:once']);
    expect((await put({ note: 'half' })).status).toBe(500);
    expect(await notes(alerts)).toEqual([null, null, null]);
    await finishAll();
    expect(await notes(alerts)).toEqual(['half', 'half', 'half']);
    armFailpoints(['acknowledgement.step=error:once']);
    expect((await scene.app.write.delete(pathOf(await incident()))).status).toBe(500);
    await finishAll();
    expect(await notes(alerts)).toEqual([null, null, null]);
  });

  it('ends at its time, and with the incident', async () => {
    const { alerts } = await crowd(2);
    await scene.report('F', ...alerts);
    await put({ until: new Date(scene.now().getTime() + 60_000).toISOString() });
    scene.clock.advance(62_000);
    expect((await scene.app.read.get(pathOf(await incident()))).status).toBe(404);
    await finishAll();
    expect((await incident()).acknowledgement).toBeNull();
    await put({ note: 'again' });
    await scene.report('S', ...alerts);
    await finishAll();
    expect(await notes(alerts)).toEqual([null, null]);
    await scene.report('F', ...alerts);
    expect((await incident()).acknowledgement).toBeNull();
  });

  it('stays with endpoints that are split off, and covers only its original endpoints after a merge into an unacknowledged incident', async () => {
    const { alerts } = await crowd(3);
    await scene.report('F', ...alerts);
    await put({ note: 'all' });
    const whole = await incident();
    const split = await scene.app.write.post<Incident>(`/incidents/${whole.id}/split`, {
      endpoint_ids: [alerts[0]?.endpointId],
    });
    expect([split.status, split.body.acknowledgement?.note]).toEqual([201, 'all']);
    await scene.app.write.delete(pathOf(whole));
    expect(await notes(alerts)).toEqual(['all', null, null]);
    await scene.app.write.post(`/incidents/${whole.id}/merge`, { incident_ids: [split.body.id] });
    await finishAll();
    expect(await notes(alerts)).toEqual(['all', null, null]);
    expect((await scene.app.write.put(pathOf(split.body), {})).status).toBe(409);
  });

  it("is refused for a manual incident, for a time in the past, and for another organization's incident", async () => {
    const scope = { all: true };
    const manual = await scene.app.write.post<Incident>('/incidents', { title: 'Mail is slow', scope });
    expect([manual.status, (await scene.app.write.put(pathOf(manual.body), {})).status]).toEqual([201, 409]);
    const { alerts } = await crowd(1);
    await scene.report('F', ...alerts);
    expect((await put({ until: '2020-01-01T00:00:00Z' })).status).toBe(400);
    const other = await scene.app.organization('Other');
    const path = pathOf(await incident());
    const refused = [await other.write.put(path, {}), await other.write.get(path), await other.write.delete(path)];
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  describe('by the link of a message', () => {
    const tokens = (path: string) =>
      scene
        .received(path)
        .flatMap((body) => [...JSON.stringify(body).matchAll(/\/ack\/([\w-]{56})\|/g)].map(([, token = '']) => token));
    const open = async (token: string, all?: string) => {
      const form = all === undefined ? {} : { method: 'POST', body: new URLSearchParams({ all, note: 'from bed' }) };
      const response = await fetch(`${scene.app.url}/ack/${token}`, { headers: { accept: 'text/html' }, ...form });
      return (await response.text()).replace(/<style>.*<\/style>/s, '');
    };

    it('has one button for the whole incident, and a link for the endpoint alone; opening the page changes nothing', async () => {
      scene.provider.standingResponse(ACCEPTED.slack);
      const { path, alerts } = await crowd(3, 'slack');
      await scene.report('F', ...alerts);
      await scene.deliver();
      const [token = ''] = tokens(path);
      const page = await open(token);
      expect(page).toContain('incident #1, 3 endpoints down');
      expect(page).toContain('<button name="all" value="1">Acknowledge incident #1 (3 endpoints)</button>');
      expect(page).toMatch(/<button class="only">Only Endpoint \d<\/button>/);
      expect(await notes(alerts)).toEqual([null, null, null]);
      expect(await open(token, '1')).toContain('You acknowledged this outage.');
      expect(await notes(alerts)).toEqual(['from bed', 'from bed', 'from bed']);
      expect((await incident()).acknowledgement).toMatchObject({ by: 'link', until: null });
      expect(await open(token, '1')).toContain('This outage was already acknowledged.');
    });

    it('acknowledges the incident that the alert is in now, also if its own endpoint has recovered, until all have', async () => {
      scene.provider.standingResponse(ACCEPTED.slack);
      const { path, alerts } = await crowd(3, 'slack');
      const [first, ...others] = alerts;
      if (!first) throw new Error('there is none');
      await scene.report('F', first);
      await scene.deliver();
      const [token = ''] = tokens(path);
      expect(await open(token)).not.toContain('incident #');
      await scene.report('F', ...others);
      await scene.report('S', first);
      expect(await open(token)).toContain('Endpoint 1 has recovered, others have not');
      expect(await open(token, '1')).toContain('You acknowledged this outage.');
      expect(await notes(alerts)).toEqual([null, 'from bed', 'from bed']);
      await scene.report('S', ...others);
      expect(await open(token, '1')).toContain('This outage is over');
    });
  });
});
