import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import type { EgressRule } from '../../platform/net/egress/egress-policy';
import { hasRoute } from '../../platform/net/dial/route-probe';
import { assertionFailure } from '../assertion/assertion-failure';
import type { AssertionSource } from '../assertion/assertion';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure, dialFailure } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest } from '../checker';
import { lookUp, type DnsResult } from './dns-lookup';
import type { DnsServer, OpenTcp } from './dns-query';
import { DNS_TARGET_FORM, parseDnsTarget, type DnsTarget } from './dns-target';
import { foundRecords, judgeLookup, listRecords } from './dns-verdict';
import { ResolverProbe } from './resolver-probe';
import { SystemResolvers } from './system-resolvers';

/** The machine's own resolvers are the operator's choice, not an organization's. */
const ANY_ADDRESS: EgressRule = { refusal: () => null };

/**
 * Looks a name up, at the machine's own resolvers or at one the target names; the egress rule judges the latter. `dnsMs`
 * is the whole lookup, with that of the resolver's own name.
 */
@Checker('DNS')
export class DnsChecker implements Checker<DnsTarget> {
  readonly assertionSources: readonly AssertionSource[] = ['dns_record', 'response_time'];
  readonly targetForm = DNS_TARGET_FORM;

  constructor(
    private readonly dialer: Dialer,
    private readonly systemResolvers: SystemResolvers,
  ) {}

  parseTarget(url: string): DnsTarget {
    return parseDnsTarget(url);
  }

  hostsOf({ resolver }: DnsTarget): string[] {
    return resolver ? [resolver.host] : [];
  }

  async check(request: CheckRequest<DnsTarget>, signal: AbortSignal): Promise<CheckResult> {
    const draft = new CheckResultBuilder();
    try {
      const servers = await this.serversOf(request, draft, signal);
      return await this.lookUp(request, servers, draft, signal);
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      draft.addDial(error.phases, error.address);
      return draft.result(dialFailure(error, signal));
    }
  }

  private async lookUp(
    { target, assertions, egress }: CheckRequest<DnsTarget>,
    servers: readonly DnsServer[],
    draft: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<CheckResult> {
    const openTcp = this.tcpOpener(target.resolver ? egress : ANY_ADDRESS);
    const questions = target.types.map((type) => ({ name: target.name, type }));
    const pulse = target.resolver ? null : new ResolverProbe(servers, openTcp);
    const results = await lookUp(servers, questions, openTcp, signal);
    pulse?.stop();
    note(results, draft);
    const failure = judgeLookup(results, {
      target,
      assertions,
      interruption: signal.aborted ? abortFailure('dns', signal) : null,
      ownAlive: pulse?.isFelt ?? false,
      hasRoute: await isRouted(results),
    });
    if (failure) return draft.result(failure);
    const records = foundRecords(results).map(({ value }) => value);
    return draft.result(assertionFailure(assertions, { durationMs: draft.durationMs, records }));
  }

  private async serversOf(
    { target, egress }: CheckRequest<DnsTarget>,
    draft: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<readonly DnsServer[]> {
    if (!target.resolver) return this.systemResolvers.list();
    const { host, port } = target.resolver;
    const { addresses, dnsMs } = await this.dialer.resolve(host, egress, signal);
    draft.add('dnsMs', dnsMs);
    return addresses.map((address) => ({ address, port }));
  }

  private tcpOpener(egress: EgressRule): OpenTcp {
    return async ({ address, port }, signal) => {
      const { socket } = await this.dialer.dial({ host: address, port, egress, signal });
      return socket;
    };
  }
}

/** Two questions are asked at once, so the slower one is the time; what brought nothing does not count beside records. */
function note(results: readonly DnsResult[], draft: CheckResultBuilder): void {
  const answered = results.filter(({ finding }) => finding.kind === 'records');
  const telling = answered.length > 0 ? answered : results;
  draft.add('dnsMs', Math.max(0, ...telling.map(({ elapsedMs }) => elapsedMs)));
  draft.address = telling.find(({ server }) => server !== null)?.server?.address ?? null;
  draft.records = listRecords(results);
}

/** Told apart from a router's "network unreachable", which arrives over a route that exists. */
async function isRouted(results: readonly DnsResult[]): Promise<boolean> {
  const unrouted = results.find(
    ({ finding }) => finding.kind === 'fault' && 'code' in finding.error && finding.error.code === 'ENETUNREACH',
  );
  return unrouted?.server ? hasRoute(unrouted.server.address) : true;
}
