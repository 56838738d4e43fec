import { isLockTimeout, isUnavailable, sqlState } from '../../platform/database/postgres-errors';
import { cut } from '../../platform/text/text-limits';

/**
 * Why a batch could not be written. `away`: the database is not available, everything waits. `locked`: another session
 * holds rows. `content`: the database, or the driver, refuses what is in it, now and later. `unclear`: may be either.
 */
export type WriteFailure = 'away' | 'locked' | 'content' | 'unclear';

/** Data exceptions, violated constraints, limits of the program: the same values fail again. */
const CONTENT = /^(22|23|54)/;
/** Out of memory, and a statement that took too long: the database is at work, this may have been too much for it. */
const TOO_MUCH = new Set(['53200', '57014']);
/** Characters of a reason that are kept. */
const MAX_REASON = 300;
const READ_TIMEOUT = /Query read timeout/i;

/** Says nothing about which result of the batch it is. */
export function writeFailureOf(error: unknown): WriteFailure {
  if (isLockTimeout(error)) return 'locked';
  const state = sqlState(error) ?? '';
  if (error instanceof RangeError || CONTENT.test(state)) return 'content';
  // A frozen database looks like one that has too much to do: the next attempt shows which it is.
  if (TOO_MUCH.has(state) || (error instanceof Error && READ_TIMEOUT.test(error.message))) return 'unclear';
  return isUnavailable(error) ? 'away' : 'unclear';
}

/** What the database said, cut to what a log line or a health detail bears. */
export const reasonOf = (error: unknown): string =>
  cut(error instanceof Error ? error.message : String(error), MAX_REASON, '');
