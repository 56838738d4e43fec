import type { Owner } from '../../platform/capacity/by-owner';

/** How pinging a host ended, other than by silence (then the signal decides). */
export type EchoResult =
  | { kind: 'reply'; rttMs: number }
  /** A router or the host itself said that it cannot be reached. `reason` is public. */
  | { kind: 'unreachable'; reason: string }
  /** The request did not leave this machine. `code` is the system's error. */
  | { kind: 'not_sent'; code: string };

/** One way of pinging hosts. What each costs and how exact it is: docs/decisions/0010-icmp-transports.md. */
export interface IcmpTransport {
  /**
   * Sends up to three echo requests and settles with the first reply, or with a refusal that no reply to a later request
   * contradicts. `null` when the host was silent until the signal aborted. Never rejects. `owner` is for whom: what is
   * scarce is shared by it.
   */
  echo(address: string, owner: Owner, signal: AbortSignal): Promise<EchoResult | null>;
  close(): void;
}
