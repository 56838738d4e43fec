import { isIP } from 'node:net';
import type { CheckResult, ErrorCode } from '../../checker/checker';

/** What the newest result of one endpoint says about our own network. */
export interface Evidence {
  /** Monotonic milliseconds. */
  at: number;
  suspicious: boolean;
}

/**
 * Failures that a dead uplink or resolver of our own would produce as well. Any other one, a refusal included, came from
 * another machine and proves that our network works.
 */
const COULD_BE_OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'dns_timeout',
  'dns_failure',
  'connection_timeout',
  'host_unreachable',
  'icmp_timeout',
]);

const isLoopback = (address: string | null): boolean =>
  address !== null && isIP(address) !== 0 && (address.startsWith('127.') || address === '::1');

const couldBeOurs = ({ outcome, error }: CheckResult): boolean =>
  error !== null && (outcome === 'down' ? COULD_BE_OURS.has(error.code) : error.code === 'monitor_offline');

/** True when an offline machine would have had this result as well. */
export const isSuspicious = (result: CheckResult): boolean => couldBeOurs(result) && !isLoopback(result.address);

/** At least 5 endpoints, and 30 % of those checked recently, fail in a way that could be our network's. */
export function isMassFailure(recent: readonly Evidence[]): boolean {
  const count = recent.filter(({ suspicious }) => suspicious).length;
  return count >= 5 && count >= 0.3 * recent.length;
}
