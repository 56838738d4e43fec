import { ERROR_CODES, type ErrorCode } from '../checker/checker';
import { type FinishedCheck, isDegraded } from '../engine/finished-check';
import { OUTCOME_CODE, outcomeOf } from '../endpoint/outcome-code';

/** Flag that is added if a second attempt confirmed the outcome. The two lowest bits contain the outcome itself. */
export const CONFIRMED = 4;
/** Flag that is added if the check was up and an assertion with severity `warning` failed. */
export const DEGRADED = 8;
/** Flag that is added if the check fell into a maintenance window that is excluded from uptime. */
export const PLANNED = 16;
/**
 * For an endpoint with several locations, the two lowest bits and `DEGRADED` store the verdict, which is what counts.
 * The bits in which the location's own result differs are set this many places to the left. With one location, these
 * bits are all 0.
 */
const OWN_SHIFT = 5;
const OWN_OUTCOME = 3 << OWN_SHIFT;
/**
 * Flag for endpoints with several locations: the result arrived after its location had been marked as silent. It counts
 * only for that location.
 */
export const LATE = 128;

const INDEX = new Map<ErrorCode, number>(ERROR_CODES.map((code, index) => [code, index]));

/**
 * Returns the stored form of an error code: its index in ERROR_CODES, or -1 if there is no error. Only append to that
 * list.
 */
export const errorIndex = (code: ErrorCode | undefined): number => (code === undefined ? -1 : (INDEX.get(code) ?? -1));

/**
 * Returns the error code for a stored index, or `null` if there is no error. A code added by a newer version reads as
 * `internal`.
 */
export const errorCodeAt = (index: number): ErrorCode | null => (index < 0 ? null : (ERROR_CODES[index] ?? 'internal'));

/** Returns the value for the column `check_result.outcome`: the outcome of a check and its flags. */
export function outcomeWithMarks(check: Pick<FinishedCheck, 'result' | 'attempts' | 'planned' | 'counted'>): number {
  const own = OUTCOME_CODE[check.result.outcome] + (isDegraded(check) ? DEGRADED : 0);
  const marks = (check.attempts === 2 ? CONFIRMED : 0) + (check.planned ? PLANNED : 0);
  if (check.counted === undefined) return own + marks;
  if (check.counted === null) return own + marks + LATE;
  const counted = OUTCOME_CODE[check.counted.outcome] + (check.counted.degraded ? DEGRADED : 0);
  return counted + marks + ((own ^ counted) << OWN_SHIFT);
}

export type Found = NonNullable<FinishedCheck['counted']>;

/** Decodes the location's own result from a stored outcome. */
export function ownOf(stored: number): Found {
  const own = stored ^ (stored >> OWN_SHIFT);
  return { outcome: outcomeOf(own), degraded: (own & DEGRADED) !== 0 };
}

/**
 * Decodes the verdict from a stored outcome, or returns `null` if the result was late. With one location, the verdict
 * is that location's result.
 */
export const countedOf = (stored: number): Found | null =>
  (stored & LATE) === 0 ? { outcome: outcomeOf(stored), degraded: (stored & DEGRADED) !== 0 } : null;

const MAX_INT = 2_147_483_647;

/**
 * Converts milliseconds to whole microseconds for storage. Stores -1 for a phase that was not reached or a run of
 * unknown duration.
 */
export const toMicroseconds = (ms: number | null): number =>
  ms === null || !Number.isFinite(ms) ? -1 : Math.min(Math.max(Math.round(ms * 1000), 0), MAX_INT);

/** Converts stored microseconds to milliseconds with three decimals, or `null` if the phase was not reached. */
export const toMilliseconds = (us: number): number | null => (us < 0 ? null : us / 1000);

/**
 * SQL expressions that evaluate stored outcomes, based on either the endpoint's verdict or the location's own result.
 */
export interface Judged {
  /** SQL number: 0 = down, 1 = up, 2 = unknown, 3 = plannedfor any result. Any other number is not counted. */
  readonly counted: string;
  /** SQL condition: the check is up and not planned, so its latency may count. Its duration may still be missing. */
  readonly isUp: string;
  /** SQL: not NULL if the check was degraded. */
  readonly degraded: string;
}

/** Uses the verdict. The latency counts only if the location also saw the endpoint up. */
export const BY_VERDICT: Judged = {
  counted: `CASE outcome & ${PLANNED | LATE} WHEN 0 THEN outcome & 3 WHEN ${PLANNED} THEN 3 ELSE 4 END`,
  isUp: `outcome & ${PLANNED | OWN_OUTCOME | LATE | 3} = 1`,
  degraded: `nullif(outcome & ${DEGRADED}, 0)`,
};

/** SQL: the bits of a stored outcome that describe the location's own result. */
const OWN = `(outcome # (outcome >> ${OWN_SHIFT}))`;
export const OWN_CODE = `(${OWN} & 3)`;
export const OWN_DEGRADED = `(${OWN} & ${DEGRADED})`;

/** Uses the location's own result, even if it was late. */
export const BY_LOCATION: Judged = {
  counted: `CASE WHEN outcome & ${PLANNED} = 0 THEN ${OWN_CODE} ELSE 3 END`,
  isUp: `(outcome & ${PLANNED} = 0 AND ${OWN_CODE} = 1)`,
  degraded: `nullif(${OWN_DEGRADED}, 0)`,
};

/**
 * SQL: the p95 for each of the keys $1, computed from their unplanned up checks since $2. Cost: an index scan over all
 * checks of those keys on those days.
 */
export const P95_OF_CHECKS = `
  SELECT endpoint_key AS key, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us) AS us
    FROM check_result
   WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND ${BY_VERDICT.isUp} AND duration_us >= 0
   GROUP BY endpoint_key`;
