import { faultTowards, type SocketFault } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { NetworkSettings } from '../network-settings';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure, type CheckFailure, down, socketFailure, unknown } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest, InvalidTarget } from '../checker';
import { HOW_TO_PERMIT_ICMP, IcmpTransports } from './icmp-transports';
import type { EchoResult, IcmpTransport } from './icmp-transport';
import type { Owner } from '../../platform/capacity/by-owner';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import { decisive, type Telling } from '../../platform/net/telling';

/**
 * If an address doesn't respond for this long, the next address of the hostname is also pinged (RFC 8305, section 5).
 */
const NEXT_ADDRESS_AFTER_MS = 250;

/** The maximum number of addresses to ping for a hostname. */
const ADDRESSES = 4;

interface AddressEcho {
  address: string;
  /** `null` if there was no response before the signal was aborted. */
  result: EchoResult | null;
  /** The reason why nothing was sent, or `null`. */
  fault: SocketFault | null;
}

/**
 * Pings the addresses of a hostname in turn. The first reply counts. If there is none, returns the most specific
 * result.
 */
async function echoAny(
  transport: IcmpTransport,
  addresses: readonly string[],
  owner: Owner,
  signal: AbortSignal,
): Promise<AddressEcho> {
  const echoes = await attemptInTurn<string, AddressEcho>(
    addresses.slice(0, ADDRESSES),
    {
      nextAfterMs: NEXT_ADDRESS_AFTER_MS,
      attempt: (address, until) => echoOne(transport, address, owner, until),
      isGood: ({ result }) => result?.kind === 'reply',
    },
    signal,
  );
  const reply = echoes.find(({ result }) => result?.kind === 'reply');
  return reply ?? decisive(echoes, tellingOf) ?? { address: addresses[0] ?? '', result: null, fault: null };
}

async function echoOne(
  transport: IcmpTransport,
  address: string,
  owner: Owner,
  signal: AbortSignal,
): Promise<AddressEcho> {
  const result = await transport.echo(address, owner, signal);
  const code = result?.kind === 'not_sent' ? result.code : null;
  return {
    address,
    result,
    fault: code === null ? null : await faultTowards(address, Object.assign(new Error(code), { code })),
  };
}

function tellingOf({ result, fault }: AddressEcho): Telling {
  if (fault) return fault.telling;
  if (result === null) return 'silence';
  return result.kind === 'unreachable' ? 'way' : 'target';
}

export interface IcmpTarget {
  host: string;
}

/** The system doesn't permit it, a local firewall blocks it, or `ping` isn't installed. */
const NOT_PERMITTED = ['EPERM', 'EACCES', 'ENOENT'];

/**
 * Pings a host. The first reply means that it is up. `firstByteMs` is the round-trip time of the echo that was
 * answered.
 */
@Checker('ICMP')
export class IcmpChecker implements Checker<IcmpTarget, NetworkSettings> {
  readonly settingsClass = NetworkSettings;
  readonly assertionSources = ['response_time'] as const;
  readonly targetForm = 'icmp://host or host';

  constructor(
    private readonly dialer: Dialer,
    private readonly transports: IcmpTransports,
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
    const builder = new CheckResultBuilder(request, signal);
    const transport = this.transports.best();
    if (transport) await this.ping(transport, request, builder, signal);
    else
      builder.unknown(
        'icmp_unavailable',
        'internal',
        `The monitor is not permitted to use ICMP; ${HOW_TO_PERMIT_ICMP}.`,
      );
    return builder.finish();
  }

  private async ping(
    transport: IcmpTransport,
    { target: { host }, egress }: CheckRequest<IcmpTarget>,
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<void> {
    const addresses = await builder.resolve(this.dialer, host);
    if (!addresses) return;
    const startedAt = performance.now();
    const echo = await echoAny(transport, addresses, egress.organization, signal);
    const { address, result } = echo;
    builder.address = address;
    if (result?.kind !== 'not_sent')
      builder.add('firstByteMs', result?.kind === 'reply' ? result.rttMs : performance.now() - startedAt);
    if (result?.kind !== 'reply') builder.fail(judge(echo, signal));
  }
}

function judge({ address, result, fault }: AddressEcho, signal: AbortSignal): CheckFailure {
  if (result === null) {
    const failure = abortFailure('first_byte', signal);
    return failure.outcome === 'unknown'
      ? failure
      : down('icmp_timeout', 'first_byte', `${address} did not answer to ICMP echo requests (ping) in time.`);
  }
  if (result.kind === 'unreachable') {
    return down('host_unreachable', 'first_byte', `${address} cannot be reached by ICMP: ${result.reason}.`);
  }
  const code = result.kind === 'not_sent' ? result.code : '';
  if (code === 'EBUSY') return unknown('internal', 'internal', 'All ping processes of the monitor were busy.');
  if (fault === null || (fault.telling === 'ours' && NOT_PERMITTED.includes(code))) {
    return unknown(
      'icmp_unavailable',
      'internal',
      `The monitor is not permitted to send ICMP to ${address} (${code}); ${HOW_TO_PERMIT_ICMP}.`,
    );
  }
  return socketFailure(fault, 'connect', `The ICMP echo request to ${address}`);
}
