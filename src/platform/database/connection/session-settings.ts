type Settings = Readonly<Record<string, string>>;

/** Poolers track these settings per client, so they apply behind every pooler. */
const TRACKED: Settings = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

/** The service's statements and their results depend on these values, which are PostgreSQL's defaults. */
export const NEEDED: Settings = {
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
};

/** The service sets its own limits on statements and transactions. */
const UNLIMITED: Settings = {
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
};

/** How long after the client's timeout the server cancels a statement. */
const AFTER_CLIENT_MS = 5000;

/**
 * Returns the settings for the start of a session. They override the settings of the server, the database, and the
 * user. With `isPlain`, returns only settings that every pooler accepts. `default_transaction_read_only` is not
 * overridden. Providers set it when a disk is nearly full, and administrators set it for a migration.
 */
export function sessionSettings(queryTimeoutMs: number, isPlain: boolean): Settings {
  if (isPlain) return TRACKED;
  const statement_timeout = queryTimeoutMs === 0 ? '0' : String(queryTimeoutMs + AFTER_CLIENT_MS);
  return { ...TRACKED, ...NEEDED, ...UNLIMITED, statement_timeout };
}
