/**
 * @lane slow
 * @databases both
 */
import type { CheckResult } from '../../../src/checker/checker';
import { Connectivity } from '../../../src/engine/run/connectivity';
import { HeartbeatSweep } from '../../../src/heartbeat/heartbeat-sweep.job';
import { IngestPresence } from '../../../src/heartbeat/ingest-presence';
import { Database } from '../../../src/platform/database/database';
import { Health } from '../../../src/platform/observability/health';
import { eventually } from '../../../packages/testing/eventually';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { SwitchableServer } from '../../harness/servers/switchable-server';

/** A reserved name (RFC 2606) that no resolver knows. */
const NOWHERE = 'nowhere.invalid:443';
const TIMED_OUT: CheckResult = {
  outcome: 'down',
  durationMs: 1000,
  phases: { dnsMs: null, connectMs: 1000, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address: '192.0.2.7',
  certificate: null,
  records: null,
  redirects: [],
  error: { code: 'connection_timeout', phase: 'connect', message: 'No connection within 1 s.' },
  warning: null,
};

describe('a heartbeat of a machine that loses its network', () => {
  let app: TestApp;
  let clock: MovingClock;
  let reachable: SwitchableServer;
  let endpoint: string;
  let pingId: string;
  beforeAll(async () => {
    reachable = await SwitchableServer.start();
    app = await startOwnApp({ connectivityTargets: [NOWHERE] });
    clock = MovingClock.of(app.app);
    endpoint = await newEndpoint(app.write, await newWebsite(app.write), {
      url: undefined,
      type: 'HEARTBEAT',
      heartbeat: { every: 3600, grace: 10 },
    });
    await newAlert(app.write, endpoint);
    pingId = (await app.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${endpoint}`)).body.heartbeat.ping_id;
  });
  afterAll(() => Promise.all([app.close(), reachable.close()]));

  const query = (sql: string) => app.app.get(Database).query(sql);
  const reach = (target: string): void => void app.config.connectivityTargets.splice(0, Infinity, target);
  const isOffline = () => app.app.get(Connectivity).isOffline;
  const checks = async () =>
    (
      await app.read.get<{ outcome: string; error: { code: string } | null }[]>(`/endpoints/${endpoint}/checks`)
    ).body.map(({ outcome, error }) => error?.code ?? outcome);
  /** Moves the time when a client was last seen, and the time of the expected ping, this many seconds into the past. */
  const pass = async (seenSeconds: number, expectedSeconds: number): Promise<void> => {
    await query(`UPDATE ingest_seen SET seen_at = clock_timestamp() - interval '${seenSeconds} s'`);
    await query(`UPDATE heartbeat SET expected_at = clock_timestamp() - interval '${expectedSeconds} s',
                                      deadline_at = clock_timestamp() - interval '${expectedSeconds - 10} s'`);
    await app.app.get(HeartbeatSweep).run();
  };

  it('is never down because of it: neither before the absence is recorded, nor during it, nor after it', async () => {
    expect((await fetch(`${app.url}/ping/${pingId}`)).status).toBe(200);
    await app.app.get(Connectivity).judge({ endpointId: 'another', orgId: app.orgId }, TIMED_OUT);
    expect(isOffline()).toBe(true);
    await pass(8, 12);
    await pass(14, 15);
    await pass(600, 590);
    expect(await checks()).toEqual(['up']);

    reach(reachable.url.replace('http://', ''));
    await eventually('the network is back', async () => {
      clock.advance(6000);
      await app.app.get(Connectivity).tick();
      return !isOffline();
    });
    await app.app.get(IngestPresence).renew();
    // Later, nothing has arrived by the deadline, which the absence has moved.
    await query(
      `UPDATE ingest_gap SET began_at = began_at - interval '40 min', ended_at = ended_at - interval '40 min'`,
    );
    await pass(0, 2990);
    await eventually('it is decided', async () => (await checks()).length > 1);
    expect(await checks()).toEqual(['monitor_offline', 'up']);
    expect(await query('SELECT 1 FROM alert_event')).toEqual([]);
  });

  it('gets a response to retry while the service drains', async () => {
    app.app.get(Health).drain();
    const response = await fetch(`${app.url}/ping/${pingId}`);
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
  });
});
