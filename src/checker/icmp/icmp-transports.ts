import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SocketTransport, type IcmpTransport, type EchoResult } from './icmp-echo';
import { KernelSocket } from './kernel-transport';
import { loadKernelSocketCalls, openIcmpDatagram } from './kernel-calls';
import { NodeSocket } from './node-transport';
import { PingCommandTransport, probePingCommand } from './ping-command-transport';

/** One way of sending ICMP; `open` answers why it is not to be had here. */
export interface TransportOption {
  name: string;
  /** How to get a better one, where this one is a makeshift; a sentence without its full stop. */
  advice: string | null;
  open(): IcmpTransport | string;
}

/** What this machine permits, for the start's log line and the health details. */
export interface IcmpDescription {
  /** `datagram socket`, `raw socket`, `datagram socket through node`, `ping command` or `none`. */
  method: string;
  available: boolean;
  /** How to do better, or `null` when the best way is taken. */
  advice: string | null;
}

/** How an operator permits ICMP; the end of a sentence, without its full stop. */
export const HOW_TO_PERMIT_ICMP =
  'set the sysctl net.ipv4.ping_group_range to "0 2147483647", or grant CAP_NET_RAW ' +
  '(--cap-add NET_RAW, AmbientCapabilities=CAP_NET_RAW)';

/** The ways of sending ICMP, best first. */
export const TRANSPORTS: readonly TransportOption[] = [
  { name: 'datagram socket', advice: null, open: () => openKernelSockets('datagram') },
  { name: 'raw socket', advice: null, open: () => openKernelSockets('raw') },
  { name: 'datagram socket through node', advice: null, open: openNodeSockets },
  {
    name: 'ping command',
    advice: `Each ICMP check starts a process, at most eight at once; to avoid it ${HOW_TO_PERMIT_ICMP}`,
    open: () => probePingCommand() ?? new PingCommandTransport(),
  },
];

/**
 * How this process sends ICMP: the first rung of the ladder that works, chosen once, at the first question. Its sockets
 * are shared by all checks and closed with the module.
 */
@Injectable()
export class IcmpTransports implements OnModuleDestroy {
  private chosen: { method: IcmpTransport | null; description: IcmpDescription } | null = null;

  /** A ladder with fewer rungs judges the machine as if it permitted less. */
  constructor(private readonly ladder: readonly TransportOption[] = TRANSPORTS) {}

  describe(): IcmpDescription {
    return this.choose().description;
  }

  /** `null` when nothing is permitted. */
  best(): IcmpTransport | null {
    return this.choose().method;
  }

  onModuleDestroy(): void {
    this.chosen?.method?.close();
    this.chosen = null;
  }

  private choose() {
    this.chosen ??= pickTransport(this.ladder);
    return this.chosen;
  }
}

function pickTransport(ladder: readonly TransportOption[]): {
  method: IcmpTransport | null;
  description: IcmpDescription;
} {
  const refusals: string[] = [];
  for (const rung of ladder) {
    const method = rung.open();
    if (typeof method !== 'string') {
      const advice = rung.advice && `${rung.advice} (${refusals.join('; ')}).`;
      return { method, description: { method: rung.name, available: true, advice } };
    }
    refusals.push(`${rung.name}: ${method}`);
  }
  const advice = `ICMP checks are not permitted here; ${HOW_TO_PERMIT_ICMP}, or install ping (${refusals.join('; ')}).`;
  return { method: null, description: { method: 'none', available: false, advice } };
}

function openKernelSockets(kind: 'datagram' | 'raw'): IcmpTransport | string {
  const calls = loadKernelSocketCalls();
  if (typeof calls === 'string') return calls;
  const four = KernelSocket.open(calls, 4, kind);
  if (typeof four === 'string') return four;
  const six = KernelSocket.open(calls, 6, kind);
  return new TransportByFamily(new SocketTransport(four), typeof six === 'string' ? null : new SocketTransport(six));
}

function openNodeSockets(): IcmpTransport | string {
  const four = openIcmpDatagram(4);
  if (typeof four === 'string') return four;
  const six = openIcmpDatagram(6);
  return new TransportByFamily(
    new SocketTransport(new NodeSocket(four, 4)),
    typeof six === 'string' ? null : new SocketTransport(new NodeSocket(six, 6)),
  );
}

/** A socket speaks one IP version. */
class TransportByFamily implements IcmpTransport {
  constructor(
    private readonly four: IcmpTransport,
    /** `null` where the machine has no IPv6. */
    private readonly six: IcmpTransport | null,
  ) {}

  async echo(address: string, signal: AbortSignal): Promise<EchoResult | null> {
    const method = address.includes(':') ? this.six : this.four;
    return method ? method.echo(address, signal) : { kind: 'not_sent', code: 'EAFNOSUPPORT' };
  }

  close(): void {
    this.four.close();
    this.six?.close();
  }
}
