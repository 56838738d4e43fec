import { ERROR_CODES, type ErrorCode } from '../checker/checker';
import { type FinishedCheck, isDegraded } from '../engine/finished-check';
import { OUTCOME_CODE, outcomeOf } from '../endpoint/outcome-code';

/** Added to a stored outcome when a second attempt confirmed it; the outcome is in the two lowest bits. */
export const CONFIRMED = 4;
/** Added when the check was up and an assertion of severity `warning` failed. */
export const DEGRADED = 8;
/** Added when a maintenance window that is excluded from uptime covered the check. */
export const PLANNED = 16;
/**
 * Of an endpoint with several locations the two lowest bits and `DEGRADED` are what counts, the verdict. Where the location saw
 * something else, the same bits differ so many places higher: with one location there are none.
 */
const OWN_SHIFT = 5;
const OWN_OUTCOME = 3 << OWN_SHIFT;
/** Added to a result of several locations that came when its location was silent: it is in the figures of its location alone. */
export const LATE = 128;

const INDEX = new Map<ErrorCode, number>(ERROR_CODES.map((code, index) => [code, index]));

/** The stored form of an error code: its index in ERROR_CODES, -1 for none. Codes may therefore only be appended. */
export const errorIndex = (code: ErrorCode | undefined): number => (code === undefined ? -1 : (INDEX.get(code) ?? -1));

/** The error code of a stored index; `null` for none. A code added by a newer version reads as `internal`. */
export const errorCodeAt = (index: number): ErrorCode | null => (index < 0 ? null : (ERROR_CODES[index] ?? 'internal'));

/** What `check_result.outcome` holds of a check: its outcome and its marks. */
export function outcomeWithMarks(check: Pick<FinishedCheck, 'result' | 'attempts' | 'planned' | 'counted'>): number {
  const own = OUTCOME_CODE[check.result.outcome] + (isDegraded(check) ? DEGRADED : 0);
  const marks = (check.attempts === 2 ? CONFIRMED : 0) + (check.planned ? PLANNED : 0);
  if (check.counted === undefined) return own + marks;
  if (check.counted === null) return own + marks + LATE;
  const counted = OUTCOME_CODE[check.counted.outcome] + (check.counted.degraded ? DEGRADED : 0);
  return counted + marks + ((own ^ counted) << OWN_SHIFT);
}

/** What a check was found to be. */
export type Found = NonNullable<FinishedCheck['counted']>;

/** What the location saw, of a stored outcome. */
export function ownOf(stored: number): Found {
  const own = stored ^ (stored >> OWN_SHIFT);
  return { outcome: outcomeOf(own), degraded: (own & DEGRADED) !== 0 };
}

/** What counted with the check, of a stored outcome; `null`: it was late. With one location what that saw. */
export const countedOf = (stored: number): Found | null =>
  (stored & LATE) === 0 ? { outcome: outcomeOf(stored), degraded: (stored & DEGRADED) !== 0 } : null;

const MAX_INT = 2_147_483_647;

/** Milliseconds as stored whole microseconds; -1 for a phase that was not reached, and for a run of unknown length. */
export const toMicroseconds = (ms: number | null): number =>
  ms === null || !Number.isFinite(ms) ? -1 : Math.min(Math.max(Math.round(ms * 1000), 0), MAX_INT);

/** Stored microseconds as milliseconds with three decimals; `null` when the phase was not reached. */
export const toMilliseconds = (us: number): number | null => (us < 0 ? null : us / 1000);

/** How stored outcomes are judged: by what counts for the endpoint, or by what the location saw. */
export interface Judged {
  /** SQL, a number: 0 down, 1 up, 2 unknown, 3 planned, whatever it found; any other: counted as nothing. */
  readonly counted: string;
  /** SQL: it is up and was not planned, and may tell a latency. Whether it has a duration is another question. */
  readonly isUp: string;
  /** SQL: not NULL where it was degraded. */
  readonly degraded: string;
}

/** By the verdict. A latency is told only by who saw it up as well. */
export const BY_VERDICT: Judged = {
  counted: `CASE outcome & ${PLANNED | LATE} WHEN 0 THEN outcome & 3 WHEN ${PLANNED} THEN 3 ELSE 4 END`,
  isUp: `outcome & ${PLANNED | OWN_OUTCOME | LATE | 3} = 1`,
  degraded: `nullif(outcome & ${DEGRADED}, 0)`,
};

/** SQL: the bits of a stored outcome by what the location saw. */
const OWN = `(outcome # (outcome >> ${OWN_SHIFT}))`;
export const OWN_CODE = `(${OWN} & 3)`;
export const OWN_DEGRADED = `(${OWN} & ${DEGRADED})`;

/** By what the location saw, late or not. */
export const BY_LOCATION: Judged = {
  counted: `CASE WHEN outcome & ${PLANNED} = 0 THEN ${OWN_CODE} ELSE 3 END`,
  isUp: `(outcome & ${PLANNED} = 0 AND ${OWN_CODE} = 1)`,
  degraded: `nullif(${OWN_DEGRADED}, 0)`,
};

/** Of the keys $1, from their up checks since $2 that were not planned. Cost: those checks, and the others of the same days in their index. */
export const P95_OF_CHECKS = `
  SELECT endpoint_key AS key, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us) AS us
    FROM check_result
   WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND ${BY_VERDICT.isUp} AND duration_us >= 0
   GROUP BY endpoint_key`;
