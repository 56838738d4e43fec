import type { AlertView } from '../../../src/alert/alert.dto';
import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import type { DeliveryView } from '../../../src/delivery/delivery.dto';
import { DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

const GONE = { status: 404, body: 'no_service' };
const OK = { status: 200, body: 'ok' };

describe('the delivery states of alert messages', () => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await DeliveryScene.start();
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const listed = async ({ id }: SceneAlert): Promise<AlertView | undefined> =>
    (await scene.app.read.get<AlertView[]>('/alerts')).body.find((alert) => alert.id === id);
  const failed = (query = ''): Promise<{ status: number; body: DeliveryView[]; headers: Record<string, string> }> =>
    scene.app.read.get<DeliveryView[]>(`/deliveries?state=failed${query}`);

  /** Returns an alert whose trigger the provider refused permanently. */
  const givenUp = async (path: string, name: string): Promise<SceneAlert> => {
    const alert = await scene.alert('slack', {}, path, scene.app, name);
    scene.provider.expect(GONE);
    await scene.report('F', alert);
    await scene.deliver();
    return alert;
  };

  it('shows in the list of alerts which of them cannot be delivered, and why', async () => {
    const [works, fails, silent] = [
      await scene.alert('slack', {}, 'works'),
      await scene.alert('slack', {}, 'fails'),
      await scene.alert('slack', {}, 'silent'),
    ];
    scene.provider.standingResponseAt('/works', OK);
    scene.provider.standingResponseAt('/fails', GONE);
    await scene.report('F', works, fails);
    await scene.deliver();

    expect((await listed(works))?.last_delivery).toMatchObject({ state: 'delivered', error: null });
    expect((await listed(fails))?.last_delivery).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('404') as string,
    });
    expect((await listed(silent))?.last_delivery).toBeNull();
    const { body } = await scene.app.read.get<AlertView>(`/alerts/${fails.id}`);
    expect(body.last_delivery).toEqual((await listed(fails))?.last_delivery);
    expect((await listed(works))?.destination).toBe(new URL(scene.provider.url).host);
  });

  it('shows with each event what became of its message, and nothing if there was no message', async () => {
    const alert = await scene.alert('slack', { send_on_resolved: false }, 'events');
    scene.provider.expect(OK);
    await scene.report('F', alert);
    await scene.report('S', alert);
    await scene.deliver();

    const { body } = await scene.app.read.get<AlertEventView[]>(`/alerts/events?alert_id=${alert.id}`);
    const [delivery] = (await scene.deliveries(alert)).slice(-1);
    expect(body.map(({ type, delivery: one }) => [type, one?.id ?? null])).toEqual([
      ['resolved', null],
      ['triggered', delivery?.id],
    ]);
  });

  it('lists the deliveries of all alerts that were given up, newest first, page by page', async () => {
    const [first, second] = [await givenUp('first', 'Checkout'), await givenUp('second', 'Search')];
    const page = await failed('&limit=1');
    expect(page.body).toMatchObject([
      { alert_id: second.id, endpoint_id: second.endpointId, endpoint_name: 'Search', kind: 'triggered' },
    ]);
    const rest = await failed(`&limit=1&cursor=${page.headers['x-next-cursor']}`);
    expect(rest.body.map(({ alert_id }) => alert_id)).toEqual([first.id]);
    expect(rest.headers['x-next-cursor']).toBeUndefined();
  });

  it('leaves failed tests out of the list and out of the count of the system page', async () => {
    const alert = await scene.alert('slack', {}, 'test');
    scene.provider.expect(GONE);
    const test = await scene.app.write.post<DeliveryView>(`/alerts/${alert.id}/test`);
    expect(test.body.state).toBe('failed');
    const outbox = async () =>
      (await scene.app.admin.get<{ outbox: { failed: number } }>('/system')).body.outbox.failed;

    expect((await failed()).body).toEqual([]);
    expect(await outbox()).toBe(0);
    await givenUp('given-up', 'Checkout');
    expect(await outbox()).toBe(1);
  });

  it('takes a delivery off the list when it is delivered again', async () => {
    await givenUp('again', 'Checkout');
    const [delivery] = (await failed()).body;
    scene.provider.expect(OK);
    expect((await scene.app.write.post(`/deliveries/${delivery?.id}/redeliver`)).status).toBe(201);
    await scene.deliver();
    expect((await failed()).body).toEqual([]);
  });

  it('shows nothing of another organization, and refuses states that cannot be listed', async () => {
    await givenUp('mine', 'Checkout');
    const other = await scene.app.organization('Other');
    expect((await other.read.get('/deliveries?state=failed')).body).toEqual([]);
    for (const query of ['', '?state=delivered', '?state=failed&state=failed'])
      expect((await scene.app.read.get(`/deliveries${query}`)).status).toBe(400);
    expect((await scene.app.read.get('/deliveries?state=failed&cursor=x')).status).toBe(400);
    expect((await scene.app.anonymous.get('/deliveries?state=failed')).status).toBe(401);
  });
});
