type Settings = Readonly<Record<string, string>>;

/** Poolers track these for each of their clients, so that they hold behind every one of them. */
const TRACKED: Settings = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

/** Our statements and their results are written for these values, which are PostgreSQL's own. */
export const NEEDED: Settings = {
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
};

/** The service limits its statements and transactions itself. */
const UNLIMITED: Settings = {
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
};

/** The server cancels a statement this long after its client has given up. */
const AFTER_CLIENT_MS = 5000;

/**
 * Returns the settings for the start of a session. They win over the settings of the server, the database, and the user.
 * `isPlain`: only what every pooler accepts. `default_transaction_read_only` is not among them: providers switch it on when a disk
 * is nearly full, and administrators for a move, so it is respected.
 */
export function sessionSettings(queryTimeoutMs: number, isPlain: boolean): Settings {
  if (isPlain) return TRACKED;
  const statement_timeout = queryTimeoutMs === 0 ? '0' : String(queryTimeoutMs + AFTER_CLIENT_MS);
  return { ...TRACKED, ...NEEDED, ...UNLIMITED, statement_timeout };
}
