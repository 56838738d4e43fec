import { WatchdogPing } from '../../platform/observability/watchdog-ping';
import type { CheckResult } from '../../checker/checker';
import { Config } from '../../platform/config/config';
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
import { NetworkLookup, type NetworkState } from './network-state';

class SetClock extends Clock {
  ms = 100_000;

  override monotonic(): number {
    return this.ms;
  }
}

/** A real socket can't be made to fail in the middle of a lookup. Here, each dial waits until the test ends it. */
class WaitingDialer extends Dialer {
  readonly attempts: { fail(): void; refuse(): void }[] = [];

  override dial(_request: DialRequest): Promise<Dialed> {
    const phases = { dnsMs: null, connectMs: null, tlsMs: null };
    return new Promise((_, reject) => {
      this.attempts.push({
        fail: () => reject(new DialError('connection_timeout', 'connect', 'No response.', false, phases)),
        // A refusal comes from another machine, so the network works.
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
  warning: null,
};

const of = (endpointId: string, orgId = 'A') => ({ endpointId, orgId });
const failedLookup: CheckResult = {
  ...timedOut,
  address: null,
  error: { code: 'dns_failure', phase: 'dns', message: 'The DNS servers could not answer.' },
};
const reached: CheckResult = { ...timedOut, outcome: 'up', error: null };

/** A machine's routing table can't be changed for a single test, so the test sets this state instead. */
class SetRouting extends NetworkLookup {
  state: NetworkState = 'online';
  routed = new Set<string>();

  override look(): Promise<NetworkState> {
    return Promise.resolve(this.state);
  }

  override hasRouteTo(address: string | null): Promise<boolean> {
    return Promise.resolve(address !== null && this.routed.has(address));
  }
}

function scene(connectivityTargets: string[] = [], Lookup: typeof NetworkLookup = SetRouting) {
  const config = Object.assign(new Config(), { connectivityTargets });
  const dialer = new WaitingDialer(new HostResolver(), new TrustedRoots());
  const [clock, metrics] = [new SetClock(), new Metrics()];
  const watchdog = new WatchdogPing(config, new OutboundHttp(dialer), new EgressPolicy(config));
  const health = new Health();
  const jobs = new BackgroundJobs(config, clock, metrics);
  const network = new Lookup(config, dialer);
  const connectivity = new Connectivity(network, clock, health, metrics, watchdog, jobs);
  const routing = network instanceof SetRouting ? network : new SetRouting(config, dialer);
  return { dialer, clock, metrics, routing, connectivity };
}

it('ignores the result of a connectivity check if a newer one finished before it', async () => {
  const { dialer, clock, metrics, connectivity } = scene(['192.0.2.1:1'], NetworkLookup);
  const before = connectivity.judge(of('a'), timedOut);
  clock.ms += 2500;
  const after = connectivity.judge(of('b'), timedOut);
  const [older, newer] = dialer.attempts;
  newer?.refuse();
  expect(await after).toMatchObject({ outcome: 'down' });
  clock.ms += 500;
  older?.fail();
  await before;
  expect(await metrics.expose()).toContain('uptime_blind_seconds 0\n');
});

describe('without connectivity targets', () => {
  it('a mass failure in an isolated network, without any default route, is recorded as down', async () => {
    const { connectivity, routing } = scene();
    routing.state = 'unproven';
    routing.routed.add('192.0.2.2');
    for (let count = 0; count < 50; count++) {
      expect(await connectivity.judge(of(`endpoint ${count}`), timedOut)).toBe(timedOut);
    }
  });

  it('a mass failure of addresses without a route is unknown if there never was a default route', async () => {
    const { connectivity, routing, clock } = scene();
    routing.state = 'unproven';
    for (let count = 0; count < 5; count++) await connectivity.judge(of(`endpoint ${count}`), timedOut);
    clock.ms += 1000;
    expect(await connectivity.judge(of('another'), timedOut)).toMatchObject({
      outcome: 'unknown',
      error: { code: 'monitor_offline' },
    });
  });

  it('a failed lookup is unknown after the default route disappears, and down while it exists', async () => {
    const { connectivity, routing, clock } = scene();
    expect(await connectivity.judge(of('a'), failedLookup)).toBe(failedLookup);
    routing.state = 'offline';
    clock.ms += 10_000;
    expect(await connectivity.judge(of('a'), failedLookup)).toMatchObject({ outcome: 'unknown' });
  });

  it('the result for an address in a connected network counts even without a default route', async () => {
    const { connectivity, routing } = scene();
    routing.state = 'offline';
    routing.routed.add('192.0.2.2');
    expect(await connectivity.judge(of('a'), timedOut)).toBe(timedOut);
  });

  it('one organization whose lookups all fail does not make the results of others unknown', async () => {
    const { connectivity, routing, clock, metrics } = scene();
    routing.state = 'unproven';
    for (let count = 0; count < 3; count++) await connectivity.judge(of(`fine ${count}`), reached);
    for (let count = 0; count < 50; count++) await connectivity.judge(of(`bad ${count}`, 'B'), failedLookup);
    clock.ms += 1000;
    expect(await connectivity.judge(of('mine'), failedLookup)).toBe(failedLookup);
    expect(await metrics.expose()).toContain('uptime_blind_seconds 0\n');
  });
});
