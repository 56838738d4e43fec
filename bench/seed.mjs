// Fills an empty, migrated database directly, which would take minutes through the API. Stores one website, many
// endpoints, and their alerts like EndpointService and AlertService would.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const root = fileURLToPath(new URL('..', import.meta.url));
const uuid = () => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/**
 * Returns the new endpoints' UUIDs. `urlOf(n)` is the target of endpoint n. `rule` is the UUID of an alert to copy to
 * every endpoint, or null. First checks are spread over one interval. `organization` is a UUID, by default the Default
 * organization's. With `active: false`, an endpoint isn't checked until its row in `endpoint_schedule` is changed.
 * `checkout` is the built tree whose schedule is used.
 */
export async function seed(
  databaseUrl,
  { count, interval, timeout, type = 'HTTP', urlOf, rule, organization = null, active = true, checkout = root },
) {
  const { phaseMs } = await import(join(checkout, 'dist/endpoint/endpoint-schedule.js'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT id FROM organization WHERE id = $1 OR ($1 IS NULL AND is_default)', [
      organization,
    ]);
    const org = rows[0].id;
    const website = uuid();
    await client.query(`INSERT INTO website (id, org_id, name, url) VALUES ($1, $2, 'Bench', 'http://127.0.0.1/')`, [
      website,
      org,
    ]);
    const ids = Array.from({ length: count }, uuid);
    const urls = ids.map((_, n) => urlOf(n));
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, interval_seconds, timeout_seconds)
       SELECT v.id, $1, $2, v.url, v.url, $3, $4, $5 FROM unnest($6::uuid[], $7::text[]) AS v(id, url)`,
      [org, website, type, interval, timeout, ids, urls],
    );
    await client.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE website_id = $1`,
      [website],
    );
    await client.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       SELECT v.id, $1, $2, $3, v.phase, $6, 1,
              date_bin(make_interval(secs => $2::int), now() + interval '2 seconds', timestamptz 'epoch' + make_interval(secs => v.phase / 1000.0)) + make_interval(secs => $2::int)
         FROM unnest($4::uuid[], $5::int[]) AS v(id, phase)`,
      [org, interval, timeout, ids, ids.map((id) => phaseMs(id, interval)), active],
    );
    if (rule !== null) {
      await client.query(
        `INSERT INTO alert (id, org_id, endpoint_id, type, config, destination, failure_threshold, success_threshold)
         SELECT v.id, a.org_id, v.endpoint, a.type, a.config, a.destination, a.failure_threshold, a.success_threshold
           FROM alert a, unnest($2::uuid[], $3::uuid[]) AS v(id, endpoint) WHERE a.id = $1`,
        [rule, ids.map(uuid), ids],
      );
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return ids;
  } finally {
    await client.end();
  }
}
