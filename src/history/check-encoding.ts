import { ERROR_CODES, type ErrorCode } from '../checker/checker';
import { type FinishedCheck, isDegraded } from '../engine/finished-check';
import { OUTCOME_CODE } from '../endpoint/outcome-code';

/** Added to a stored outcome when a second attempt confirmed it; the outcome is in the two lowest bits. */
export const CONFIRMED = 4;
/** Added when the check was up and an assertion of severity `warning` failed. */
export const DEGRADED = 8;
/** Added when a maintenance window that is excluded from uptime covered the check. */
export const PLANNED = 16;

const INDEX = new Map<ErrorCode, number>(ERROR_CODES.map((code, index) => [code, index]));

/** The stored form of an error code: its index in ERROR_CODES, -1 for none. Codes may therefore only be appended. */
export const errorIndex = (code: ErrorCode | undefined): number => (code === undefined ? -1 : (INDEX.get(code) ?? -1));

/** The error code of a stored index; `null` for none. A code added by a newer version reads as `internal`. */
export const errorCodeAt = (index: number): ErrorCode | null => (index < 0 ? null : (ERROR_CODES[index] ?? 'internal'));

/** What `check_result.outcome` holds of a check: its outcome and its marks. */
export const outcomeWithMarks = (check: Pick<FinishedCheck, 'result' | 'attempts' | 'planned'>): number =>
  OUTCOME_CODE[check.result.outcome] +
  (check.attempts === 2 ? CONFIRMED : 0) +
  (isDegraded(check) ? DEGRADED : 0) +
  (check.planned ? PLANNED : 0);

const MAX_INT = 2_147_483_647;

/** Milliseconds as stored whole microseconds; -1 for a phase that was not reached, and for a run of unknown length. */
export const toMicroseconds = (ms: number | null): number =>
  ms === null || !Number.isFinite(ms) ? -1 : Math.min(Math.max(Math.round(ms * 1000), 0), MAX_INT);

/** Stored microseconds as milliseconds with three decimals; `null` when the phase was not reached. */
export const toMilliseconds = (us: number): number | null => (us < 0 ? null : us / 1000);

/** A condition on check_result: the check is up and was not planned. Whether it has a duration is another question. */
export const IS_COUNTED_UP = `outcome & ${PLANNED | 3} = 1`;

/** Of the keys $1, from their up checks since $2 that were not planned. Cost: those checks, and the others of the same days in their index. */
export const P95_OF_CHECKS = `
  SELECT endpoint_key AS key, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us) AS us
    FROM check_result
   WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND ${IS_COUNTED_UP} AND duration_us >= 0
   GROUP BY endpoint_key`;
