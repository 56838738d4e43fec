import { DialError, NO_ROUTE, socketFault } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { assertionFailure } from '../assertion/assertion-failure';
import type { AssertionSource } from '../assertion/assertion';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure, type CheckFailure, dialFailure, down, socketFailure, unknown } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest, InvalidTarget } from '../checker';
import { HOW_TO_PERMIT_ICMP, IcmpTransports } from './icmp-transports';
import { echoAny, type EchoMethod, type EchoResult } from './icmp-echo';

/** A host to ping. */
export interface IcmpTarget {
  host: string;
}

/** Not permitted by the system, forbidden by our own firewall, or no `ping` there. */
const NOT_PERMITTED = ['EPERM', 'EACCES', 'ENOENT'];

/** Pings a host: up with the first reply. `firstByteMs` is the round-trip time of the echo that was answered. */
@Checker('ICMP')
export class IcmpChecker implements Checker<IcmpTarget> {
  readonly assertionSources: readonly AssertionSource[] = ['response_time'];
  readonly targetForm = 'icmp://host or host';

  constructor(
    private readonly dialer: Dialer,
    private readonly capability: IcmpTransports,
  ) {}

  parseTarget(url: string): IcmpTarget {
    const host = normalizeHost(/^(?:icmp:\/\/)?([^/]*)\/?$/i.exec(url)?.[1] ?? '');
    if (host === null)
      throw new InvalidTarget(`the host must be ${HOST_FORM}; the accepted form is ${this.targetForm}`);
    return { host };
  }

  hostsOf({ host }: IcmpTarget): string[] {
    return [host];
  }

  async check(request: CheckRequest<IcmpTarget>, signal: AbortSignal): Promise<CheckResult> {
    const { target, egress } = request;
    const draft = new CheckResultBuilder();
    const method = this.capability.method();
    if (!method)
      return draft.result(
        unknown('icmp_unavailable', 'internal', `ICMP is not permitted to the monitor; ${HOW_TO_PERMIT_ICMP}.`),
      );
    try {
      const { addresses, dnsMs } = await this.dialer.resolve(target.host, egress, signal);
      draft.add('dnsMs', dnsMs);
      return draft.result(await this.ping(method, addresses, request, draft, signal));
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      draft.addDial(error.phases, error.address);
      return draft.result(dialFailure(error, signal));
    }
  }

  private async ping(
    method: EchoMethod,
    addresses: readonly string[],
    { assertions }: CheckRequest<IcmpTarget>,
    draft: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<CheckFailure | null> {
    const startedAt = performance.now();
    const { address, result } = await echoAny(method, addresses, signal);
    draft.address = address;
    if (result?.kind !== 'not_sent')
      draft.add('firstByteMs', result?.kind === 'reply' ? result.rttMs : performance.now() - startedAt);
    if (result?.kind !== 'reply') return judge(address, result, signal);
    return assertionFailure(assertions, { durationMs: draft.durationMs });
  }
}

/** `null` is silence until the signal aborted. */
function judge(
  address: string,
  result: Exclude<EchoResult, { kind: 'reply' }> | null,
  signal: AbortSignal,
): CheckFailure {
  if (!result) {
    const failure = abortFailure('first_byte', signal);
    return failure.outcome === 'unknown'
      ? failure
      : down('icmp_timeout', 'first_byte', `${address} did not answer to ICMP echo requests (ping) in time.`);
  }
  if (result.kind === 'unreachable') {
    return down('host_unreachable', 'first_byte', `${address} cannot be reached by ICMP: ${result.reason}.`);
  }
  const { code } = result;
  if (NOT_PERMITTED.includes(code)) {
    return unknown(
      'icmp_unavailable',
      'internal',
      `ICMP to ${address} is not permitted to the monitor (${code}); ${HOW_TO_PERMIT_ICMP}.`,
    );
  }
  if (code === 'EBUSY') return unknown('internal', 'internal', 'All ping processes of the monitor were busy.');
  const fault = code === 'ENETUNREACH' ? NO_ROUTE : socketFault(Object.assign(new Error(code), { code }));
  return socketFailure(fault, 'connect', `The ICMP echo request to ${address}`);
}
