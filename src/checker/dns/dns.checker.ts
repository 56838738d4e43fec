import { Dialer } from '../../platform/net/dial/dialer';
import { type EgressRule, OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';
import { hasRoute } from '../../platform/net/dial/route-probe';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest } from '../checker';
import { lookUp, type DnsResult } from './dns-lookup';
import type { DnsServer, OpenTcp } from './dns-query';
import { DNS_TARGET_FORM, parseDnsTarget, type DnsTarget } from './dns-target';
import { foundRecords, judgeLookup, listRecords } from './dns-verdict';
import { ResolverProbe } from './resolver-probe';
import { SystemResolvers } from './system-resolvers';

/** The machine's own resolvers are the operator's choice, not an organization's. */

/**
 * Looks a name up, at the machine's own resolvers or at one the target names; the egress rule judges the latter. `dnsMs`
 * is the whole lookup, with that of the resolver's own name.
 */
@Checker('DNS')
export class DnsChecker implements Checker<DnsTarget> {
  readonly assertionSources = ['dns_record', 'response_time'] as const;
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
    const builder = new CheckResultBuilder(request, signal);
    const servers = await this.serversOf(request.target, builder);
    if (!servers) return builder.finish();
    const results = await this.lookUp(request, servers, builder, signal);
    return builder.finish({ records: foundRecords(results).map(({ value }) => value) });
  }

  private async lookUp(
    { target, assertions, egress }: CheckRequest<DnsTarget>,
    servers: readonly DnsServer[],
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<DnsResult[]> {
    const openTcp = this.tcpOpener(target.resolver ? egress : OPERATORS_EGRESS);
    const questions = target.types.map((type) => ({ name: target.name, type }));
    const probe = target.resolver ? null : new ResolverProbe(servers, openTcp);
    const results = await lookUp(servers, questions, openTcp, signal);
    probe?.stop();
    note(results, builder);
    const circumstances = {
      target,
      assertions,
      interruption: signal.aborted ? abortFailure('dns', signal) : null,
      ownAlive: probe?.isAlive ?? false,
      hasRoute: await isRouted(results),
    };
    builder.fail(judgeLookup(results, circumstances));
    return results;
  }

  private async serversOf({ resolver }: DnsTarget, builder: CheckResultBuilder): Promise<readonly DnsServer[] | null> {
    if (!resolver) return this.systemResolvers.list();
    const addresses = await builder.resolve(this.dialer, resolver.host);
    return addresses && addresses.map((address) => ({ address, port: resolver.port }));
  }

  private tcpOpener(egress: EgressRule): OpenTcp {
    return async ({ address, port }, signal) => {
      const { socket } = await this.dialer.dial({ host: address, port, egress, signal });
      return socket;
    };
  }
}

/** Both questions run in parallel, so the slower one is the duration; failed lookups are ignored if the other found records. */
function note(results: readonly DnsResult[], builder: CheckResultBuilder): void {
  const answered = results.filter(({ finding }) => finding.kind === 'records');
  const telling = answered.length > 0 ? answered : results;
  builder.add('dnsMs', Math.max(0, ...telling.map(({ elapsedMs }) => elapsedMs)));
  builder.address = telling.find(({ server }) => server !== null)?.server?.address ?? null;
  builder.records = listRecords(results);
}

/** Without a route the fault is ours; a router's "network unreachable" arrives over a route that exists. */
async function isRouted(results: readonly DnsResult[]): Promise<boolean> {
  const unrouted = results.find(
    ({ finding }) => finding.kind === 'fault' && 'code' in finding.error && finding.error.code === 'ENETUNREACH',
  );
  return unrouted?.server ? hasRoute(unrouted.server.address) : true;
}
