/** @databases both */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReminderJob } from '../../../src/alert/reminder/reminder.job';
import { parseId } from '../../../src/platform/ids/id';
import { Alerting, type Result } from '../../harness/app/alerting';
import { ACCEPTED, DeliveryScene, type SceneType } from '../../harness/app/delivery-scene';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const PAGE = readFileSync(join(__dirname, '../../../docs/reference/alerting.md'), 'utf8');
const MINUTE = 60_000;

/** Returns the bodies of the requests in a section of the page. */
function bodiesOf(section: string): Record<string, unknown>[] {
  const [, text = ''] = PAGE.split(`## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/-d '(\{.*?\})'/g)].map(([, body = '']) => JSON.parse(body) as Record<string, unknown>);
}

/** The recipients of each level, which replace the chat, the mailbox, and the pager of the page. */
const LEVELS: { type: SceneType; config: (url: string) => object }[] = [
  { type: 'slack', config: (url) => ({ webhook_url: url }) },
  { type: 'webhook', config: (url) => ({ url }) },
  { type: 'pagerduty', config: (url) => ({ routing_key: 'a'.repeat(32), api_url: url }) },
];

describe('the escalation of docs/reference/alerting.md', () => {
  let scene: DeliveryScene;
  let endpointId: string;
  let began: number;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    const api = scene.app.write;
    endpointId = await newEndpoint(api, await newWebsite(api), { enabled: false });
    const bodies = bodiesOf('Escalation');
    expect(bodies.map(({ description }) => description)).toEqual(['chat', 'mail', 'pager']);
    for (const [index, { type, config }] of LEVELS.entries()) {
      scene.provider.standingResponseAt(`/${type}`, ACCEPTED[type]);
      const contact_id = await newContact(api, { type, config: config(`${scene.provider.url}/${type}`) });
      const alert = await api.post('/alerts', { ...bodies[index], endpoint_id: endpointId, contact_id });
      expect(alert.status).toBe(201);
    }
    began = scene.now().getTime();
  });
  afterEach(() => scene.finish());

  /** Checks the endpoint at this minute after the start, and sends everything that is due. */
  async function check(minute: number, result: Result): Promise<void> {
    const at = new Date(began + minute * MINUTE);
    scene.clock.advance(at.getTime() - scene.now().getTime());
    await Alerting.of(scene.nest).check([{ endpointId: parseId('endpoint', endpointId) ?? '', result }], undefined, at);
    await scene.nest.get(ReminderJob).run();
    await scene.deliver();
  }
  async function checkEvery(minutes: number, from: number, to: number): Promise<void> {
    for (let minute = from; minute < to; minute += minutes) await check(minute, 'F');
  }
  /** Returns how many requests the chat, the mailbox, and the pager received. */
  const heard = () => LEVELS.map(({ type }) => scene.received(type).length);

  it('reaches the chat at once, the mailbox after ten minutes and the pager after thirty, and reminds the chat each hour', async () => {
    await check(0, 'F');
    expect(heard()).toEqual([0, 0, 0]);
    await checkEvery(1, 1, 10);
    expect(heard()).toEqual([1, 0, 0]);
    await checkEvery(1, 10, 30);
    expect(heard()).toEqual([1, 1, 0]);
    await checkEvery(1, 30, 61);
    expect(heard()).toEqual([1, 1, 1]);
    await check(62, 'F');
    expect(heard()).toEqual([2, 1, 1]);
    expect(JSON.stringify(scene.received('slack').at(-1))).toContain('is still down for 1 h 2 min (reminder 1)');
    await check(63, 'S');
    await check(64, 'S');
    expect(heard()).toEqual([3, 2, 2]);
  });

  it('stops at the level on which someone acknowledges it', async () => {
    await checkEvery(1, 0, 12);
    expect(heard()).toEqual([1, 1, 0]);
    expect((await scene.app.write.put(`/endpoints/${endpointId}/acknowledgement`, {})).status).toBe(200);
    await checkEvery(1, 12, 130);
    expect(heard()).toEqual([1, 1, 0]);
    await check(130, 'S');
    await check(131, 'S');
    expect(heard()).toEqual([2, 2, 0]);
  });
});
