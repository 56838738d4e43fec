/** @lane slow */
import { ReminderJob } from '../../../src/alert/reminder/reminder.job';
import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import { ACCEPTED, DeliveryScene, type SceneAlert, type SceneType } from '../../harness/app/delivery-scene';

interface Told {
  type: string;
  data: {
    event: { incident_key: string; ordinal?: number; trigger_event_id: string | null };
    check: object | null;
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('reminders', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    for (const type of ['webhook', 'slack', 'pagerduty', 'twilio'] as const)
      scene.provider.standingResponseAt(`/${type}`, ACCEPTED[type]);
  });
  afterEach(() => scene.finish());

  /** Creates a triggered alert with hourly reminders. */
  const open = async (type: SceneType = 'webhook', more: object = {}): Promise<SceneAlert> => {
    const alert = await scene.alert(type, { remind_every: 3600, ...more });
    await scene.report('F', alert);
    await scene.deliver();
    return alert;
  };
  const look = async () => {
    await scene.nest.get(ReminderJob).run();
    await scene.deliver();
  };
  /** Moves time forward in steps and runs the job after each step. */
  const pass = async (totalMs: number, stepMs = totalMs) => {
    for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
      scene.clock.advance(stepMs);
      await look();
    }
  };
  const told = (path: SceneType = 'webhook') => scene.received<Told>(path);
  const typesTold = () =>
    told().map(({ type, data }) => (data.event.ordinal === undefined ? type : `${type} ${data.event.ordinal}`));
  const put = async (alert: SceneAlert, body: object) => {
    expect((await scene.app.write.put(`/alerts/${alert.id}`, body)).status).toBe(200);
  };
  const remindAt = async ({ uuid }: SceneAlert) => {
    const [row] = await scene.database.query<{ at: Date | null }>('SELECT remind_at AS at FROM alert WHERE id = $1', [
      uuid,
    ]);
    return row?.at ?? null;
  };
  const inMs = async (alert: SceneAlert) => {
    const at = await remindAt(alert);
    // The clocks of the database and the process may differ by some milliseconds.
    return at && Math.round((at.getTime() - scene.now().getTime()) / 1000) * 1000;
  };

  it('come ten times in ten periods, each with a separate id and the key of the episode, and end with the resolve', async () => {
    const alert = await open();
    await pass(10 * HOUR);
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1']);
    await pass(9 * HOUR, HOUR);
    await pass(10 * MINUTE, MINUTE);
    const reminders = told().filter(({ type }) => type === 'alert.reminder');
    expect(reminders.map(({ data }) => data.event.ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(told().map(({ data }) => data.event.incident_key)).size).toBe(1);
    const ids = scene.provider.requests.map(({ headers }) => headers['webhook-id'] ?? '');
    expect(new Set(ids).size).toBe(11);
    expect(ids.slice(1).every((id) => id.startsWith('dl_'))).toBe(true);
    const { body: events } = await scene.app.read.get<AlertEventView[]>(`/alerts/events?alert_id=${alert.id}`);
    expect(reminders.map(({ data }) => data.check)).toEqual(reminders.map(() => told()[0]?.data.check));
    expect(new Set(reminders.map(({ data }) => data.event.trigger_event_id))).toEqual(new Set([events[0]?.id]));

    await scene.report('S', alert);
    await pass(3 * HOUR, HOUR);
    expect(typesTold().slice(-2)).toEqual(['alert.reminder 10', 'alert.resolved']);
    expect(await remindAt(alert)).toBeNull();
    await scene.report('F', alert);
    await scene.deliver();
    await pass(HOUR);
    expect(typesTold().slice(-2)).toEqual(['alert.triggered', 'alert.reminder 1']);
  });

  it('contain the duration in readable words', async () => {
    const alert = await open('slack');
    await scene.database.query('UPDATE alert SET incident_started_at = $2 WHERE id = $1', [alert.uuid, scene.now()]);
    await pass(2 * HOUR + 10 * MINUTE);
    expect(JSON.stringify(told('slack').at(-1))).toContain('Checkout API is still down for 2 h 10 min (reminder 1)');
  });

  it('are shown as deliveries of the trigger’s event, which keeps its own', async () => {
    const alert = await open();
    await pass(HOUR);
    const [reminder, trigger] = await scene.deliveries(alert);
    expect(reminder).toMatchObject({ kind: 'reminder', state: 'delivered', event_id: trigger?.event_id, attempts: 1 });
    expect([reminder?.ordinal, trigger?.ordinal]).toEqual([1, null]);
    const { body: events } = await scene.app.read.get<AlertEventView[]>(`/alerts/events?alert_id=${alert.id}`);
    expect(events).toMatchObject([{ type: 'triggered', id: trigger?.event_id, delivery: { id: trigger?.id } }]);
    expect((await scene.app.read.get(`/alerts/${alert.id}`)).body).toMatchObject({
      last_delivery: { id: reminder?.id },
    });
  });

  it('are never sent to a pager, which has its own reminders', async () => {
    const alert = await open('pagerduty');
    await pass(5 * HOUR, HOUR);
    expect(scene.provider.requests).toHaveLength(1);
    expect(await inMs(alert)).toBe(HOUR);
  });

  it('wait for their trigger to arrive', async () => {
    const alert = await scene.alert('webhook', { remind_every: 300 }, 'away');
    scene.provider.standingResponseAt('/away', { status: 503 });
    await scene.report('F', alert);
    await scene.deliver();
    await pass(6 * MINUTE, 20_000);
    expect(await scene.states(alert)).toEqual(['triggered pending']);
    scene.provider.standingResponseAt('/away', { status: 204 });
    await pass(30 * MINUTE, MINUTE);
    const [trigger, first] = await scene.states(alert);
    expect([trigger, first]).toEqual(['triggered delivered', 'reminder delivered']);
  });

  it('collapse to the newest while their receiver is away, and give way to the resolve', async () => {
    const alert = await open('webhook', { remind_every: 300 });
    scene.provider.standingResponseAt('/webhook', { status: 503 });
    await pass(20 * MINUTE, 20_000);
    const states = await scene.states(alert);
    expect(states.slice(0, -1)).toEqual([
      'triggered delivered',
      ...states.slice(1, -1).map(() => 'reminder superseded:collapsed'),
    ]);
    expect(states.at(-1)).toBe('reminder pending');
    scene.provider.standingResponseAt('/webhook', ACCEPTED.webhook);
    await scene.report('S', alert);
    await scene.pass(30 * MINUTE, MINUTE);
    expect((await scene.states(alert)).slice(-2)).toEqual([
      'reminder superseded:resolved_before_sent',
      'resolved delivered',
    ]);
    expect(typesTold().at(-1)).toBe('alert.resolved');
  });

  it('do not delay the resolve by the time that they wait to be sent again', async () => {
    const alert = await open();
    scene.provider.standingResponseAt('/webhook', { status: 503, headers: { 'retry-after': '120' } });
    await pass(HOUR);
    expect(await scene.states(alert)).toEqual(['triggered delivered', 'reminder pending']);
    scene.provider.standingResponseAt('/webhook', ACCEPTED.webhook);
    await scene.report('S', alert);
    const resolved = async () => (await scene.rows(alert)).find(({ kind }) => kind === 'resolved');
    const due = (await resolved())?.next_attempt_at ?? null;
    // The clocks of the database and the process may differ by some milliseconds.
    expect(due && due.getTime() - scene.now().getTime()).toBeLessThan(1000);
    await scene.pass(5 * MINUTE, 10_000);
    expect(await scene.states(alert)).toEqual([
      'triggered delivered',
      'reminder superseded:resolved_before_sent',
      'resolved delivered',
    ]);
  });

  it('are not sent while the endpoint is acknowledged, and for a full period after that', async () => {
    const alert = await open();
    await pass(50 * MINUTE);
    expect((await scene.app.write.put(`/endpoints/${alert.endpointId}/acknowledgement`, {})).status).toBe(200);
    await pass(3 * HOUR, 5 * MINUTE);
    expect(typesTold()).toEqual(['alert.triggered']);
    expect((await scene.app.write.delete(`/endpoints/${alert.endpointId}/acknowledgement`)).status).toBe(204);
    await pass(HOUR - 20_000, (HOUR - 20_000) / 20);
    expect(typesTold()).toEqual(['alert.triggered']);
    await pass(80_000, 20_000);
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1']);
  });

  it('are not sent during maintenance that mutes, and for a full period after that', async () => {
    const alert = await open();
    const inHours = (hours: number) => new Date(scene.now().getTime() + hours * HOUR).toISOString();
    const window = {
      name: 'Move',
      scope: { endpoint_ids: [alert.endpointId] },
      starts_at: inHours(0.5),
      ends_at: inHours(2.5),
    };
    expect((await scene.app.write.post('/maintenance-windows', window)).status).toBe(201);
    const other = await open();
    await pass(2.5 * HOUR, 20_000);
    expect(told().filter(({ data }) => data.event.incident_key.startsWith(alert.id))).toHaveLength(1);
    expect(told().filter(({ data }) => data.event.incident_key.startsWith(other.id))).toHaveLength(3);
    await pass(HOUR - 20_000, (HOUR - 20_000) / 20);
    expect(told().filter(({ data }) => data.event.incident_key.startsWith(alert.id))).toHaveLength(1);
    await pass(80_000, 20_000);
    expect(told().filter(({ data }) => data.event.incident_key.startsWith(alert.id))).toHaveLength(2);
  });

  it('are not sent while a parent is down', async () => {
    const [parent, child] = [await scene.alert('webhook', { enabled: false }), await open()];
    // Enables the endpoint without the scheduler, because the test reports its checks.
    await scene.database.query(
      `UPDATE endpoint_schedule SET active = true, next_check_at = now() + interval '9 years' WHERE endpoint_id = $1`,
      [parent.endpointUuid],
    );
    const depends_on = [parent.endpointId];
    expect((await scene.app.write.put(`/endpoints/${child.endpointId}`, { depends_on })).status).toBe(200);
    await scene.report('F', parent);
    await pass(3 * HOUR, 5 * MINUTE);
    expect(typesTold()).toEqual(['alert.triggered']);
    await scene.report('S', parent);
    await pass(HOUR + MINUTE, MINUTE);
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1']);
  });

  it('are skipped while the alert flaps', async () => {
    const alert = await scene.alert('webhook', { remind_every: 300 });
    for (const result of 'FSFSFSF') await scene.report(result as 'F' | 'S', alert);
    await scene.deliver();
    await pass(30 * MINUTE, MINUTE);
    expect((await scene.states(alert)).filter((state) => state.startsWith('reminder'))).toEqual([]);
    await pass(35 * MINUTE, MINUTE);
    expect((await scene.states(alert)).filter((state) => state.startsWith('reminder'))).not.toEqual([]);
  });

  it('start, change, and end with remind_every, from the moment of the change', async () => {
    const alert = await open('webhook', { remind_every: null });
    expect(await inMs(alert)).toBeNull();
    await put(alert, { remind_every: 7200 });
    expect(await inMs(alert)).toBe(2 * HOUR);
    await pass(HOUR);
    await put(alert, { remind_every: 7200, description: 'the same' });
    expect(await inMs(alert)).toBe(HOUR);
    await put(alert, { remind_every: 300 });
    expect(await inMs(alert)).toBe(5 * MINUTE);
    await pass(5 * MINUTE + 1000);
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1']);
    await put(alert, { remind_every: null });
    expect(await inMs(alert)).toBeNull();
    await pass(2 * HOUR, HOUR);
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1']);
    await scene.report('S', alert);
    await put(alert, { remind_every: 300 });
    expect(await inMs(alert)).toBeNull();
  });

  it('end with an episode that a client closes, and with the alert', async () => {
    const [disabled, deleted] = [await open(), await open()];
    await put(disabled, { enabled: false, remind_every: 600 });
    expect(await remindAt(disabled)).toBeNull();
    expect((await scene.app.write.delete(`/alerts/${deleted.id}`)).status).toBe(204);
    await pass(3 * HOUR, HOUR);
    expect(typesTold().filter((type) => type.startsWith('alert.reminder'))).toEqual([]);
  });

  it('are sent again when a client asks, until their episode is over', async () => {
    const alert = await open();
    await pass(HOUR);
    const [reminder] = await scene.deliveries(alert);
    const redeliver = () => scene.app.write.post(`/deliveries/${reminder?.id}/redeliver`);
    expect((await redeliver()).status).toBe(201);
    await scene.deliver();
    expect(typesTold()).toEqual(['alert.triggered', 'alert.reminder 1', 'alert.reminder 1']);
    await scene.report('S', alert);
    await scene.deliver();
    expect((await redeliver()).status).toBe(201);
    await scene.deliver();
    expect((await scene.states(alert))[1]).toBe('reminder superseded:resolved_before_sent');
  });

  it('are not sent for an alert whose episode is over, no matter who ended it', async () => {
    const alert = await open();
    await scene.database.query('UPDATE alert SET triggered = false, trigger_event_id = NULL WHERE id = $1', [
      alert.uuid,
    ]);
    await pass(HOUR);
    expect(typesTold()).toEqual(['alert.triggered']);
    expect(await remindAt(alert)).toBeNull();
  });
});
