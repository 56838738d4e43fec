import type { Sql, Tx } from '../../platform/database/database';
import { rowsOf } from '../../platform/database/rows-of';
import { isSuppressedSql } from '../suppression/suppression-queries';
import type { Told } from './expiry-step';

/** An alert for an endpoint whose certificate expires within its `tls.warn_days`. */
export interface EndingRow {
  id: string;
  orgId: string;
  endpointId: string;
  type: string;
  expiresAt: Date;
  warnDays: number;
  /** Whether the alert is suppressed for a reason other than maintenance. */
  isSuppressed: boolean;
  told: Told | null;
  /** See `ExpiryFacts`. */
  triggeredAt: Date | null;
  degradedSince: Date | null;
}

type Read = Omit<EndingRow, 'told'> & { toldExpiresAt: Date | null; toldStep: number | null };

// `$1` is the current time. Cost: a scan of `endpoint_state` (10 ms for 20,000 endpoints), and four index lookups for
// each certificate that expires.
const ENDING = `
  SELECT a.id, a.org_id AS "orgId", a.endpoint_id AS "endpointId", a.type,
    s.certificate_expires_at AS "expiresAt", e.certificate_warn_days AS "warnDays",
    ${isSuppressedSql('e.id', '$1')} AS "isSuppressed",
    n.expires_at AS "toldExpiresAt", n.step AS "toldStep",
    CASE WHEN a.condition = 'degraded' AND t.error_code = 'certificate_expiring' THEN t.created_at END AS "triggeredAt",
    CASE WHEN a.condition = 'degraded' AND NOT a.triggered THEN s.degraded_since END AS "degradedSince"
  FROM endpoint_state s
  JOIN endpoint e ON e.id = s.endpoint_id
  JOIN endpoint_schedule p ON p.endpoint_id = e.id AND p.active
  JOIN alert a ON a.endpoint_id = e.id AND a.enabled
  LEFT JOIN certificate_told n ON n.alert_id = a.id
  LEFT JOIN alert_event t ON t.id = a.trigger_event_id AND a.triggered
  WHERE s.certificate_expires_at > $1
    AND s.certificate_expires_at < $1::timestamptz + (e.certificate_warn_days + 1) * interval '1 day'`;

/** Returns a page of these alerts in ID order. */
export const endingAfter = (sql: Sql, now: Date, after: string, limit: number): Promise<EndingRow[]> =>
  read(sql, `${ENDING} AND a.id > $2 ORDER BY a.id LIMIT $3`, [now, after, limit]);

/** Returns these alerts' current state. */
export const endingOf = (tx: Tx, now: Date, ids: readonly string[]): Promise<EndingRow[]> =>
  read(tx, `${ENDING} AND a.id = ANY ($2::uuid[])`, [now, ids]);

async function read(sql: Sql, statement: string, parameters: unknown[]): Promise<EndingRow[]> {
  const rows = await sql.query<Read>(statement, parameters);
  return rows.map(({ toldExpiresAt, toldStep, ...row }) => ({
    ...row,
    told: toldExpiresAt && toldStep !== null ? { expiresAt: toldExpiresAt, step: toldStep } : null,
  }));
}

/**
 * Returns the names in the expiring certificates by endpoint: its own certificate, or one from an authority in its
 * chain. Only includes endpoints with a stored check that saw the certificate. Cost: the few distinct details for each
 * endpoint.
 */
export async function certificateNames(
  tx: Tx,
  ending: readonly Pick<EndingRow, 'endpointId' | 'expiresAt'>[],
): Promise<Map<string, { subject: string; issuer: string }>> {
  const rows = await tx.query<{ endpointId: string; subject: string; issuer: string }>(
    `SELECT x.id AS "endpointId", d.subject, d.issuer
       FROM unnest($1::uuid[], $2::text[]) AS x (id, expires_at)
       JOIN endpoint e ON e.id = x.id
       CROSS JOIN LATERAL (
         SELECT COALESCE(c.body #>> '{certificate,authority}', c.body #>> '{certificate,subject}') AS subject, c.body #>> '{certificate,issuer}' AS issuer
           FROM check_detail c
          WHERE c.endpoint_key = e.key AND c.body #>> '{certificate,expiresAt}' = x.expires_at
          ORDER BY c.seen_on DESC LIMIT 1) d`,
    [ending.map(({ endpointId }) => endpointId), ending.map(({ expiresAt }) => expiresAt.toISOString())],
  );
  return new Map(rows.map(({ endpointId, ...names }) => [endpointId, names]));
}

const TOLD = rowsOf<Told & { id: string }>({
  alert_id: ['uuid', ({ id }) => id],
  expires_at: ['timestamptz', ({ expiresAt }) => expiresAt],
  step: ['smallint', ({ step }) => step],
});

/** Saves which notifications these alerts have sent. */
export async function saveTold(tx: Tx, told: readonly (Told & { id: string })[]): Promise<void> {
  if (told.length === 0) return;
  await tx.query(
    `INSERT INTO certificate_told (${TOLD.names}) SELECT * FROM ${TOLD.as('t')}
     ON CONFLICT (alert_id) DO UPDATE SET expires_at = EXCLUDED.expires_at, step = EXCLUDED.step`,
    TOLD.of(told),
  );
}
