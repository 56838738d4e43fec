/** Returns the SQLSTATE of a database error, even inside TypeORM's wrapper, or `null`. */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('driverError' in error) return sqlState(error.driverError);
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Returns the constraint or unique index that a statement violated, or `null`. */
export function violatedConstraint(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('driverError' in error) return violatedConstraint(error.driverError);
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : null;
}

const LOCK_NOT_AVAILABLE = '55P03';
/** Deadlock, serialization failure, lock not available, too many connections. */
const TOO_MANY_CONNECTIONS = '53300';
const CONTENTION = new Set(['40P01', '40001', LOCK_NOT_AVAILABLE, TOO_MANY_CONNECTIONS]);

/**
 * The error for a statement that saw another transaction's changes halfway. Like a serialization failure, it causes the
 * transaction to be retried.
 */
export class RowsMoved extends Error {
  readonly code = '40001';
}

/** Returns true if other transactions got in the way, so that the same transaction may succeed on retry. */
export const isRetryable = (error: unknown): boolean => CONTENTION.has(sqlState(error) ?? '');

/** Returns true if the server has no connections left for this user. */
export const isOutOfConnections = (error: unknown): boolean => sqlState(error) === TOO_MANY_CONNECTIONS;

/** Returns true if another session held a lock for longer than the timeout. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === LOCK_NOT_AVAILABLE;

const CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // A TLS file that is currently being replaced.
  'TLS_FILE',
]);
const CONNECTION_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after|not queryable|Driver not Connected|query runner (was )?already released/i;

/**
 * Returns true if the database is unreachable, full, read-only, or shutting down. This results in a 503 and isn't a
 * bug.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (
    state !== null &&
    (/^(08|53|57P|58)/.test(state) ||
      ['25006', '25P03'].includes(state) ||
      CONTENTION.has(state) ||
      CONNECTION.has(state))
  )
    return true;
  return error instanceof Error && CONNECTION_TEXT.test(error.message);
}
