import { isLockTimeout, isUnavailable, sqlState } from '../../platform/database/postgres-errors';
import { cut } from '../../platform/text/text-limits';

/**
 * Why a batch could not be written. `away`: the database is unavailable, and everything waits. `locked`: another
 * session has locked rows. `content`: the database or the driver will always reject the content. `unclear`: `away` or
 * `content`.
 */
export type WriteFailure = 'away' | 'locked' | 'content' | 'unclear';

/** Data exceptions, violated constraints, and program limits. Retrying the same values fails again. */
const CONTENT = /^(22|23|54)/;
/**
 * Out of memory, or a statement that took too long. The database works, but this statement may have been too much for
 * it.
 */
const TOO_MUCH = new Set(['53200', '57014']);
/** The maximum number of characters in a reason. */
const MAX_REASON = 300;
const READ_TIMEOUT = /Query read timeout/i;

/** Classifies the reason why a write failed. The error doesn't show which result in the batch caused it. */
export function writeFailureOf(error: unknown): WriteFailure {
  if (isLockTimeout(error)) return 'locked';
  const state = sqlState(error) ?? '';
  if (error instanceof RangeError || CONTENT.test(state)) return 'content';
  // A frozen database looks like an overloaded one. The next attempt shows which of the two it is.
  if (TOO_MUCH.has(state) || (error instanceof Error && READ_TIMEOUT.test(error.message))) return 'unclear';
  return isUnavailable(error) ? 'away' : 'unclear';
}

/** Returns the database's message, truncated to fit into a log line or health detail. */
export const reasonOf = (error: unknown): string =>
  cut(error instanceof Error ? error.message : String(error), MAX_REASON, '');
