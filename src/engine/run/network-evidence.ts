import { isIP } from 'node:net';
import type { CheckResult, ErrorCode } from '../../checker/checker';

/** What the newest result of one endpoint says about our own network. */
export interface Evidence {
  /** Monotonic milliseconds. */
  at: number;
  orgId: string;
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

/** True when another machine had a part in the result: our network works. */
export const isProof = (result: CheckResult): boolean =>
  result.outcome !== 'unknown' && !couldBeOurs(result) && !isLoopback(result.address);

const LEAST_FAILURES = 5;
const LEAST_SHARE = 0.3;

/**
 * At least 5 endpoints fail in a way that could be our network's, and in more than half of the organizations 30 % of those
 * checked since then: however many endpoints of its own one organization lets fail, that says nothing about the others.
 */
export function isMassFailure(recent: Iterable<Evidence>, since: number): boolean {
  const counts = new Map<string, { failed: number; all: number }>();
  let failed = 0;
  for (const { at, orgId, suspicious } of recent) {
    if (at < since) continue;
    let count = counts.get(orgId);
    if (!count) counts.set(orgId, (count = { failed: 0, all: 0 }));
    count.all += 1;
    if (!suspicious) continue;
    count.failed += 1;
    failed += 1;
  }
  const hit = [...counts.values()].filter((count) => count.failed >= LEAST_SHARE * count.all).length;
  return failed >= LEAST_FAILURES && hit * 2 > counts.size;
}
