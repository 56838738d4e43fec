import { Database } from '../../../src/platform/database/database';
import { newUuid, parseId } from '../../../src/platform/ids/id';
import type { TestApp } from './app';

const HOUR_MS = 3_600_000;

/** A stored maintenance window with arbitrary times. The API doesn't allow windows that start in the past. */
export interface WindowRows {
  name?: string;
  description?: string;
  /** By default, the window covers everything. */
  scope?: { websites?: string[]; endpoints?: string[]; tags?: string[] };
  public?: boolean;
  recurring?: boolean;
  /** The start and end of each occurrence, in hours from now. */
  times: [number, number][];
}

export const hoursFromNow = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

/** Returns the window's UUID. */
export async function writeWindow({ app }: Pick<TestApp, 'app'>, orgId: string, window: WindowRows): Promise<string> {
  const { name = 'Upgrade', description = '', scope, times, public: isPublic = true, recurring = false } = window;
  const database = app.get(Database);
  const [id, scopeId] = [newUuid(), newUuid()];
  const ids = (kind: 'website' | 'endpoint', of: readonly string[] = []) => of.map((one) => parseId(kind, one));
  const [websites, endpoints] = [ids('website', scope?.websites), ids('endpoint', scope?.endpoints)];
  await database.query(
    `INSERT INTO maintenance_scope (id, org_id, covers_all, website_ids, endpoint_ids, tags) VALUES ($1, $2, $3, $4, $5, $6)`,
    [scopeId, orgId, scope === undefined, websites, endpoints, scope?.tags ?? []],
  );
  const [[from, until] = [0, 1]] = times;
  const when = recurring
    ? [null, null, '0 2 * * *', 'UTC', 3600]
    : [hoursFromNow(from), hoursFromNow(until), null, null, null];
  await database.query(
    `INSERT INTO maintenance_window (id, org_id, name, description, scope_id, public, starts_at, ends_at, cron, timezone, duration_seconds)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [id, orgId, name, description, scopeId, isPublic, ...when],
  );
  for (const [start, end] of times) {
    await database.query(
      `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
       VALUES ($1, $2, $3, $4, $5, $6, true, true, $7)`,
      [id, hoursFromNow(start), hoursFromNow(end), orgId, scopeId, name, isPublic],
    );
  }
  return id;
}

export async function writeState(
  { app }: Pick<TestApp, 'app'>,
  endpoint: string,
  state: 'up' | 'down' | 'degraded',
): Promise<void> {
  await app
    .get(Database)
    .query(
      'UPDATE endpoint_state SET status = $2, degraded_since = $3, status_since = now(), consecutive_failures = $4 WHERE endpoint_id = $1',
      [
        parseId('endpoint', endpoint),
        state === 'down' ? 0 : 1,
        state === 'degraded' ? new Date() : null,
        // Enough that the failure is confirmed.
        state === 'down' ? 10 : 0,
      ],
    );
}

export async function writeOutage(
  { app }: Pick<TestApp, 'app'>,
  endpoint: string,
  hoursAgo: number,
  planned: boolean,
): Promise<void> {
  const at = hoursFromNow(-hoursAgo);
  await app.get(Database).query(
    `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message, planned)
     SELECT key, $2, $3, 1, '', $4 FROM endpoint WHERE id = $1`,
    [parseId('endpoint', endpoint), at, new Date(at.getTime() + 120_000), planned],
  );
}

/** Stores a day on which all checks were up, except those given as down or planned. */
export async function writeDay(
  { app }: Pick<TestApp, 'app'>,
  endpoint: string,
  daysAgo: number,
  { down = 0, planned = 0 } = {},
): Promise<void> {
  await app.get(Database).query(
    `INSERT INTO check_day (endpoint_key, start_at, up, down, unknown, planned, sum_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, min_us, max_us, buckets, counts)
     SELECT key, (SELECT done_until FROM history_progress WHERE name = 'day') - make_interval(days => $2), $3, $4, 0, $5, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
       FROM endpoint WHERE id = $1`,
    [parseId('endpoint', endpoint), daysAgo, 1440 - down - planned, down, planned],
  );
}
