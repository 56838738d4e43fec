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
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { Connectivity } from './connectivity';

class SetClock extends Clock {
  ms = 100_000;

  override monotonic(): number {
    return this.ms;
  }
}

/** No socket can be made to fail in the middle of a probe at will: here each waits until it is told how it ends. */
class WaitingDialer extends Dialer {
  readonly attempts: { fail(): void; refuse(): void }[] = [];

  override dial(_request: DialRequest): Promise<Dialed> {
    const phases = { dnsMs: null, connectMs: null, tlsMs: null };
    return new Promise((_, reject) => {
      this.attempts.push({
        fail: () => reject(new DialError('connection_timeout', 'connect', 'Nothing answers.', false, phases)),
        // Somebody was there to refuse it: the network works.
        refuse: () => reject(new DialError('connection_refused', 'connect', 'It is refused.', false, phases)),
      });
    });
  }
}

const silent: CheckResult = {
  outcome: 'down',
  durationMs: 2000,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address: '192.0.2.2',
  certificate: null,
  records: null,
  redirects: [],
  error: { code: 'connection_timeout', phase: 'connect', message: 'Nothing answers.' },
};

it('a probe that is overtaken by a newer one does not have the last word', async () => {
  const config = Object.assign(new Config(), { connectivityTargets: ['192.0.2.1:1'] });
  const dialer = new WaitingDialer(new HostResolver(), new TrustedRoots());
  const [clock, metrics] = [new SetClock(), new Metrics()];
  const heartbeat = new Heartbeat(config, new OutboundHttp(dialer), new EgressPolicy(config));
  const health = new Health(config, new Database(new DataSource({ type: 'postgres' })));
  const connectivity = new Connectivity(config, dialer, clock, health, metrics, heartbeat);

  const before = connectivity.judge('a', silent);
  clock.ms += 2500;
  const after = connectivity.judge('b', silent);
  const [older, newer] = dialer.attempts;
  newer?.refuse();
  expect(await after).toMatchObject({ outcome: 'down' });
  clock.ms += 500;
  older?.fail();
  await before;
  expect(await metrics.expose()).toContain('uptime_blind_seconds 0\n');
});
