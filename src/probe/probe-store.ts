import type { Sql, Tx } from '../platform/database/database';
import { NIL_UUID } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { SHARED_PREFIX } from './probe-directory';
import { probeStatus, type ProbeStatus } from './probe-status';

/** The probe fields that clients set. */
export interface ProbeSettings {
  key: string;
  name: string;
  region: string;
  enabled: boolean;
  allowPrivate: boolean;
}

/** A row of `probe`, without secrets and polling state. */
export interface ProbeRow extends ProbeSettings {
  id: string;
  number: number;
  /** UUID, or `null` for a shared probe. */
  orgId: string | null;
  owner: string | null;
  status: ProbeStatus;
  statusSince: Date;
  lastSeenAt: Date | null;
  address: string | null;
  version: string | null;
  protocol: number | null;
  types: string[] | null;
  clockOffsetMs: number | null;
  rttMs: number | null;
  lagMs: number | null;
  buffered: number | null;
  dropped: number | null;
  skipped: number | null;
  createdAt: Date;
  updatedAt: Date;
}

/** How many endpoints use a probe, and how many of their checks run there per second. */
export interface ProbeUse {
  endpoints: number;
  rate: number;
}
export const NOT_NAMED: ProbeUse = { endpoints: 0, rate: 0 };

/** The stored parts of a token. A probe without a token can't connect until its token is rotated. */
interface Hashed {
  lookup: string;
  hash: Buffer;
}

const COLUMNS = `p.id, p.number, p.org_id AS "orgId", p.key, p.name, p.region, p.enabled, p.allow_private AS "allowPrivate", p.owner,
  ${probeStatus('p')} AS status, coalesce(p.status_since, p.created_at) AS "statusSince", p.last_seen_at AS "lastSeenAt", p.address,
  p.version, p.protocol, p.types, p.clock_offset_ms AS "clockOffsetMs", p.rtt_ms AS "rttMs", p.lag_ms AS "lagMs", p.buffered,
  p.dropped::float8 AS dropped, p.skipped::float8 AS skipped, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;

/** The organization's own probes and shared ones. If $1 is NULL, only shared ones. */
const VISIBLE = '(p.org_id = $1::uuid OR p.org_id IS NULL)';
const OWN = 'p.org_id IS NOT DISTINCT FROM $1::uuid';

// Both statements use an index on (org_id, key). Cost: one organization's rows, limited by its quota, and the shared
// ones.
const PAGE = `
  SELECT ${COLUMNS}, count(*) OVER ()::int AS total FROM probe p WHERE ${VISIBLE} AND ($2::text IS NULL OR ${probeStatus('p')} = $2)`;

/** The number of possible probe numbers. */
const MOST_NUMBERS = 32_767;

/** Returns a page starting after `after`. Each row contains the total. */
export function probePage(
  sql: Sql,
  orgId: string | null,
  { status, after, count }: { status: ProbeStatus | undefined; after: string | null; count: number },
): Promise<(ProbeRow & { total: number })[]> {
  return sql.query(`SELECT * FROM (${PAGE}) p WHERE id > $3 ORDER BY id LIMIT $4`, [
    orgId,
    status ?? null,
    after ?? NIL_UUID,
    count,
  ]);
}

/**
 * Returns all of an organization's own probes, oldest first, with `externalKey` as used in configuration documents.
 * Cost: one statement.
 */
export const ownProbes = (sql: Sql, orgId: string): Promise<(ProbeRow & { externalKey: string })[]> =>
  sql.query(`SELECT ${COLUMNS}, p.key AS "externalKey" FROM probe p WHERE p.org_id = $1 ORDER BY p.id`, [orgId]);

/** Reads one of the organization's own probes or a shared probe. */
export async function readProbe(sql: Sql, orgId: string | null, id: string): Promise<ProbeRow | undefined> {
  const [row] = await sql.query<ProbeRow>(`SELECT ${COLUMNS} FROM probe p WHERE p.id = $2 AND ${VISIBLE}`, [orgId, id]);
  return row;
}

/** Reads one of the organization's own probes or a shared probe. Throws: `not_found`. */
export async function findProbe(sql: Sql, orgId: string | null, id: string): Promise<ProbeRow> {
  return found([await readProbe(sql, orgId, id)]);
}

/**
 * Locks one of the organization's own probes. `FOR UPDATE` also prevents endpoints from referring to it. Throws:
 * `not_found`.
 */
export async function lockProbe(
  tx: Tx,
  orgId: string | null,
  id: string,
  lock: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<ProbeRow> {
  return found(
    await tx.query<ProbeRow>(`SELECT ${COLUMNS} FROM probe p WHERE p.id = $2 AND ${OWN} ${lock}`, [orgId, id]),
  );
}

export async function insertProbe(
  tx: Tx,
  probe: ProbeSettings & { id: string; orgId: string | null; at: Date },
  token: Hashed | null,
): Promise<ProbeRow> {
  const { id, orgId, key, name, region, enabled, allowPrivate, at } = probe;
  return found(
    await tx.query<ProbeRow>(
      `INSERT INTO probe AS p (id, number, org_id, key, name, region, enabled, allow_private, lookup, hash, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING ${COLUMNS}`,
      [
        id,
        await nextNumber(tx),
        orgId,
        key,
        name,
        region,
        enabled,
        allowPrivate,
        token?.lookup ?? null,
        token?.hash ?? null,
        at,
      ],
    ),
  );
}

/**
 * Saves a locked probe's settings. After a permission change or a reactivation, the cursor's epoch changes, so that
 * everything is sent again. A disabled probe no longer counts as seen.
 */
export async function saveProbe(tx: Tx, id: string, settings: ProbeSettings, at: Date): Promise<ProbeRow> {
  const { name, region, enabled, allowPrivate } = settings;
  return found(
    await tx.query<ProbeRow>(
      `UPDATE probe AS p SET name = $2, region = $3, enabled = $4::boolean, allow_private = $5::boolean, updated_at = $6,
              epoch = epoch + (allow_private <> $5::boolean OR (enabled AND NOT $4::boolean))::int,
              online = online AND $4::boolean, session = CASE WHEN $4::boolean THEN session END,
              status_since = CASE WHEN enabled <> $4::boolean THEN $6 ELSE status_since END
        WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, name, region, enabled, allowPrivate, at],
    ),
  );
}

/**
 * Returns how an organization, or all organizations, use probes, by probe number. Cost: one statement, with an index
 * entry and a schedule row for each endpoint that uses a probe, about 30 ms for 10,000.
 */
export async function usesOfProbes(
  sql: Sql,
  orgId: string | null,
  rows: readonly ProbeRow[],
): Promise<Map<number, ProbeUse>> {
  if (rows.length === 0) return new Map();
  const uses = await sql.query<ProbeUse & { number: number }>(
    `SELECT l.number, count(*)::int AS endpoints, coalesce(sum(1.0 / s.interval_seconds) FILTER (WHERE s.active), 0)::float8 AS rate
       FROM endpoint_location l JOIN endpoint_schedule s ON s.endpoint_id = l.endpoint_id
      WHERE l.number = ANY ($1::smallint[]) AND l.number > 0 AND ($2::uuid IS NULL OR l.org_id = $2) GROUP BY l.number`,
    [rows.map(({ number }) => number), orgId],
  );
  return new Map(uses.map(({ number, ...use }) => [number, use]));
}

/** SQL: the URL of endpoints that monitor the row of `probe` with this alias. */
export const watchedUrl = (alias: string): string =>
  `'probe:' || CASE WHEN ${alias}.org_id IS NULL THEN '${SHARED_PREFIX}' ELSE '' END || ${alias}.key`;

/** SQL: whether an endpoint's URL of this form may refer to this probe. */
export const watchesProbe = (endpoint: string, probe: string): string =>
  `(${probe}.org_id IS NULL OR ${endpoint}.org_id = ${probe}.org_id)`;

/** Returns the number of endpoints of type PROBE that monitor it. Cost: one index entry for each. */
export async function watchersOf(sql: Sql, { id }: Pick<ProbeRow, 'id'>): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM probe p
       JOIN endpoint e ON e.type = 'PROBE' AND e.url = ${watchedUrl('p')} AND ${watchesProbe('e', 'p')}
      WHERE p.id = $1`,
    [id],
  );
  return row?.count ?? 0;
}

/** Returns the next unused number. Numbers wrap around, so that creating and deleting probes doesn't use them up. */
async function nextNumber(tx: Tx): Promise<number> {
  for (let tries = 0; tries < MOST_NUMBERS; tries++) {
    const [next] = await tx.query<{ number: number; taken: boolean }>(
      `SELECT n.number, EXISTS (SELECT FROM probe p WHERE p.number = n.number) AS taken
         FROM (SELECT nextval('probe_number')::int AS number) n`,
    );
    if (next && !next.taken) return next.number;
  }
  throw problems.conflict(`There are already ${MOST_NUMBERS} probes, the maximum for one installation.`);
}

function found([row]: readonly (ProbeRow | undefined)[]): ProbeRow {
  if (!row) throw problems.notFound();
  return row;
}
