import { isIP } from 'node:net';
import type { CheckResult, ErrorCode } from '../../checker/checker';

/** The evidence about this machine's network in one endpoint's newest result. */
export interface Evidence {
  /** The time of the result, in monotonic milliseconds. */
  at: number;
  orgId: string;
  suspicious: boolean;
}

/**
 * Failures that a dead uplink or resolver on this machine would also produce. Any other failure, including a refusal,
 * came from another machine and proves that the network works.
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

/** Returns whether an offline machine would also have had this result. */
export const isSuspicious = (result: CheckResult): boolean => couldBeOurs(result) && !isLoopback(result.address);

/** Returns whether the result involved another machine, which proves that the network works. */
export const isProof = (result: CheckResult): boolean =>
  result.outcome !== 'unknown' && !couldBeOurs(result) && !isLoopback(result.address);

const LEAST_FAILURES = 5;
const LEAST_SHARE = 0.3;

/**
 * Returns whether a mass failure points to this machine's network. At least 5 endpoints must fail in a matching way,
 * and in more than half of the organizations, 30 % of the endpoints checked since then. However many endpoints fail in
 * one organization, that says nothing about the others.
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
