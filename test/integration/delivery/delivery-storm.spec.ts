/** @lane slow */
import { ACCEPTED, DeliveryScene } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';
import { SwitchableServer } from '../../harness/servers/switchable-server';

const MINUTE = 60_000;

describe('a storm of deliveries', () => {
  let scene: DeliveryScene;
  let paths = 0;
  const newPath = () => `storm-${++paths}`;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true, apart: true });
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const texts = (path: string) => scene.received<{ text: string }>(path).map(({ text }) => text);

  it('reaches a chat as a few messages and digests: every event is included, at most ten messages a minute', async () => {
    const path = newPath();
    const alerts = await scene.crowd(120, 'slack', path);
    scene.provider.standingResponse(ACCEPTED.slack);
    for (let batch = 0; batch < 4; batch++) {
      await scene.report('F', ...alerts.slice(batch * 30, (batch + 1) * 30));
      await scene.pass(10_000, 2500);
    }
    await scene.pass(20_000, 2500);
    expect(scene.provider.requests.length).toBeLessThanOrEqual(10);
    // Four attempts started at once, with three notifications and a digest. Any of them may arrive first.
    const single = /^Endpoint \d+ is down: connection refused \(1 check in a row\)$/;
    expect(texts(path).slice(0, 4)).toContainEqual(expect.stringMatching(single));
    await scene.pass(MINUTE, 5000);
    const counts = await scene.countStates(alerts);
    expect((counts['triggered delivered'] ?? 0) + (counts['triggered delivered:digest'] ?? 0)).toBe(120);
    const digests = texts(path).filter((text) => /^\d+ alerts triggered$/.test(text));
    const counted = digests.map((text) => Number.parseInt(text, 10)).reduce((sum, count) => sum + count, 0);
    expect(counted + texts(path).length - digests.length).toBe(120);
    expect(scene.provider.requests.map(({ body }) => body).join()).toContain('and ');
  });

  it('also sends digests when a storm ends', async () => {
    const path = newPath();
    const alerts = await scene.crowd(50, 'slack', path);
    scene.provider.standingResponse(ACCEPTED.slack);
    await scene.report('F', ...alerts);
    await scene.pass(5 * MINUTE, 10_000);
    scene.provider.requests.splice(0);
    await scene.report('S', ...alerts);
    await scene.pass(5 * MINUTE, 10_000);
    expect(scene.provider.requests.length).toBeLessThanOrEqual(6);
    expect(texts(path).filter((text) => /^\d+ alerts resolved$/.test(text))).not.toEqual([]);
    expect(Object.keys(await scene.countStates(alerts)).every((end) => end.includes('delivered'))).toBe(true);
  });

  // More than the limits at once, which are 60 and 200.
  it.each([
    ['pagerduty', 100],
    ['webhook', 220],
  ] as const)('sends a storm to %s one by one, each with its key, within the rate limit', async (type, count) => {
    const path = newPath();
    const alerts = await scene.crowd(count, type, path);
    scene.provider.standingResponse(ACCEPTED[type]);
    await scene.report('F', ...alerts);
    await scene.deliver();
    expect(scene.provider.requests.length).toBeLessThan(count);
    await scene.pass(2 * MINUTE, 5000);
    expect(await scene.countStates(alerts)).toEqual({ 'triggered delivered': count });
    const keys =
      type === 'webhook'
        ? scene.provider.requests.map(({ headers }) => headers['webhook-id'])
        : scene.received<{ dedup_key: string }>().map(({ dedup_key }) => dedup_key);
    expect(keys).toHaveLength(count);
    expect(new Set(keys).size).toBe(count);
  });

  it('sends new episodes before the resolves of others', async () => {
    const path = newPath();
    const [old, fresh] = [await scene.crowd(60, 'webhook', path), await scene.crowd(5, 'webhook', path)];
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.report('F', ...old);
    await scene.pass(MINUTE, 5000);
    scene.provider.standingResponse({ status: 503, headers: { 'retry-after': '10' } });
    await scene.report('S', ...old);
    await scene.deliver();
    await scene.report('F', ...fresh);
    scene.provider.requests.splice(0);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(30_000, 5000);
    const kinds = scene.received<{ type: string }>().map(({ type }) => type);
    // Four are in flight at a time and may arrive in any order.
    expect(kinds.slice(0, fresh.length + 4).filter((kind) => kind === 'alert.triggered')).toHaveLength(fresh.length);
    expect(kinds.filter((kind) => kind === 'alert.resolved').length).toBeGreaterThan(0);
  });

  it('never puts two organizations into one digest', async () => {
    const path = newPath();
    const other = await scene.app.organization('Other');
    const [mine, theirs] = [await scene.crowd(20, 'slack', path), await scene.crowd(30, 'slack', path, other.orgId)];
    scene.provider.standingResponse(ACCEPTED.slack);
    await scene.report('F', ...mine, ...theirs);
    await scene.pass(40 * MINUTE, 2 * MINUTE);
    expect(Object.keys(await scene.countStates(mine)).every((end) => end.startsWith('triggered delivered'))).toBe(true);
    // Only the Default organization may use private targets.
    expect(await scene.countStates(theirs)).toEqual({ 'triggered failed:rejected': 30 });
    for (const text of texts(path)) expect(Number.parseInt(text, 10) || 0).toBeLessThanOrEqual(20);
  });

  it('limits a provider that hangs to its own attempts in flight; other providers are not delayed', async () => {
    const slow = await Promise.all([
      SwitchableServer.holding(),
      SwitchableServer.holding(),
      SwitchableServer.holding(),
    ]);
    try {
      const stuck = [];
      for (const { url } of slow) {
        for (let i = 0; i < 6; i++) stuck.push(await scene.alert('webhook', { config: { url } }));
      }
      await scene.report('F', ...stuck);
      await eventually('the slow providers have all the attempts that they may have', () =>
        slow.every(({ seen }) => seen.length === 4),
      );
      const alert = await scene.alert('slack', {}, newPath());
      scene.provider.expect(ACCEPTED.slack);
      await scene.report('F', alert);
      await eventually('the fast provider gets its notification', async () =>
        (await scene.states(alert)).includes('triggered delivered'),
      );
      expect((await scene.countStates(stuck))['triggered pending']).toBe(18);
      for (const provider of slow) provider.release(204);
      await scene.deliver();
      expect(await scene.countStates(stuck)).toEqual({ 'triggered delivered': 18 });
    } finally {
      await Promise.all(slow.map((provider) => provider.close()));
    }
  });
});

describe('an alert that flaps at every check for an hour', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true, apart: true });
  });
  afterAll(() => scene.close());

  it('sends people six notifications of a flapping alert, then one every half hour; a pager gets all', async () => {
    const chat = await scene.alert('slack');
    const pager = await scene.alert('pagerduty');
    scene.provider.standingResponse(ACCEPTED.slack);
    const flap = async (checks: number) => {
      for (let check = 0; check < checks; check++) {
        await scene.report(check % 2 === 0 ? 'F' : 'S', chat);
        await scene.pass(MINUTE);
      }
    };
    await flap(60);
    const texts = scene.received<{ text: string }>('slack').map(({ text }) => text);
    expect(texts.slice(0, 6).every((text) => /is (down|back up)/.test(text))).toBe(true);
    expect(texts.slice(6)).toEqual([
      expect.stringContaining('keeps going up and down'),
      expect.stringContaining('keeps going up and down'),
    ]);
    const [events] = await scene.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM alert_event WHERE alert_id = $1',
      [chat.uuid],
    );
    expect(events?.count).toBe(60);

    await scene.pass(90 * MINUTE, MINUTE);
    const after = scene
      .received<{ text: string }>('slack')
      .map(({ text }) => text)
      .slice(8);
    // Two more half hours until an hour without notifications has passed, then a plain notification.
    expect(after.length).toBeLessThanOrEqual(3);
    expect(after.at(-1)).toMatch(/is back up|was down/);
    expect((await scene.countStates([chat]))['resolved pending']).toBeUndefined();
    expect((await scene.countStates([chat]))['triggered pending']).toBeUndefined();

    scene.provider.requests.splice(0);
    scene.provider.standingResponse(ACCEPTED.pagerduty);
    for (let check = 0; check < 30; check++) {
      await scene.report(check % 2 === 0 ? 'F' : 'S', pager);
      await scene.pass(MINUTE);
    }
    const actions = scene.received<{ event_action: string }>('pagerduty').map(({ event_action }) => event_action);
    expect(actions).toEqual(Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? 'trigger' : 'resolve')));
    scene.provider.standingResponse(null);
    scene.provider.verify();
  });
});
