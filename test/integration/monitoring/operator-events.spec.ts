/** @lane slow */
import { setImmediate } from 'node:timers/promises';
import type { OverloadEvent } from '../../../src/monitoring/operator-event';
import { Overload } from '../../../src/engine/dispatch/overload';
import { Clock } from '../../../src/platform/time/clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { eventually } from '../../../packages/testing/eventually';
import { SwitchableServer } from '../../harness/servers/switchable-server';

describe('the operator’s own alerting', () => {
  let receiver: SwitchableServer;
  /** Called before the response is sent. */
  let arrived: (count: number) => void;
  let app: TestApp | null = null;
  let overload: Overload;
  let clock: MovingClock;

  beforeEach(async () => {
    arrived = () => undefined;
    receiver = await SwitchableServer.start(() => arrived(receiver.seen.length));
  });
  afterEach(async () => {
    await app?.close();
    app = null;
    await receiver.close();
  });

  /**
   * Starts a process that checks nothing automatically, so that only the test decides what is overdue. Pauses between
   * attempts take no time.
   */
  async function start(): Promise<void> {
    app = await startOwnApp({ role: 'api', operatorWebhookUrl: `${receiver.url}/alerting` });
    overload = app.app.get(Overload);
    clock = MovingClock.frozenIn(app.app);
    app.app.get(Clock).sleep = () => setImmediate();
  }

  function beginOverload(): void {
    for (let second = 0; second < 3; second++) {
      clock.advance(1000);
      overload.skipped('overload', 200);
      overload.tick(4000);
    }
  }

  function endOverload(): void {
    clock.advance(6000);
    overload.tick(0);
  }

  const events = () => receiver.seen.map(({ body }) => JSON.parse(body) as OverloadEvent);
  const types = () => events().map(({ type }) => type);

  it('receives the start and the end of an overload, with the checks skipped until then', async () => {
    await start();
    beginOverload();
    await eventually('the beginning is told', () => receiver.seen.length === 1);
    endOverload();
    await eventually('the end is told', () => receiver.seen.length === 2);

    const [began, ended] = events();
    expect(receiver.seen[0]).toMatchObject({ method: 'POST', path: '/alerting' });
    expect(receiver.seen[0]?.headers['content-type']).toBe('application/json');
    expect(began).toMatchObject({ type: 'overload.began', skipped_per_second: 200, results_lost: 0 });
    expect(began?.ratio).toBeGreaterThan(1);
    expect(began?.text).toContain('is overloaded');
    expect(ended).toMatchObject({ type: 'overload.ended', ratio: 1, since: began?.since });
    expect(ended?.slots_skipped).toBeGreaterThan(0);
  });

  it('gets the end after the start, although the start had to be repeated', async () => {
    await start();
    receiver.status = 503;
    arrived = (count) => (receiver.status = count < 3 ? 503 : 200);
    beginOverload();
    endOverload();
    await eventually('the end is told', () => types().includes('overload.ended'));

    expect(types()).toEqual(['overload.began', 'overload.began', 'overload.began', 'overload.ended']);
  });

  it('receives the end although the start never arrived', async () => {
    await start();
    receiver.status = 500;
    beginOverload();
    endOverload();
    await eventually('both are given up after five attempts', () => receiver.seen.length === 10);

    expect(types()).toEqual([...Array(5).fill('overload.began'), ...Array(5).fill('overload.ended')]);
  });

  it('receives the end from a process that stops while it is overloaded', async () => {
    await start();
    beginOverload();
    await eventually('the beginning is told', () => receiver.seen.length === 1);
    await app?.close();
    app = null;

    expect(types()).toEqual(['overload.began', 'overload.ended']);
    expect(events()[1]?.text).toContain('was stopped while overloaded');
  });
});
