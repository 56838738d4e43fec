import type { Owner } from '../../platform/capacity/by-owner';

/** The result of pinging a host, if there was any response or error. */
export type EchoResult =
  | { kind: 'reply'; rttMs: number }
  /** A router or the host itself reported that the host cannot be reached. `reason` is public. */
  | { kind: 'unreachable'; reason: string }
  /** The request did not leave this machine. `code` is the system error code. */
  | { kind: 'not_sent'; code: string };

/** A way to ping hosts. For the cost and precision of each, see docs/decisions/0010-icmp-transports.md. */
export interface IcmpTransport {
  /**
   * Sends up to three echo requests. Settles with the first reply, or with a reported failure if no later reply
   * contradicts it. Returns `null` if the host doesn't respond before the signal is aborted. Never rejects. Scarce
   * resources are shared fairly between owners.
   */
  echo(address: string, owner: Owner, signal: AbortSignal): Promise<EchoResult | null>;
  close(): void;
}
