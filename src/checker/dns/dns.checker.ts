import { Dialer } from '../../platform/net/dial/dialer';
import { type EgressRule, OPERATORS_EGRESS, refusalText } from '../../platform/net/egress/egress-policy';
import { INTERNAL_REFUSAL, isInternalName } from '../../platform/net/egress/internal-name';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest } from '../checker';
import { lookUp, type DnsResult } from './dns-lookup';
import { askResolver, type DnsServer, type OpenTcp } from './dns-query';
import { DNS_TARGET_FORM, parseDnsTarget, type DnsTarget } from './dns-target';
import type { Hides } from './dns-records';
import { decisiveResult, foundRecords, judgeLookup, listRecords } from './dns-verdict';
import { SystemResolvers } from './system-resolvers';
import { ALIVE_QUESTION, SilenceWatch } from '../../platform/net/dns/silence-watch';

/** Detects which of the queried resolvers are alive while a check has no answer. Always call `stop`. */
class ResolverWatch {
  private readonly startedAt = performance.now();
  private readonly controller = new AbortController();
  private readonly watches = new Map<DnsServer, SilenceWatch>();

  constructor(
    private readonly openTcp: OpenTcp,
    private readonly resolvers: SystemResolvers,
  ) {}

  readonly watchOf = (server: DnsServer): SilenceWatch => {
    const known = this.watches.get(server);
    if (known) return known;
    const watch = new SilenceWatch(() => this.answers(server));
    this.watches.set(server, watch);
    return watch;
  };

  stop(): void {
    this.controller.abort();
    for (const [server, watch] of this.watches) if (watch.isSilentSince(this.startedAt)) this.resolvers.demote(server);
  }

  private answers(server: DnsServer): Promise<boolean> {
    return askResolver(server, ALIVE_QUESTION, this.openTcp, this.controller.signal).then(
      () => true,
      () => false,
    );
  }
}

/**
 * Resolves a name using the machine's own resolvers, or one that the target specifies. The egress rule applies to the
 * latter. The machine's own resolvers are the operator's choice and know the operator's network. If the rule denies an
 * organization access to that network, its checks show nothing from there. `dnsMs` is the duration of the whole lookup,
 * including the lookup of the resolver's own name.
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

  hostsOf({ resolver, name }: DnsTarget): string[] {
    return resolver ? [resolver.host] : [name];
  }

  async check(request: CheckRequest<DnsTarget>, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    if (this.isRefused(request)) {
      builder.unknown('target_blocked', 'dns', refusalText(request.target.name, INTERNAL_REFUSAL));
      return builder.finish();
    }
    const servers = await this.serversOf(request.target, builder);
    if (!servers) return builder.finish();
    const results = await this.lookUp(request, servers, builder, signal);
    return builder.finish({ records: foundRecords(results) });
  }

  private async lookUp(
    { target, assertions, egress }: CheckRequest<DnsTarget>,
    servers: readonly DnsServer[],
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<DnsResult[]> {
    const openTcp = this.tcpOpener(target.resolver ? egress : OPERATORS_EGRESS);
    const questions = target.types.map((type) => ({ name: target.name, type }));
    const watch = target.resolver ? null : new ResolverWatch(openTcp, this.systemResolvers);
    const hidesResolver = !target.resolver && !egress.allowsPrivate;
    const hides = hidesResolver ? this.hiddenFrom(egress) : undefined;
    const results = await lookUp(servers, questions, { openTcp, hides, watchOf: watch?.watchOf }, signal);
    watch?.stop();
    note(results, target, builder);
    if (hidesResolver) builder.address = null;
    const circumstances = {
      target,
      assertions,
      interruption: signal.aborted ? abortFailure('dns', signal) : null,
      hidesResolver,
    };
    builder.fail(judgeLookup(results, circumstances));
    return results;
  }

  private isRefused({ target: { resolver, name }, egress }: CheckRequest<DnsTarget>): boolean {
    return !resolver && !egress.allowsInternalNames && isInternalName(name, this.systemResolvers.searchDomains());
  }

  private hiddenFrom(egress: EgressRule): Hides {
    const isHiddenName = (name: string) =>
      !egress.allowsInternalNames && isInternalName(name, this.systemResolvers.searchDomains());
    return ({ type, data }) => {
      if (type === 'A' || type === 'AAAA') return egress.refusal(data) !== null;
      if (type === 'TXT' || type === 'CAA') return false;
      // In all other types except SOA, the name comes last. The root (a null MX) is not a name.
      const names = data.split(' ');
      return isHiddenName((type === 'SOA' ? names[0] : names.at(-1)) ?? '');
    };
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

/**
 * Both queries run in parallel, so the slower one determines the duration. A failed query is ignored if the other one
 * found records.
 */
function note(results: readonly DnsResult[], target: DnsTarget, builder: CheckResultBuilder): void {
  const answered = results.filter(({ finding }) => finding.kind === 'records');
  const telling = answered.length > 0 ? answered : results;
  builder.add('dnsMs', Math.max(0, ...telling.map(({ elapsedMs }) => elapsedMs)));
  builder.address = (answered[0] ?? decisiveResult(results, target))?.server?.address ?? null;
  builder.records = listRecords(results);
}
