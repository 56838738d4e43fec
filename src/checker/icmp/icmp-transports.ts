import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { IcmpTransport } from './icmp-transport';
import { openKernelTransport } from './kernel-transport';
import { PingCommandTransport, testPingCommand } from './ping-command-transport';

/** A transport that may be permitted on this machine. If it isn't, `open` returns a sentence with the reason. */
export interface TransportOption {
  name: string;
  /** For a fallback, how to enable a better transport: a sentence without its period. */
  advice: string | null;
  open(): IcmpTransport | string;
}

/** The permissions of this machine, for the log line at startup and the health details. */
export interface IcmpDescription {
  /** `datagram socket`, `raw socket`, `ping command`, or `none`. */
  method: string;
  available: boolean;
  /** How to enable a better transport, or `null` if the best one is used. */
  advice: string | null;
}

/** How an operator permits ICMP: the end of a sentence, without its period. */
export const HOW_TO_PERMIT_ICMP =
  'set the sysctl net.ipv4.ping_group_range to "0 2147483647", or grant CAP_NET_RAW ' +
  '(--cap-add NET_RAW, AmbientCapabilities=CAP_NET_RAW)';

/** The transports, best first. */
export const TRANSPORTS: readonly TransportOption[] = [
  { name: 'datagram socket', advice: null, open: () => openKernelTransport('datagram') },
  { name: 'raw socket', advice: null, open: () => openKernelTransport('raw') },
  {
    name: 'ping command',
    advice: `Each ICMP check starts a process, at most 16 at once and 8 per organization; to avoid this, ${HOW_TO_PERMIT_ICMP}`,
    open: () => testPingCommand() ?? new PingCommandTransport(),
  },
];

/**
 * Selects the first permitted transport when it is first needed. All checks share its sockets, which are closed with
 * the module.
 */
@Injectable()
export class IcmpTransports implements OnModuleDestroy {
  private picked: PickedTransport | null = null;

  /** Pass fewer options to simulate a machine that permits less. */
  constructor(private readonly options: readonly TransportOption[] = TRANSPORTS) {}

  describe(): IcmpDescription {
    return this.pick().description;
  }

  /** Returns `null` if nothing is permitted. */
  best(): IcmpTransport | null {
    return this.pick().transport;
  }

  onModuleDestroy(): void {
    this.picked?.transport?.close();
    this.picked = null;
  }

  private pick(): PickedTransport {
    this.picked ??= pickTransport(this.options);
    return this.picked;
  }
}

interface PickedTransport {
  transport: IcmpTransport | null;
  description: IcmpDescription;
}

function pickTransport(options: readonly TransportOption[]): PickedTransport {
  const refusals: string[] = [];
  for (const option of options) {
    const transport = option.open();
    if (typeof transport !== 'string') {
      const advice = option.advice && `${option.advice} (${refusals.join('; ')}).`;
      return { transport, description: { method: option.name, available: true, advice } };
    }
    refusals.push(`${option.name}: ${transport}`);
  }
  const advice = `ICMP checks are not permitted here; ${HOW_TO_PERMIT_ICMP}, or install ping (${refusals.join('; ')}).`;
  return { transport: null, description: { method: 'none', available: false, advice } };
}
