import type { FinishedCheck } from '../../engine/finished-check';
import type { ClosedOutage, OpenedOutage } from './history-writer';

/** The history that one batch adds. */
export interface HistoryPart {
  readonly checks: readonly FinishedCheck[];
  readonly opened: readonly OpenedOutage[];
  readonly closed: readonly ClosedOutage[];
}

/**
 * Thrown if the history part of a transaction failed, with `cause`. The rest of the transaction may be possible without
 * it.
 */
export class HistoryFailure extends Error {
  constructor(override readonly cause: unknown) {
    super('history cannot be written');
  }
}

/** The waiting history of one endpoint. */
export interface WaitingHistory {
  readonly endpointKey: string;
  checks: readonly FinishedCheck[];
  readonly opened: readonly OpenedOutage[];
  readonly closed: readonly ClosedOutage[];
  /** Estimated memory of the checks. */
  bytes: number;
}

/** The bytes of a check object in addition to its texts. */
const CHECK_BYTES = 1000;

const bytesOf = ({ result }: FinishedCheck): number =>
  CHECK_BYTES +
  2 *
    JSON.stringify([result.error, result.warning, result.certificate, result.records, result.redirects, result.address])
      .length;

/**
 * Splits a part by endpoint, in the order of the checks, so that a refused part of one endpoint doesn't hold back
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

/** Returns the first parts with at most `most` checks in all, but at least one part. */
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

/** Combines a portion into one part. */
export const togetherOf = (portion: readonly HistoryPart[]): HistoryPart => ({
  checks: portion.flatMap(({ checks }) => checks),
  opened: portion.flatMap(({ opened }) => opened),
  closed: portion.flatMap(({ closed }) => closed),
});
