/**
 * @lane slow
 * @databases both
 */
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { ACCEPTED, DeliveryScene, type SceneAlert, type SceneType } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';
import { SwitchableServer } from '../../harness/servers/switchable-server';

// Days pass in steps, with a pass of the delivery loop at each.
jest.setTimeout(120_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const dedupKey = (body: string | undefined) => (JSON.parse(body ?? '') as { dedup_key: string }).dedup_key;

describe('a delivery that fails', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true, apart: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    armFailpoints([]);
    await scene.finish();
  });

  let paths = 0;
  /** Creates a separate destination, so that no test inherits the circuit breaker of another. */
  const failing = (type: SceneType = 'webhook', more: object = {}) => scene.alert(type, more, `${type}-${++paths}`);

  /** Returns the seconds from the last attempt to the next one. */
  const waits = async (alert: SceneAlert): Promise<number> => {
    const [row] = await scene.rows(alert);
    const [delivery] = await scene.deliveries(alert);
    return ((row?.next_attempt_at.getTime() ?? 0) - Date.parse(delivery?.last_attempt_at ?? '')) / 1000;
  };

  it('retries a delivery on the schedule until it is accepted, and sends it once', async () => {
    const alert = await failing();
    scene.provider.expect({ status: 500 }, { status: 503 }, { status: 500 }, ACCEPTED.webhook);
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.deliveries(alert)).toMatchObject([{ state: 'pending', attempts: 1, response_status: 500 }]);
    expect(await waits(alert)).toBeGreaterThanOrEqual(4);
    expect(await waits(alert)).toBeLessThanOrEqual(7);
    await scene.pass(3000);
    expect(scene.provider.requests).toHaveLength(1);
    await scene.pass(4000);
    expect(scene.provider.requests).toHaveLength(2);
    await scene.pass(20_000);
    expect(scene.provider.requests).toHaveLength(3);
    await scene.pass(40_000);
    expect(await scene.deliveries(alert)).toMatchObject([
      { state: 'delivered', attempts: 4, response_status: 204, error: null },
    ]);
    await scene.pass(HOUR, 10 * MINUTE);
    expect(scene.provider.requests).toHaveLength(4);
    expect(new Set(scene.provider.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it.each<[string, string, number, number]>([
    ['seconds', '120', 120, 125],
    ['less than the step', '1', 4, 7],
    ['ten days', '864000', 3600, 3605],
    ['text that is not a number', 'soon', 4, 7],
    ['a negative number', '-30', 4, 7],
  ])('waits by the schedule or longer for a Retry-After of %s', async (_, retryAfter, atLeast, atMost) => {
    const alert = await failing();
    scene.provider.expect({ status: 429, headers: { 'retry-after': retryAfter } });
    await scene.report('F', alert);
    await scene.deliver();
    expect(await waits(alert)).toBeGreaterThanOrEqual(atLeast);
    expect(await waits(alert)).toBeLessThanOrEqual(atMost);
  });

  it('sends nothing to a destination before the time that its provider requested', async () => {
    const alert = await failing('slack');
    const neighbour = await scene.alert('slack', {}, `slack-${paths}`);
    const elsewhere = await failing('slack');
    scene.provider.expect({ status: 429, headers: { 'retry-after': '30' } });
    await scene.report('F', alert);
    await scene.deliver();
    scene.provider.expect(ACCEPTED.slack);
    await scene.report('F', neighbour, elsewhere);
    await scene.deliver();
    expect(await scene.states(elsewhere)).toEqual(['triggered delivered']);
    expect(await scene.rows(neighbour)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    scene.provider.expect(ACCEPTED.slack, ACCEPTED.slack);
    await scene.pass(31_000);
    expect([await scene.states(alert), await scene.states(neighbour)].flat()).toEqual([
      'triggered delivered',
      'triggered delivered',
    ]);
  });

  it.each<[number]>([[400], [401], [403], [404]])(
    'makes three attempts within five minutes after status %i, then parks the delivery visibly',
    async (status) => {
      const alert = await failing();
      scene.provider.expect({ status }, { status }, { status });
      await scene.report('F', alert);
      await scene.deliver();
      await scene.pass(5 * MINUTE, 15_000);
      expect(await scene.deliveries(alert)).toMatchObject([
        {
          state: 'failed',
          detail: 'rejected',
          attempts: 3,
          response_status: status,
          next_attempt_at: null,
          error: expect.stringContaining(String(status)),
        },
      ]);
      const metrics = await (await fetch(`${scene.app.url}/metrics`)).text();
      expect(metrics).toMatch(
        /uptime_deliveries_finished_total\{channel="webhook",state="failed",detail="rejected"\} [1-9]/,
      );
    },
  );

  it('parks a delivery at once after status 410', async () => {
    const alert = await failing();
    scene.provider.expect({ status: 410 });
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered failed:rejected']);
  });

  it('revives a parked delivery when the alert gets another config', async () => {
    const alert = await failing('slack');
    scene.provider.expect({ status: 404, body: 'no_service' });
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered failed:rejected']);
    scene.provider.expect(ACCEPTED.slack);
    const better = `${scene.provider.url}/better`;
    const { status } = await scene.app.write.put(`/alerts/${alert.id}`, { config: { webhook_url: better } });
    expect(status).toBe(200);
    await scene.deliver();
    expect(scene.provider.requests.map(({ path }) => path)).toEqual([`/slack-${paths}`, '/better']);
    expect((await scene.rows(alert))[0]).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('parks a resolve after its parked trigger, and another config revives both in order', async () => {
    const alert = await failing();
    scene.provider.expect({ status: 410 });
    await scene.report('F', alert);
    await scene.deliver();
    await scene.report('S', alert);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered failed:rejected', 'resolved failed:behind_failed']);
    scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
    await scene.app.write.put(`/alerts/${alert.id}`, { config: { url: `${scene.provider.url}/better` } });
    await scene.deliver();
    expect(scene.received<{ type: string }>('better').map(({ type }) => type)).toEqual([
      'alert.triggered',
      'alert.resolved',
    ]);
  });

  it.each<[SceneType, boolean]>([
    ['slack', true],
    ['webhook', false],
    ['pagerduty', false],
  ])('repeats an attempt without a response through %s; waits a minute first: %s', async (type, waitsMinute) => {
    const alert = await failing(type);
    scene.provider.expect('reset', ACCEPTED[type]);
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.rows(alert)).toMatchObject([{ state: 'pending', may_have_arrived: true }]);
    if (waitsMinute) {
      await scene.pass(55_000, 5000);
      expect(scene.provider.requests).toHaveLength(1);
    }
    await scene.pass(10_000);
    expect(await scene.states(alert)).toEqual(['triggered delivered']);
    const [first, second] = scene.provider.requests.map(({ body }) => body);
    if (type === 'slack') expect(second).toContain('Repeat: ');
    if (type === 'pagerduty') {
      expect(dedupKey(second)).toBe(dedupKey(first));
    }
  });

  it.each<[SceneType, number]>([
    ['slack', 24],
    ['pagerduty', 24],
    ['webhook', 72],
  ])('gives up a delivery through %s visibly after %i hours', async (type, hours) => {
    const alert = await failing(type);
    scene.provider.standingResponse({ status: 500 });
    await scene.report('F', alert);
    await scene.deliver();
    await scene.pass(2 * HOUR, MINUTE);
    await scene.pass((hours - 4) * HOUR, 30 * MINUTE);
    expect(await scene.states(alert)).toEqual(['triggered pending']);
    await scene.pass(4 * HOUR, 30 * MINUTE);
    expect(await scene.states(alert)).toEqual(['triggered failed:expired']);
    expect(scene.provider.requests.length).toBeLessThan(hours + 20);
  });

  it('sends one probe per step to a destination that fails, and everything once it has recovered', async () => {
    const alerts = await Promise.all(Array.from({ length: 20 }, () => scene.alert('webhook', {}, `down-${paths + 1}`)));
    paths += 1;
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', ...alerts);
    await scene.deliver();
    const burst = scene.provider.requests.length;
    expect(burst).toBeGreaterThanOrEqual(10);
    expect(burst).toBeLessThanOrEqual(14);
    await scene.pass(HOUR, 5000);
    expect(scene.provider.requests.length - burst).toBeLessThanOrEqual(11);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(75 * MINUTE, MINUTE);
    const states = await Promise.all(alerts.map((alert) => scene.states(alert)));
    expect(states.flat()).toEqual(alerts.map(() => 'triggered delivered'));
  });

  describe('a delivery whose lease is lost', () => {
    it('is claimed again when its lease is over, and marked as a repeat', async () => {
      const alert = await failing('slack');
      armFailpoints(['outbox.after_send=error:once']);
      scene.provider.expect(ACCEPTED.slack);
      await scene.report('F', alert);
      await scene.deliver();
      expect(await scene.rows(alert)).toMatchObject([{ state: 'pending', lease_token: expect.any(String) }]);
      await scene.pass(55_000, 5000);
      expect(scene.provider.requests).toHaveLength(1);
      scene.provider.expect(ACCEPTED.slack);
      await scene.pass(10_000);
      expect(await scene.rows(alert)).toMatchObject([{ state: 'delivered', attempts: 2, may_have_arrived: true }]);
      expect(scene.provider.requests[1]?.body).toContain('Repeat: ');
    });

    it('keeps its outcome unchanged once another instance has the lease', async () => {
      const slow = await SwitchableServer.holding();
      try {
        const alert = await scene.alert('webhook', { config: { url: slow.url } });
        await scene.report('F', alert);
        await eventually('the request arrives', () => slow.seen.length > 0);
        await scene.database.query(
          `UPDATE notification SET lease_token = gen_random_uuid(), lease_until = '2100-01-01' WHERE alert_id = $1`,
          [alert.uuid],
        );
        const [before] = await scene.rows(alert);
        slow.release(204);
        await scene.pass(120_000, 30_000);
        expect(await scene.rows(alert)).toEqual([before]);
        expect(before).toMatchObject({ state: 'pending', attempts: 1 });
      } finally {
        await slow.close();
      }
    });
  });

  it('shows no URL and no secret in the error of a delivery', async () => {
    const alert = await scene.alert('webhook', {
      config: { url: `http://127.0.0.1:1/hook/topsecretpath?token=topsecrettoken` },
    });
    await scene.report('F', alert);
    await scene.deliver();
    const [delivery] = await scene.deliveries(alert);
    expect(delivery?.error).toBeTruthy();
    expect(JSON.stringify(delivery)).not.toMatch(/topsecret|\/hook/);
  });
});
