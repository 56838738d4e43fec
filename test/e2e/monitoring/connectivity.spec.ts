/** @lane slow */
import type { CheckResult, ErrorCode } from '../../../src/checker/checker';
import { Connectivity } from '../../../src/engine/run/connectivity';
import { MINUTE_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { eventually } from '../../../packages/testing/eventually';

/** A reserved name (RFC 2606) that no resolver knows. */
const NOWHERE = 'nowhere.invalid:443';

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
  warning: null,
});

describe('a failure that an offline monitor would also have', () => {
  let sink: SwitchableServer;
  let heartbeat: SwitchableServer;
  let app: TestApp;
  let clock: MovingClock;
  let connectivity: Connectivity;
  beforeAll(async () => {
    [sink, heartbeat] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    app = await startOwnApp({ heartbeatUrl: heartbeat.url });
    clock = MovingClock.of(app.app);
    connectivity = app.app.get(Connectivity);
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    await backOnline();
    clock.advance(MINUTE_MS);
  });
  afterAll(() => Promise.all([app.close(), sink.close(), heartbeat.close()]));

  const alive = () => sink.url.replace('http://', '');
  const reach = (...targets: string[]): void => {
    app.config.connectivityTargets.splice(0, Infinity, ...targets);
  };
  const judge = async (result: CheckResult, endpointId = 'endpoint'): Promise<CheckResult> =>
    connectivity.judge({ endpointId, orgId: 'organization' }, result);
  const detail = async (): Promise<string | undefined> => {
    const health = (await (await fetch(`${app.url}/health/ready`)).json()) as {
      details: Record<string, { detail?: string }>;
    };
    return health.details['connectivity']?.detail;
  };
  const offlineSeconds = async (): Promise<number> => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    return Number(/^uptime_blind_seconds (\S+)$/m.exec(metrics)?.[1]);
  };
  /** Waits without the timer that checks every five seconds. The newest probe must be a second old. */
  const backOnline = async (): Promise<void> => {
    reach(alive());
    await eventually('the network is back', async () => {
      await connectivity.tick();
      return (await offlineSeconds()) === 0;
    });
  };

  it('records a timeout as unknown while no connectivity target responds', async () => {
    reach(NOWHERE, NOWHERE, NOWHERE);
    expect(await judge(failed('connection_timeout'))).toMatchObject({
      outcome: 'unknown',
      error: { code: 'monitor_offline' },
    });
    expect(await detail()).toContain('no network');
    expect(await offlineSeconds()).toBeGreaterThan(0);
  });

  it('records a timeout as down when most connectivity targets respond or refuse the connection', async () => {
    reach(alive(), '127.0.0.1:1', NOWHERE);
    const result = await judge(failed('connection_timeout'));
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'connection_timeout' } });
  });

  it('records a timeout as unknown if the network went away after the last probe and before the check', async () => {
    expect(await judge(failed('connection_timeout'))).toMatchObject({ outcome: 'down' });
    reach(NOWHERE);
    clock.advance(1500);
    expect(await judge(failed('connection_timeout'), 'another')).toMatchObject({ outcome: 'unknown' });
  });

  it('records a timeout as unknown if the check started before the network came back', async () => {
    reach(NOWHERE);
    expect(await judge(failed('connection_timeout'))).toMatchObject({ outcome: 'unknown' });
    clock.advance(1000);
    await backOnline();
    const begunWhileOffline = { ...failed('connection_timeout'), durationMs: 20_000 };
    expect(await judge(begunWhileOffline, 'another')).toMatchObject({ outcome: 'unknown' });
    clock.advance(1100);
    expect(await judge(failed('connection_timeout'), 'another')).toMatchObject({ outcome: 'down' });
  });

  it('reports no network at /health/ready also if a checker itself found no route', async () => {
    const result: CheckResult = { ...failed('monitor_offline', null), outcome: 'unknown' };
    reach(NOWHERE);
    expect(await judge(result)).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    expect(await detail()).toContain('no network');
  });

  it('reports that results are held, and stops the heartbeat after 15 minutes offline, until the network is back', async () => {
    reach(NOWHERE);
    const job = await consistencyByHand(app.app);
    heartbeat.seen.splice(0);
    await judge(failed('connection_timeout'));
    clock.advance(14 * MINUTE_MS);
    await job.tick();
    expect(heartbeat.seen).toHaveLength(1);
    clock.advance(2 * MINUTE_MS);
    await job.tick();
    expect(heartbeat.seen).toHaveLength(1);
    expect(await detail()).toContain('no network');
    expect(await offlineSeconds()).toBeGreaterThanOrEqual((16 * MINUTE_MS) / 1000);

    await backOnline();
    expect(await detail()).toBeUndefined();
    await job.tick();
    expect(heartbeat.seen).toHaveLength(2);
  });

  it.each<[string, CheckResult]>([
    ['a response with a wrong status', failed('status_unexpected')],
    ['a refusal', failed('connection_refused')],
    ['a certificate that has expired', failed('tls_expired')],
    ['a failure on this machine', failed('connection_timeout', '127.0.0.1')],
  ])('probes no connectivity target after %s', async (_, result) => {
    reach(NOWHERE);
    expect(await judge(result)).toBe(result);
    expect(await offlineSeconds()).toBe(0);
  });
});
