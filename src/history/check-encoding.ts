import { ERROR_CODES, type ErrorCode, type Outcome } from '../checker/checker';

/** The stored form of an outcome, in check_result and in endpoint_state.status. */
export const OUTCOME_CODE: Readonly<Record<Outcome, number>> = { down: 0, up: 1, unknown: 2 };

/** Added to a stored outcome when a second attempt confirmed it. */
export const CONFIRMED = 4;

const OUTCOMES = ['down', 'up', 'unknown'] as const;

/** The outcome of a stored code; the confirmed mark is ignored. */
export const outcomeOf = (code: number): Outcome => OUTCOMES[code & 3] ?? 'unknown';

const INDEX = new Map<ErrorCode, number>(ERROR_CODES.map((code, index) => [code, index]));

/** The stored form of an error code: its position in ERROR_CODES, -1 for none. */
export const errorIndex = (code: ErrorCode | undefined): number => (code === undefined ? -1 : (INDEX.get(code) ?? -1));

/** The error code of a stored position; `null` for none. A code of a newer version reads as `internal`. */
export const errorCodeAt = (index: number): ErrorCode | null => (index < 0 ? null : (ERROR_CODES[index] ?? 'internal'));

const MAX_INT = 2_147_483_647;

/** Milliseconds as whole stored microseconds; -1 for a phase that was not reached. */
export const toMicroseconds = (ms: number | null): number =>
  ms === null || !Number.isFinite(ms) ? -1 : Math.min(Math.max(Math.round(ms * 1000), 0), MAX_INT);

/** Stored microseconds as milliseconds with three decimals; `null` when the phase was not reached. */
export const toMilliseconds = (us: number): number | null => (us < 0 ? null : us / 1000);
