import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SocketEchoMethod, type EchoMethod, type EchoResult } from './icmp-echo';
import { KernelTransport } from './kernel-transport';
import { loadKernelSocketCalls, openIcmpDatagram } from './kernel-calls';
import { NodeIcmpPort } from './node-transport';
import { PingCommandEchoMethod, probePingCommand } from './ping-command-transport';

/** One way of sending ICMP; `open` answers why it is not to be had here. */
export interface IcmpRung {
  name: string;
  /** How to get a better one, where this one is a makeshift; a sentence without its full stop. */
  advice: string | null;
  open(): EchoMethod | string;
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
export const ICMP_LADDER: readonly IcmpRung[] = [
  { name: 'datagram socket', advice: null, open: () => openKernelSockets('datagram') },
  { name: 'raw socket', advice: null, open: () => openKernelSockets('raw') },
  { name: 'datagram socket through node', advice: null, open: openNodeSockets },
  {
    name: 'ping command',
    advice: `Each ICMP check starts a process, at most eight at once; to avoid it ${HOW_TO_PERMIT_ICMP}`,
    open: () => probePingCommand() ?? new PingCommandEchoMethod(),
  },
];

/**
 * How this process sends ICMP: the first rung of the ladder that works, chosen once, at the first question. Its sockets
 * are shared by all checks and closed with the module.
 */
@Injectable()
export class IcmpTransports implements OnModuleDestroy {
  private chosen: { method: EchoMethod | null; description: IcmpDescription } | null = null;

  /** A ladder with fewer rungs judges the machine as if it permitted less. */
  constructor(private readonly ladder: readonly IcmpRung[] = ICMP_LADDER) {}

  describe(): IcmpDescription {
    return this.choose().description;
  }

  /** `null` when nothing is permitted. */
  method(): EchoMethod | null {
    return this.choose().method;
  }

  onModuleDestroy(): void {
    this.chosen?.method?.close();
    this.chosen = null;
  }

  private choose() {
    this.chosen ??= climb(this.ladder);
    return this.chosen;
  }
}

function climb(ladder: readonly IcmpRung[]): { method: EchoMethod | null; description: IcmpDescription } {
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

function openKernelSockets(kind: 'datagram' | 'raw'): EchoMethod | string {
  const calls = loadKernelSocketCalls();
  if (typeof calls === 'string') return calls;
  const four = KernelTransport.open(calls, 4, kind);
  if (typeof four === 'string') return four;
  const six = KernelTransport.open(calls, 6, kind);
  return new EchoMethodByFamily(new SocketEchoMethod(four), typeof six === 'string' ? null : new SocketEchoMethod(six));
}

function openNodeSockets(): EchoMethod | string {
  const four = openIcmpDatagram(4);
  if (typeof four === 'string') return four;
  const six = openIcmpDatagram(6);
  return new EchoMethodByFamily(
    new SocketEchoMethod(new NodeIcmpPort(four, 4)),
    typeof six === 'string' ? null : new SocketEchoMethod(new NodeIcmpPort(six, 6)),
  );
}

/** A socket speaks one IP version. */
class EchoMethodByFamily implements EchoMethod {
  constructor(
    private readonly four: EchoMethod,
    /** `null` where the machine has no IPv6. */
    private readonly six: EchoMethod | null,
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
