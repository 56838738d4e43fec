import { DataSource } from 'typeorm';
import { Heartbeat } from '../../platform/observability/heartbeat';
import type { CheckResult } from '../../checker/checker';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { DialError } from '../../platform/net/dial/dial-error';
import { type Dialed, Dialer, type DialRequest } from '../../platform/net/dial/dialer';
import { EgressPolicy } from '../../platform/net/egress/egress-policy';
import { HostResolver } from '../../platform/net/dns/host-resolver';
import { OutboundHttp } from '../../platform/net/http/outbound-http';
import { TrustedRoots } from '../../platform/net/dial/trusted-roots';
import { BackgroundJobs } from '../../platform/jobs/background-job';
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { Connectivity } from './connectivity';
import { NetworkProbe } from './network-probe';

class SetClock extends Clock {
  ms = 100_000;

  override monotonic(): number {
    return this.ms;
  }
}

/** A real socket cannot be made to fail in the middle of a probe: here each dial waits until the test ends it. */
class WaitingDialer extends Dialer {
  readonly attempts: { fail(): void; refuse(): void }[] = [];

  override dial(_request: DialRequest): Promise<Dialed> {
    const phases = { dnsMs: null, connectMs: null, tlsMs: null };
    return new Promise((_, reject) => {
      this.attempts.push({
        fail: () => reject(new DialError('connection_timeout', 'connect', 'No response.', false, phases)),
        // A refusal comes from another machine: the network works.
        refuse: () => reject(new DialError('connection_refused', 'connect', 'It is refused.', false, phases)),
      });
    });
  }
}

const timedOut: CheckResult = {
  outcome: 'down',
  durationMs: 2000,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address: '192.0.2.2',
  certificate: null,
  records: null,
  redirects: [],
  error: { code: 'connection_timeout', phase: 'connect', message: 'No response.' },
};

it('ignores the result of a connectivity probe when a newer probe ended before it', async () => {
  const config = Object.assign(new Config(), { connectivityTargets: ['192.0.2.1:1'] });
  const dialer = new WaitingDialer(new HostResolver(), new TrustedRoots());
  const [clock, metrics] = [new SetClock(), new Metrics()];
  const heartbeat = new Heartbeat(config, new OutboundHttp(dialer), new EgressPolicy(config));
  const health = new Health(config, new Database(new DataSource({ type: 'postgres' })));
  const jobs = new BackgroundJobs(config, clock, metrics);
  const probe = new NetworkProbe(config, dialer);
  const connectivity = new Connectivity(probe, clock, health, metrics, heartbeat, jobs);

  const before = connectivity.judge('a', timedOut);
  clock.ms += 2500;
  const after = connectivity.judge('b', timedOut);
  const [older, newer] = dialer.attempts;
  newer?.refuse();
  expect(await after).toMatchObject({ outcome: 'down' });
  clock.ms += 500;
  older?.fail();
  await before;
  expect(await metrics.expose()).toContain('uptime_blind_seconds 0\n');
});
