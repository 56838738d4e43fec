import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { ACCEPTED, DeliveryScene, type SceneAlert, type SceneType } from '../harness/app/delivery-scene';
import type { ProviderScript } from '../../packages/testing/servers/fake-provider';
import { checkInvariants, checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { SwitchableServer } from '../harness/servers/switchable-server';

const MINUTE = 60_000;

const UNAVAILABLE: Readonly<Record<string, ProviderScript>> = {
  'responds 500': { status: 500 },
  'drops every connection after the request': 'reset',
};

describe.each(Object.entries(UNAVAILABLE))(
  'a provider that %s for two hours, over two restarts',
  (behaviour, script) => {
    let scene: DeliveryScene;

    beforeAll(async () => {
      scene = await DeliveryScene.start({}, { durable: true });
    });
    afterAll(() => scene.close());

    it('receives everything after its return, in order, with the original times', async () => {
      const types: SceneType[] = ['webhook', 'pagerduty', 'slack'];
      const alerts = new Map<SceneType, SceneAlert[]>();
      for (const type of types) {
        // Two per destination: one stays down, the other flaps.
        alerts.set(type, [await scene.alert(type), await scene.alert(type)]);
      }
      const all = [...alerts.values()].flat();
      const flapping = [...alerts.values()].flatMap(([, second]) => (second ? [second] : []));
      scene.provider.standingResponse(script);

      const startedAt = scene.now();
      await scene.report('F', ...all);
      await scene.deliver();
      await scene.pass(40 * MINUTE, MINUTE);
      await scene.restart();
      await scene.report('S', ...flapping);
      await scene.pass(40 * MINUTE, MINUTE);
      await scene.restart();
      await scene.report('F', ...flapping);
      await scene.pass(40 * MINUTE, MINUTE);
      await checkInvariants(scene.database, scene.now());
      expect(
        Object.keys(await scene.countStates(all)).every(
          (end) => end.startsWith('triggered pending') || end.startsWith('resolved') || end.includes('superseded'),
        ),
      ).toBe(true);

      scene.provider.requests.splice(0);
      for (const type of types) scene.provider.standingResponseAt(`/${type}`, ACCEPTED[type]);
      await scene.pass(90 * MINUTE, MINUTE);
      await checkSettled(scene.database, scene.now());

      const hooks = scene.received<{
        type: string;
        timestamp: string;
        data: { alert: { id: string }; event: { created_at: string } };
      }>('webhook');
      const [steady, flapped] = alerts.get('webhook') ?? [];
      const ofAlert = (id: string | undefined) => hooks.filter(({ data }) => data.alert.id === id);
      expect(ofAlert(steady?.id).map(({ type }) => type)).toEqual(['alert.triggered']);
      expect(ofAlert(flapped?.id).map(({ type }) => type)).toEqual([
        'alert.triggered',
        'alert.resolved',
        'alert.triggered',
      ]);
      const created = Date.parse(ofAlert(steady?.id)[0]?.data.event.created_at ?? '');
      expect(Math.abs(created - startedAt.getTime())).toBeLessThan(MINUTE);

      const [, paged] = alerts.get('pagerduty') ?? [];
      const pages = scene
        .received<{ event_action: string; dedup_key: string }>('pagerduty')
        .filter(({ dedup_key }) => dedup_key.startsWith(paged?.id ?? '?'))
        .map(({ event_action, dedup_key }) => `${event_action} ${dedup_key.split('-').at(-1)}`);
      // The first episode is over and must page no one. If the page may have been opened, it is closed.
      expect(pages).toEqual(behaviour === 'responds 500' ? ['trigger 2'] : ['resolve 1', 'trigger 2']);

      const texts = scene.received<{ text: string; attachments: unknown }>('slack');
      expect(texts).toHaveLength(2);
      for (const { text } of texts) expect(text).toContain('is down');
      expect(JSON.stringify(texts)).toContain(startedAt.toISOString().slice(0, 10));
    }, 120_000);
  },
);

describe('a shutdown with a delivery in flight', () => {
  it('lets a delivery in flight finish at shutdown and leaves no lease', async () => {
    const scene = await DeliveryScene.start({}, { durable: true });
    const slow = await SwitchableServer.holding();
    const alert = await scene.alert('webhook', { config: { url: slow.url } });
    await scene.report('F', alert);
    await eventually('the request arrives', () => slow.seen.length > 0);
    expect(scene.nest.get(DeliveryLoop).inFlight).toBe(1);
    const stopped = scene.app.stop();
    slow.release(204);
    await stopped;
    await scene.app.restart();
    expect(await scene.states(alert)).toEqual(['triggered delivered']);
    await scene.close();
    await slow.close();
  }, 60_000);

  it('aborts a delivery that does not finish within 20 seconds of shutdown; it is sent again as a possible repeat', async () => {
    const scene = await DeliveryScene.start({}, { durable: true });
    const slow = await SwitchableServer.holding();
    const alert = await scene.alert('slack', { config: { webhook_url: slow.url } });
    await scene.report('F', alert);
    await eventually('the request arrives', () => slow.seen.length > 0);
    await scene.app.stop();
    await scene.app.restart();
    const [row] = await scene.rows(alert);
    expect(row).toMatchObject({ state: 'pending', may_have_arrived: true, lease_token: null });
    await scene.close();
    await slow.close();
  }, 60_000);
});

describe('a provider that reads everything and never responds', () => {
  it('gives up an attempt without a response after 15 seconds and retries under the same key', async () => {
    const scene = await DeliveryScene.start();
    const alert = await scene.alert('webhook');
    scene.provider.expect('hang', ACCEPTED.webhook);
    await scene.report('F', alert);
    await eventually('the attempt is given up', async () => (await scene.rows(alert))[0]?.may_have_arrived, 25_000);
    await scene.pass(10_000);
    expect(await scene.states(alert)).toEqual(['triggered delivered']);
    const [first, second] = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
    scene.provider.verify();
    await scene.close();
  }, 60_000);
});
