import type { FinishedCheck } from '../../engine/finished-check';
import type { ClosedOutage, OpenedOutage } from './history-writer';

export interface HistoryPart {
  readonly checks: readonly FinishedCheck[];
  readonly opened: readonly OpenedOutage[];
  readonly closed: readonly ClosedOutage[];
}

/**
 * Thrown if the history part of a transaction failed, with the error as `cause`. The rest of the transaction may still
 * succeed without it.
 */
export class HistoryFailure extends Error {
  constructor(override readonly cause: unknown) {
    super('history cannot be written');
  }
}

/** One endpoint's waiting history. */
export interface WaitingHistory {
  readonly endpointKey: string;
  checks: readonly FinishedCheck[];
  readonly opened: readonly OpenedOutage[];
  readonly closed: readonly ClosedOutage[];
  /** The estimated memory for the checks. */
  bytes: number;
}

/** The size of a check object in bytes, excluding its strings. */
const CHECK_BYTES = 1000;

const bytesOf = ({ result }: FinishedCheck): number =>
  CHECK_BYTES +
  2 *
    JSON.stringify([result.error, result.warning, result.certificate, result.records, result.redirects, result.address])
      .length;

/**
 * Splits a part by endpoint and keeps the order of the checks, so that one endpoint's rejected part doesn't hold back
 * others.
 */
export function byEndpointKey({ checks, opened, closed }: HistoryPart): WaitingHistory[] {
  interface Parts {
    checks: FinishedCheck[];
    opened: OpenedOutage[];
    closed: ClosedOutage[];
    bytes: number;
  }
  const parts = new Map<string, Parts>();
  const of = (key: string): Parts => {
    const known = parts.get(key) ?? { checks: [], opened: [], closed: [], bytes: 0 };
    parts.set(key, known);
    return known;
  };
  for (const check of checks) {
    const part = of(check.endpointKey);
    part.checks.push(check);
    part.bytes += bytesOf(check);
  }
  for (const outage of opened) of(outage.endpointKey).opened.push(outage);
  for (const outage of closed) of(outage.endpointKey).closed.push(outage);
  return [...parts].map(([endpointKey, part]) => ({ endpointKey, ...part }));
}

/** Returns the first parts that have at most `most` checks in total, but at least one part. */
export function portionOf(waiting: readonly WaitingHistory[], most: number): WaitingHistory[] {
  const portion: WaitingHistory[] = [];
  let count = 0;
  for (const part of waiting) {
    count += Math.max(1, part.checks.length);
    if (portion.length > 0 && count > most) break;
    portion.push(part);
  }
  return portion;
}

/** Combines the parts of a portion into one part. */
export const togetherOf = (portion: readonly HistoryPart[]): HistoryPart => ({
  checks: portion.flatMap(({ checks }) => checks),
  opened: portion.flatMap(({ opened }) => opened),
  closed: portion.flatMap(({ closed }) => closed),
});
