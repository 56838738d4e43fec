import { AcknowledgementJob } from '../../../src/alert/acknowledgement/acknowledgement.job';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';

interface Acknowledgement {
  by: string;
  at: string;
  note: string;
  until: string | null;
}

interface Refusal {
  code: string;
  errors: { pointer: string; code: string }[];
}

interface Told {
  event_action: string;
  dedup_key: string;
}

describe('acknowledgements', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const pathOf = ({ endpointId }: SceneAlert) => `/endpoints/${endpointId}/acknowledgement`;
  const put = (alert: SceneAlert, body: object = {}) => scene.app.write.put<Acknowledgement>(pathOf(alert), body);
  const get = (alert: SceneAlert) => scene.app.read.get<Acknowledgement>(pathOf(alert));
  const told = (path: string) =>
    scene.received<Told>(path).map(({ event_action, dedup_key }) => ({ event_action, dedup_key }));
  const accept = (times: number) => scene.provider.expect(...Array.from({ length: times }, () => ACCEPTED.pagerduty));

  it('is given by the name of the key, read by others, replaced and taken back', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 5 });
    await scene.report('F', alert);
    expect((await get(alert)).status).toBe(404);
    const first = await put(alert, { note: 'The switch is being replaced.' });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      by: expect.any(String),
      at: expect.stringMatching(/Z$/),
      note: 'The switch is being replaced.',
      until: null,
    });
    expect((await get(alert)).body).toEqual(first.body);
    const until = new Date(scene.now().getTime() + 60_000).toISOString();
    const second = await put(alert, { until });
    expect(second.body).toMatchObject({ note: '', until });
    expect((await get(alert)).body).toEqual(second.body);
    expect((await put(alert, second.body)).status).toBe(200);
    expect((await scene.app.write.delete(pathOf(alert))).status).toBe(204);
    expect((await scene.app.write.delete(pathOf(alert))).status).toBe(404);
    expect((await get(alert)).status).toBe(404);
  });

  it('is refused while the endpoint is not down and its alerts are not triggered', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 5 });
    expect((await put(alert)).status).toBe(409);
    await scene.report('S', alert);
    expect((await put(alert)).status).toBe(409);
    await scene.report('D', alert);
    expect((await put(alert)).status).toBe(409);
    await scene.report('F', alert);
    expect((await put(alert)).status).toBe(200);
  });

  it('is refused with a time in the past, a note that is too long, and for the endpoint of another organization', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 5 });
    await scene.report('F', alert);
    const past = await scene.app.write.put<Refusal>(pathOf(alert), { until: '2020-01-01T00:00:00Z' });
    expect(past.status).toBe(400);
    expect(past.body.errors).toMatchObject([{ pointer: '/until', code: 'in_past' }]);
    expect((await put(alert, { note: 'x'.repeat(1001) })).status).toBe(400);
    const other = await scene.app.organization('Other');
    expect((await other.write.put(pathOf(alert), {})).status).toBe(404);
    expect((await other.write.get(pathOf(alert))).status).toBe(404);
    expect((await other.write.delete(pathOf(alert))).status).toBe(404);
    expect((await scene.app.read.put(pathOf(alert), {})).status).toBe(403);
    expect((await get(alert)).status).toBe(404);
  });

  it('ends when the endpoint is up and its alerts are no longer triggered', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 2, success_threshold: 2 }, 'ends');
    await scene.report('F', alert);
    await put(alert);
    await scene.report('S', alert);
    expect((await get(alert)).status).toBe(404);
  });

  it('ends at its time, and the next failure triggers', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 2 }, 'time');
    await scene.report('F', alert);
    await put(alert, { until: new Date(scene.now().getTime() + 60_000).toISOString() });
    // The database's clock decides, and may be some milliseconds behind.
    scene.clock.advance(62_000);
    expect((await get(alert)).status).toBe(404);
    await scene.nest.get(AcknowledgementJob).removeOver();
    await eventually('it is removed, here or by the job', async () => {
      const rows = await scene.database.query('SELECT 1 FROM acknowledgement WHERE endpoint_id = $1', [
        alert.endpointUuid,
      ]);
      return rows.length === 0;
    });
    accept(1);
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered delivered']);
  });

  it('ends with the last triggered alert that a client disables or deletes, while the endpoint is up', async () => {
    scene.provider.standingResponse(ACCEPTED.pagerduty);
    const rule = { failure_threshold: 1, success_threshold: 9 };
    const [disabled, deleted] = [await scene.alert('pagerduty', rule), await scene.alert('pagerduty', rule)];
    await scene.report('F', disabled, deleted);
    await scene.report('S', disabled, deleted);
    for (const alert of [disabled, deleted]) expect((await put(alert)).status).toBe(200);
    await scene.app.write.put(`/alerts/${disabled.id}`, { enabled: false });
    await scene.app.write.delete(`/alerts/${deleted.id}`);
    for (const alert of [disabled, deleted]) expect((await get(alert)).status).toBe(404);
  });

  it('ends when the endpoint is paused', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 5 });
    await scene.app.write.put(`/endpoints/${alert.endpointId}`, { enabled: true });
    await scene.report('F', alert);
    await put(alert);
    await scene.app.write.put(`/endpoints/${alert.endpointId}`, { enabled: false });
    expect((await get(alert)).status).toBe(404);
  });

  it('sends its start, change, and end to the stream', async () => {
    const alert = await scene.alert('pagerduty', { failure_threshold: 5 });
    await scene.report('F', alert);
    const first = await put(alert, { note: 'one' });
    const second = await put(alert, { note: 'two' });
    await scene.app.write.delete(pathOf(alert));
    const rows = await scene.database.query<{ payload: Acknowledgement | null }>(
      `SELECT payload FROM stream_event WHERE kind = 'acknowledgement' AND endpoint_id = $1 ORDER BY seq`,
      [alert.endpointUuid],
    );
    const byKey = { person_id: null };
    expect(rows.map(({ payload }) => payload)).toEqual([
      { ...first.body, ...byKey },
      { ...second.body, ...byKey },
      null,
    ]);
  });

  describe('at a pager', () => {
    it('is sent with the key of the trigger, once, and before the resolve', async () => {
      const alert = await scene.alert('pagerduty', {}, 'told');
      accept(3);
      await scene.report('F', alert);
      await scene.deliver();
      await put(alert, { note: 'mine' });
      await put(alert, { note: 'still mine' });
      await scene.deliver();
      await scene.report('S', alert);
      await scene.deliver();
      const [trigger] = told('told');
      expect(told('told')).toEqual(
        ['trigger', 'acknowledge', 'resolve'].map((event_action) => ({ ...trigger, event_action })),
      );
      expect(await scene.states(alert)).toEqual([
        'triggered delivered',
        'acknowledged delivered',
        'resolved delivered',
      ]);
    });

    it('comes after a trigger that has to be sent again', async () => {
      const alert = await scene.alert('pagerduty', {}, 'again');
      scene.provider.expect({ status: 503 });
      await scene.report('F', alert);
      await scene.deliver();
      await put(alert);
      accept(2);
      await scene.pass(10_000);
      await scene.deliver();
      expect(told('again').map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'acknowledge']);
    });

    it('is not sent after the endpoint has recovered', async () => {
      const alert = await scene.alert('pagerduty', {}, 'over');
      accept(1);
      await scene.report('F', alert);
      await scene.deliver();
      scene.provider.expect({ status: 503 });
      await put(alert);
      await scene.deliver();
      await scene.report('S', alert);
      accept(1);
      await scene.pass(10_000);
      await scene.deliver();
      expect(told('over').map(({ event_action }) => event_action)).toEqual(['trigger', 'acknowledge', 'resolve']);
      expect(await scene.states(alert)).toEqual([
        'triggered delivered',
        'acknowledged superseded:resolved_before_sent',
        'resolved delivered',
      ]);
    });

    it('is not sent through a channel that does not support it', async () => {
      const alert = await scene.alert('slack', {}, 'chat');
      scene.provider.expect(ACCEPTED.slack);
      await scene.report('F', alert);
      await scene.deliver();
      await put(alert);
      await scene.deliver();
      expect(await scene.states(alert)).toEqual(['triggered delivered']);
    });

    it('the event of the trigger still shows the delivery of the trigger', async () => {
      const alert = await scene.alert('pagerduty', {}, 'event');
      accept(2);
      await scene.report('F', alert);
      await scene.deliver();
      const shown = async () =>
        (await scene.app.read.get<{ delivery: { id: string } }[]>(`/alerts/events?alert_id=${alert.id}`)).body[0];
      const before = await shown();
      await put(alert);
      await scene.deliver();
      expect((await shown())?.delivery.id).toBe(before?.delivery.id);
    });
  });
});
