/** @databases both */
import type { IncidentTimelineView } from '../../../src/alert/timeline/incident-timeline.dto';
import type { IncidentDetailView, IncidentView } from '../../../src/incident/incident.dto';
import { parseId } from '../../../src/platform/ids/id';
import { Alerting, type Result } from '../../harness/app/alerting';
import { ACCEPTED, DeliveryScene } from '../../harness/app/delivery-scene';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const SECOND = 1000;
const RULE = { failure_threshold: 1, success_threshold: 1 };

describe('the timeline of an incident', () => {
  let scene: DeliveryScene;
  let endpoint: string;
  let began: number;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    const api = scene.app.write;
    endpoint = await newEndpoint(api, await newWebsite(api), { enabled: false });
    began = scene.now().getTime();
    scene.provider.standingResponseAt('/chat', ACCEPTED.slack);
    await notify('Ops chat', 'chat', RULE);
    await notify('Manager', 'manager', { ...RULE, after: 600 });
  });
  afterEach(async () => {
    await scene.finish();
    await scene.app.write.delete(`/endpoints/${endpoint}`);
  });

  async function notify(name: string, path: string, rule: object): Promise<void> {
    const config = { webhook_url: `${scene.provider.url}/${path}` };
    const contact_id = await newContact(scene.app.write, { name, config });
    expect((await scene.app.write.post('/alerts', { ...rule, endpoint_id: endpoint, contact_id })).status).toBe(201);
  }
  /** Checks the endpoint this many seconds after the start, and sends what is due a second later. */
  async function check(second: number, result: Result): Promise<void> {
    const at = new Date(began + second * SECOND);
    scene.clock.advance(at.getTime() - scene.now().getTime());
    await Alerting.of(scene.nest).check([{ endpointId: parseId('endpoint', endpoint) ?? '', result }], undefined, at);
    scene.clock.advance(SECOND);
    await scene.deliver();
  }
  const seconds = (iso: string) => Math.round((Date.parse(iso) - began) / SECOND);
  const newest = async () => (await scene.app.read.get<IncidentView[]>('/incidents')).body[0];
  const timeline = async () =>
    (await scene.app.read.get<IncidentTimelineView>(`/incidents/${(await newest())?.id}/timeline`)).body;
  const shown = ({ items }: IncidentTimelineView) =>
    items.map(({ at, kind, endpoint: one, delivery }) =>
      [
        kind,
        seconds(at),
        one && `#${one.outage}`,
        one?.duration_seconds,
        delivery && `${delivery.contact?.name} ${delivery.kind} ${delivery.state}`,
      ]
        .filter((part) => part !== null && part !== undefined)
        .join(' '),
    );

  it('shows each outage of an incident that reopened, what became of the messages, and who is next', async () => {
    await check(0, 'F');
    await check(307, 'S');
    await check(497, 'F');
    const found = await timeline();
    expect(shown(found)).toEqual([
      'delivery 498 Ops chat triggered delivered',
      'down 497 #2',
      'delivery 308 Ops chat resolved delivered',
      'recovered 307 #1 307',
      'delivery 1 Ops chat triggered delivered',
      'down 0 #1',
    ]);
    expect(found.items.at(-1)?.endpoint).toMatchObject({
      id: endpoint,
      name: 'Checkout',
      error: { code: 'connection_refused' },
    });
    expect(found.planned).toMatchObject([
      { kind: 'triggered', contact: { name: 'Manager' }, channel_type: 'slack', endpoint_name: 'Checkout' },
    ]);
    expect(seconds(found.planned[0]?.at ?? '')).toBe(497 + 600);
    expect(await newest()).toMatchObject({ outage_count: 2, reopen_count: 1, downtime_seconds: 307 });

    await check(593, 'S');
    const over = await newest();
    expect(over).toMatchObject({ state: 'ended', outage_count: 2, downtime_seconds: 403 });
    const { body } = await scene.app.read.get<IncidentDetailView>(`/incidents/${over?.id}`);
    expect(body.endpoints[0]).toMatchObject({
      outage_count: 2,
      downtime_seconds: 403,
      outages: [{ ended_at: expect.any(String) as string }, { ended_at: expect.any(String) as string }],
    });
    expect((await timeline()).planned).toEqual([]);
    const texts = scene.received<{ text: string }>('chat').map(({ text }) => text);
    expect(texts.filter((text) => text.includes('is down again'))).toHaveLength(1);
  });

  it('plans nothing while the incident is acknowledged, and shows the acknowledgement', async () => {
    await check(0, 'F');
    expect((await timeline()).planned).toHaveLength(1);
    const incident = await newest();
    await scene.app.write.put(`/incidents/${incident?.id}/acknowledgement`, { note: 'On it.' });
    const found = await timeline();
    expect(found.planned).toEqual([]);
    expect(found.items.find(({ kind }) => kind === 'acknowledged')?.acknowledgement).toMatchObject({ note: 'On it.' });
  });

  it('is not found for another organization', async () => {
    await check(0, 'F');
    const other = await scene.app.organization('Other');
    expect((await other.read.get(`/incidents/${(await newest())?.id}/timeline`)).status).toBe(404);
  });
});
