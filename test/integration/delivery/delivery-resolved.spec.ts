/** @lane slow */
import { ACCEPTED, DeliveryScene, type SceneAlert, type SceneType } from '../../harness/app/delivery-scene';

const MINUTE = 60_000;

/** Returns the received message, shortened to the relevant part. */
function said(type: SceneType, body: string): string {
  if (type === 'twilio') return new URLSearchParams(body).get('Body')?.split('\n')[0] ?? '';
  const data = JSON.parse(body) as Record<string, string>;
  return data['event_action'] ?? data['type'] ?? data['text'] ?? '';
}

describe('a resolve whose trigger is undelivered', () => {
  let scene: DeliveryScene;
  let paths = 0;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const alertOf = (type: SceneType, more: object = {}) => scene.alert(type, more, `${type}-${++paths}`);
  const messages = (type: SceneType) => scene.provider.requests.map(({ body }) => said(type, body));

  /** Triggers while the provider is unavailable, resolves, and makes the provider available again. */
  async function outage(alert: SceneAlert, type: SceneType, during: { status: number } | 'reset'): Promise<void> {
    scene.provider.expect(during);
    await scene.report('F', alert);
    await scene.deliver();
    scene.provider.requests.splice(0);
    scene.clock.advance(3000);
    await scene.report('S', alert);
    scene.provider.standingResponse(ACCEPTED[type]);
    await scene.pass(2 * MINUTE, 5000);
  }

  describe('a resolve after the provider refused the trigger', () => {
    it.each<[SceneType, string[], string[]]>([
      ['webhook', ['alert.triggered', 'alert.resolved'], ['triggered delivered', 'resolved delivered']],
      ['pagerduty', [], ['triggered superseded:resolved_before_sent', 'resolved superseded:resolved_before_sent']],
      [
        'slack',
        [expect.stringMatching(/^Checkout API was down from .* to .*: connection refused$/)],
        ['triggered delivered:combined', 'resolved delivered:combined'],
      ],
      [
        'twilio',
        [expect.stringMatching(/Checkout API was down from .* to .*: connection refused/)],
        ['triggered delivered:combined', 'resolved delivered:combined'],
      ],
    ])('plans trigger and resolve for %s after a refused trigger', async (type, expected, states) => {
      const alert = await alertOf(type);
      await outage(alert, type, { status: 500 });
      expect(messages(type)).toEqual(expected);
      expect(await scene.states(alert)).toEqual(states);
    });
  });

  describe('a resolve after a trigger of unknown outcome', () => {
    it.each<[SceneType, string[], string[]]>([
      ['webhook', ['alert.triggered', 'alert.resolved'], ['triggered delivered', 'resolved delivered']],
      ['pagerduty', ['resolve'], ['triggered superseded:resolved_before_sent', 'resolved delivered']],
      [
        'slack',
        [expect.stringMatching(/^Repeat: Checkout API was down/)],
        ['triggered delivered:combined', 'resolved delivered:combined'],
      ],
      [
        'twilio',
        [expect.stringMatching(/Repeat: Checkout API was down/)],
        ['triggered delivered:combined', 'resolved delivered:combined'],
      ],
    ])('plans trigger and resolve for %s after a trigger of unknown outcome', async (type, expected, states) => {
      const alert = await alertOf(type);
      await outage(alert, type, 'reset');
      expect(messages(type)).toEqual(expected);
      expect(await scene.states(alert)).toEqual(states);
    });
  });

  describe('a resolve of an alert that sends no resolves', () => {
    it.each<[SceneType, string[], string[]]>([
      ['webhook', ['alert.triggered'], ['triggered delivered']],
      ['pagerduty', [], ['triggered superseded:resolved_before_sent']],
      ['slack', [expect.stringMatching(/^Checkout API was down from/)], ['triggered delivered:combined']],
    ])('plans an ended episode for %s when resolves are not sent', async (type, expected, states) => {
      const alert = await alertOf(type, { send_on_resolved: false });
      await outage(alert, type, { status: 500 });
      expect(messages(type)).toEqual(expected);
      expect(await scene.states(alert)).toEqual(states);
    });
  });

  it.each<[SceneType]>([['webhook'], ['slack'], ['pagerduty'], ['twilio']])(
    'parks the resolve after its parked trigger: %s',
    async (type) => {
      const alert = await alertOf(type);
      scene.provider.expect({ status: 410 });
      await scene.report('F', alert);
      await scene.deliver();
      await scene.report('S', alert);
      await scene.deliver();
      expect(await scene.states(alert)).toEqual(['triggered failed:rejected', 'resolved failed:behind_failed']);
    },
  );

  describe('a resolve of an alert that triggers again', () => {
    it.each<[SceneType, string[], string[]]>([
      [
        'webhook',
        ['alert.resolved', 'alert.triggered'],
        ['triggered delivered', 'resolved delivered', 'triggered delivered'],
      ],
      ['pagerduty', ['resolve', 'trigger'], ['triggered delivered', 'resolved delivered', 'triggered delivered']],
      [
        'slack',
        [expect.stringMatching(/^Checkout API is still down: .*; it was up for \d s$/)],
        ['triggered delivered', 'resolved superseded:collapsed', 'triggered delivered'],
      ],
    ])('plans a pending resolve and the next trigger for %s', async (type, expected, states) => {
      const alert = await alertOf(type);
      scene.provider.expect(ACCEPTED[type], { status: 500 });
      await scene.report('F', alert);
      await scene.deliver();
      await scene.report('S', alert);
      await scene.deliver();
      scene.provider.requests.splice(0);
      scene.clock.advance(2000);
      await scene.report('F', alert);
      scene.provider.standingResponse(ACCEPTED[type]);
      await scene.pass(2 * MINUTE, 5000);
      expect(messages(type)).toEqual(expected);
      expect(await scene.states(alert)).toEqual(states);
    });

    it('sends a pager two episodes with different keys, each with its own resolve', async () => {
      const alert = await alertOf('pagerduty');
      scene.provider.standingResponse(ACCEPTED.pagerduty);
      for (const result of ['F', 'S', 'F', 'S'] as const) {
        await scene.report(result, alert);
        await scene.deliver();
      }
      const seen = scene.received<{ event_action: string; dedup_key: string }>();
      expect(seen.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve', 'trigger', 'resolve']);
      const keys = seen.map(({ dedup_key }) => dedup_key);
      expect(keys).toEqual([`${alert.id}-1`, `${alert.id}-1`, `${alert.id}-2`, `${alert.id}-2`]);
    });
  });

  describe('a resolve of an alert that a client stops', () => {
    const stops: [string, (alert: SceneAlert) => Promise<{ status: number }>][] = [
      ['disabling the alert', ({ id }) => scene.app.write.put(`/alerts/${id}`, { enabled: false })],
      ['deleting the alert', ({ id }) => scene.app.write.delete(`/alerts/${id}`)],
      ['deleting the endpoint', ({ endpointId }) => scene.app.write.delete(`/endpoints/${endpointId}`)],
      ['deleting the website', ({ websiteId }) => scene.app.write.delete(`/websites/${websiteId}`)],
    ];

    it.each(stops)('sends nothing of an episode whose trigger never arrived: %s', async (_, stop) => {
      for (const type of ['webhook', 'pagerduty', 'slack'] as const) {
        const alert = await alertOf(type);
        scene.provider.expect({ status: 500 });
        await scene.report('F', alert);
        await scene.deliver();
        expect((await stop(alert)).status).toBeLessThan(300);
        await scene.pass(2 * MINUTE, 10_000);
        const states = await scene.states(alert);
        expect(states[0]).toMatch(/^triggered superseded:(disabled|deleted)$/);
        expect(states.slice(1)).toEqual(['resolved superseded:trigger_not_told']);
        expect((await scene.rows(alert)).map(({ config }) => config)).toEqual([null, null]);
      }
    });

    it.each(stops)('resolves the episode at a pager through the config that opened it: %s', async (_, stop) => {
      const alert = await alertOf('pagerduty');
      scene.provider.expect(ACCEPTED.pagerduty, ACCEPTED.pagerduty);
      await scene.report('F', alert);
      await scene.deliver();
      expect((await stop(alert)).status).toBeLessThan(300);
      await scene.deliver();
      const [opened, closed] = scene.received<{ event_action: string; dedup_key: string; routing_key: string }>();
      expect(closed).toMatchObject({
        event_action: 'resolve',
        dedup_key: opened?.dedup_key,
        routing_key: opened?.routing_key,
      });
    });

    it('keeps a pending resolve over an outage of the provider although its website is deleted', async () => {
      const alert = await alertOf('webhook');
      scene.provider.expect(ACCEPTED.webhook, { status: 500 }, { status: 500 }, ACCEPTED.webhook);
      await scene.report('F', alert);
      await scene.deliver();
      await scene.app.write.delete(`/websites/${alert.websiteId}`);
      await scene.deliver();
      expect((await scene.rows(alert))[1]).toMatchObject({ state: 'pending', config: expect.anything() });
      await scene.pass(MINUTE, 5000);
      expect(await scene.states(alert)).toEqual(['triggered delivered', 'resolved delivered']);
      expect((await scene.rows(alert))[1]?.config).toBeNull();
    });
  });

  it('sends the resolve through the old config after a change, and the next trigger through the new one', async () => {
    const alert = await alertOf('pagerduty');
    scene.provider.standingResponse(ACCEPTED.pagerduty);
    await scene.report('F', alert);
    await scene.deliver();
    const config = { routing_key: 'c'.repeat(32), api_url: `${scene.provider.url}/new` };
    await scene.app.write.put(`/alerts/${alert.id}`, { config });
    await scene.deliver();
    await scene.report('F', alert);
    await scene.deliver();
    const seen = scene.received<{ event_action: string; routing_key: string }>();
    expect(seen.map(({ event_action, routing_key }) => `${event_action} ${routing_key[0]}`)).toEqual([
      'trigger a',
      'resolve a',
      'trigger c',
    ]);
  });
});
