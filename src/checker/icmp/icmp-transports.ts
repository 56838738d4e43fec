import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { IcmpTransport } from './icmp-transport';
import { openKernelTransport } from './kernel-transport';
import { PingCommandTransport, testPingCommand } from './ping-command-transport';

/** A transport that may be permitted here; `open` returns a sentence when it is not. */
export interface TransportOption {
  name: string;
  /** How to get a better one, when this one is a fallback; a sentence without its full stop. */
  advice: string | null;
  open(): IcmpTransport | string;
}

/** What this machine permits, for the log line at start and the health details. */
export interface IcmpDescription {
  /** `datagram socket`, `raw socket`, `ping command` or `none`. */
  method: string;
  available: boolean;
  /** How to do better, or `null` when the best way is taken. */
  advice: string | null;
}

/** How an operator permits ICMP; the end of a sentence, without its full stop. */
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
 * How this process pings: over the first transport that is permitted, picked once, when it is first needed. Its sockets are
 * shared by all checks and closed with the module.
 */
@Injectable()
export class IcmpTransports implements OnModuleDestroy {
  private picked: PickedTransport | null = null;

  /** Fewer options judge the machine as if it permitted less. */
  constructor(private readonly options: readonly TransportOption[] = TRANSPORTS) {}

  describe(): IcmpDescription {
    return this.pick().description;
  }

  /** `null` when nothing is permitted. */
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
