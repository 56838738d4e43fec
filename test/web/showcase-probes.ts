import { ERROR_CODES } from '../../src/checker/checker';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { TestApp } from '../harness/app/app';

/** A probe of the sample data. Without `seen`, it has never connected. */
interface Sample {
  key: string;
  name: string;
  region: string;
  /** The values that it reported, by column. `seen` is in seconds ago. */
  told?: {
    online: boolean;
    seen: number;
    version?: string;
    clock?: number;
    buffered?: number;
    lag?: number;
    dropped?: number;
  };
}

const PROBES: readonly Sample[] = [
  { key: 'fra', name: 'Frankfurt', region: 'Europe', told: { online: true, seen: 2 } },
  { key: 'virginia', name: 'Virginia', region: 'America', told: { online: true, seen: 3, clock: 240_000 } },
  {
    key: 'office',
    name: 'Office',
    region: 'Europe',
    told: { online: false, seen: 1500, version: '0.0.9', buffered: 120, lag: 95_000, dropped: 12 },
  },
  { key: 'tokyo', name: 'Tokyo', region: 'Asia' },
];

/** The results at the locations of the storefront: outcome, seconds since, failures in a row, error. */
const SEEN: readonly [key: string, status: 0 | 1, since: number, failures: number, quiet: number][] = [
  ['local', 1, 400_000, 0, 20],
  ['fra', 1, 400_000, 0, 40],
  ['virginia', 0, 42 * 60, 14, 50],
  ['office', 1, 300_000, 0, 1500],
];

/**
 * Adds probes of every kind, and an endpoint at four locations, one of which sees it down and one is missing. Fills
 * the result of `showcase`. Maps the names of the probes to their IDs.
 */
export async function addProbes(app: TestApp, ids: Map<string, string>): Promise<void> {
  const database = app.app.get(Database);
  for (const { key, name, region, told } of PROBES) {
    const { status, body, text } = await app.admin.post<{ id: string }>('/probes', { key, name, region });
    if (status !== 201) throw new Error(`${name}: ${text}`);
    ids.set(name, body.id);
    if (!told) continue;
    const { online, seen, version = '0.1.0', clock = 8, buffered = 0, lag = 0, dropped = 0 } = told;
    await database.query(
      `UPDATE probe SET online = $2, last_seen_at = now() - $3::integer * interval '1 s', status_since = now() - $3::integer * interval '1 s',
              address = '198.51.100.7', version = $4, protocol = 1, types = '{HTTP,HTTPS,TCP,DNS,ICMP,SSH}', clock_offset_ms = $5,
              rtt_ms = 18.2, buffered = $6, lag_ms = $7, dropped = $8, skipped = 0 WHERE id = $1`,
      [parseId('probe', body.id), online, seen, version, clock, buffered, lag, dropped],
    );
  }
  const endpoint = ids.get('Storefront') ?? '';
  const locations = SEEN.map(([key]) => key);
  const { status, text } = await app.write.put(`/endpoints/${endpoint}`, { locations, quorum: 'majority' });
  if (status !== 200) throw new Error(`Storefront: ${text}`);
  await database.query(
    `UPDATE endpoint_state SET degraded_since = now() - interval '42 minutes' WHERE endpoint_id = $1`,
    [parseId('endpoint', endpoint)],
  );
  const number = `coalesce((SELECT number FROM probe WHERE key = $2::text), 0)`;
  const id = parseId('endpoint', endpoint);
  for (const [key, code, since, failures, quiet] of SEEN) {
    await database.query(
      `UPDATE endpoint_location
          SET status = $3::smallint, status_since = now() - $4::integer * interval '1 s', assigned_at = now() - interval '9 days', failures = $5::integer,
              successes = CASE WHEN $3::smallint = 1 THEN 900 ELSE 0 END, bad = $5::integer, good = CASE WHEN $3::smallint = 1 THEN 900 ELSE 0 END,
              last_checked_at = now() - $6::integer * interval '1 s', last_known_at = now() - $6::integer * interval '1 s',
              last_error = CASE WHEN $3::smallint = 0 THEN $7::smallint END,
              last_message = CASE WHEN $3::smallint = 0 THEN 'No connection within 10 seconds.' END
        WHERE endpoint_id = $1 AND number = ${number}`,
      [id, key, code, since, failures, quiet, ERROR_CODES.indexOf('connection_timeout')],
    );
    // At remote locations, everything takes longer.
    if (key !== 'local')
      await database.query(
        `INSERT INTO check_result (endpoint_key, location, checked_at, detail_hash, duration_us, dns_us, connect_us, tls_us, first_byte_us,
                                   transfer_us, status_code, error, outcome)
         SELECT r.endpoint_key, ${number}, r.checked_at + interval '1 s', r.detail_hash, r.duration_us * $3::float8, r.dns_us, r.connect_us, r.tls_us,
                r.first_byte_us, r.transfer_us, r.status_code, r.error, r.outcome
           FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key
          WHERE e.id = $1 AND r.location = 0 AND r.checked_at > now() - interval '1 day'
            AND r.checked_at < now() - $4::integer * interval '1 s'`,
        [id, key, { fra: 0.6, virginia: 1.9, office: 1.3 }[key] ?? 1, since < 3600 ? since : quiet],
      );
  }
}
