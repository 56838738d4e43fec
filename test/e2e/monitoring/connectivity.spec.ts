import type { CheckResult, ErrorCode } from '../../../src/checker/checker';
import { Connectivity } from '../../../src/monitoring/run/connectivity';
import { startApp, type TestApp } from '../../harness/app/app';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { MovingClock } from '../../harness/app/moving-clock';
import { eventually } from '../../harness/app/poll';

// A probe of a resolver that is silent takes three seconds, and every test starts a service.
jest.setTimeout(90_000);

/** A reserved name (RFC 2606): whatever resolver there is, nothing answers there. */
const NOWHERE = 'nowhere.invalid:443';

const MINUTE = 60_000;

const failed = (code: ErrorCode, address: string | null = '192.0.2.7'): CheckResult => ({
  outcome: 'down',
  durationMs: 1000,
  phases: { dnsMs: null, connectMs: 1000, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address,
  certificate: null,
  records: null,
  redirects: [],
  error: { code, phase: 'connect', message: 'No connection within 1 s.' },
});

describe('a failure that could be our own network’s', () => {
  let sink: SwitchableServer;
  let heartbeat: SwitchableServer;
  let app: TestApp | null = null;
  beforeAll(async () => {
    [sink, heartbeat] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
  });
  afterEach(async () => {
    await app?.close();
    app = null;
  });
  afterAll(() => Promise.all([sink.close(), heartbeat.close()]));

  const judge = async (connectivityTargets: string[], report: CheckResult): Promise<CheckResult> => {
    app = await startApp({ role: 'api', connectivityTargets });
    return app.app.get(Connectivity).judge('endpoint', report);
  };
  const alive = () => sink.url.replace('http://', '');
  const judgeAgain = async (report: CheckResult) => app?.app.get(Connectivity).judge('another endpoint', report);
  const detail = async (): Promise<string | undefined> => {
    const health = (await (await fetch(`${app?.url}/health/ready`)).json()) as {
      details: Record<string, { detail?: string }>;
    };
    return health.details['connectivity']?.detail;
  };
  const blindSeconds = async (): Promise<number> => {
    const metrics = await (await fetch(`${app?.url}/metrics`)).text();
    return Number(/^uptime_blind_seconds (\S+)$/m.exec(metrics)?.[1]);
  };
  /** From now on the connectivity targets are these. */
  const reach = (...targets: string[]): void => {
    app?.config.connectivityTargets.splice(0, Infinity, ...targets);
  };

  it('is unknown while none of the connectivity targets answers', async () => {
    const report = await judge([NOWHERE, NOWHERE, NOWHERE], failed('connection_timeout'));
    expect(report).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    expect(await detail()).toContain('no network');
    expect(await blindSeconds()).toBeGreaterThan(0);
  });

  it('is the target’s when most of them answer, a refusal being an answer', async () => {
    const report = await judge([alive(), '127.0.0.1:1', NOWHERE], failed('connection_timeout'));
    expect(report).toMatchObject({ outcome: 'down', error: { code: 'connection_timeout' } });
  });

  it('is unknown when the network went away after the last probe and before the check', async () => {
    expect(await judge([alive()], failed('connection_timeout'))).toMatchObject({ outcome: 'down' });
    reach(NOWHERE);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await judgeAgain(failed('connection_timeout'))).toMatchObject({ outcome: 'unknown' });
  });

  it('is unknown when the check began before the network came back', async () => {
    expect(await judge([NOWHERE], failed('connection_timeout'))).toMatchObject({ outcome: 'unknown' });
    reach(alive());
    await eventually('the network is back', async () => (await blindSeconds()) === 0);
    const begunWhileBlind = { ...failed('connection_timeout'), durationMs: 20_000 };
    expect(await judgeAgain(begunWhileBlind)).toMatchObject({ outcome: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await judgeAgain(failed('connection_timeout'))).toMatchObject({ outcome: 'down' });
  });

  it('is told to the operator also when the machine itself knows that it has no route', async () => {
    const report: CheckResult = { ...failed('monitor_offline', null), outcome: 'unknown' };
    expect(await judge([NOWHERE], report)).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    expect(await detail()).toContain('no network');
  });

  it('holds results visibly, and the heartbeat from a quarter of an hour on, until the network is back', async () => {
    app = await startApp({ connectivityTargets: [NOWHERE], heartbeatUrl: heartbeat.url });
    const clock = MovingClock.of(app.app);
    const auditor = await consistencyByHand(app.app);
    heartbeat.seen.splice(0);
    await judgeAgain(failed('connection_timeout'));
    clock.advance(14 * MINUTE);
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(1);
    clock.advance(2 * MINUTE);
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(1);
    expect(await detail()).toContain('no network');
    expect(await blindSeconds()).toBeGreaterThanOrEqual((16 * MINUTE) / 1000);

    reach(alive());
    await eventually('the network is back', async () => (await blindSeconds()) === 0);
    expect(await detail()).toBeUndefined();
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(2);
  });

  it.each<[string, CheckResult]>([
    ['an answer with a wrong status', failed('status_unexpected')],
    ['a refusal', failed('connection_refused')],
    ['a certificate that has expired', failed('tls_expired')],
    ['a failure on this very machine', failed('connection_timeout', '127.0.0.1')],
  ])('needs no probe after %s', async (_, report) => {
    expect(await judge([NOWHERE], report)).toBe(report);
  });
});
