// Fills an empty, migrated database with a very large number of endpoints for `bench/many.mjs`: half of them on one
// website, and the others on websites with 1,000 endpoints each. Works in batches, so that neither this process nor the
// server holds all of them at the same time.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const PORTION = 20_000;
const PER_WEBSITE = 1000;

function uuid(buffer, offset) {
  buffer.writeUIntBE(Date.now(), offset, 6);
  buffer[offset + 6] = (buffer[offset + 6] & 0x0f) | 0x70;
  buffer[offset + 8] = (buffer[offset + 8] & 0x3f) | 0x80;
  const hex = buffer.toString('hex', offset, offset + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function uuids(count) {
  const bytes = randomBytes(16 * count);
  return Array.from({ length: count }, (_, n) => uuid(bytes, 16 * n));
}

/**
 * Creates `count` endpoints of type SIM with this interval. Their first checks are spread over one interval that is
 * about to start. `checkout` is the built version whose schedule is used. With `settled`, each endpoint looks as if it
 * had been up for a day, with its last check before the current hour. Without it, every first check changes the status.
 * With `maintenance`, a window that is excluded from uptime is active for all of them.
 */
export async function seedMany(databaseUrl, { count, interval, checkout, settled = false, maintenance = false }) {
  const { phaseMs } = await import(join(checkout, 'dist/endpoint/endpoint-schedule.js'));
  const timeout = Math.max(1, Math.min(5, Math.floor((interval - 6) / 2)));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT id FROM organization WHERE is_default');
    const org = rows[0].id;
    const large = Math.ceil(count / 2);
    // The large website is the oldest, so it comes first in every list.
    const websites = uuids(1);
    await sleep(2);
    websites.push(...uuids(Math.ceil((count - large) / PER_WEBSITE)));
    await client.query(
      `INSERT INTO website (id, org_id, name, url)
       SELECT id, $1, 'Bench ' || n, 'http://127.0.0.1/' FROM unnest($2::uuid[]) WITH ORDINALITY AS v(id, n)`,
      [org, websites],
    );
    const websiteOf = (n) => (n < large ? websites[0] : websites[1 + Math.floor((n - large) / PER_WEBSITE)]);
    for (let from = 0; from < count; from += PORTION) {
      const ids = uuids(Math.min(PORTION, count - from));
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO endpoint (id, org_id, website_id, name, url, type, interval_seconds, timeout_seconds)
         SELECT v.id, $1, v.website, 'Endpoint', 'sim://site/' || v.n, 'SIM', $2, $3
           FROM unnest($4::uuid[], $5::uuid[], $6::int[]) AS v(id, website, n)`,
        [org, interval, timeout, ids, ids.map((_, n) => websiteOf(from + n)), ids.map((_, n) => from + n)],
      );
      await client.query(
        `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = ANY ($1::uuid[])`,
        [ids],
      );
      await client.query(
        `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
         SELECT v.id, $1, $2, $3, v.phase, false, 1, now() FROM unnest($4::uuid[], $5::int[]) AS v(id, phase)`,
        [org, interval, timeout, ids, ids.map((id) => phaseMs(id, interval))],
      );
      await client.query('COMMIT');
    }
    if (settled) {
      await client.query(
        `UPDATE endpoint_state SET status = 1, status_since = now() - interval '1 day', consecutive_successes = 30,
                last_checked_at = now() - interval '2 hours', last_slot_at = now() - interval '2 hours', recent = x'555555555555555'::bigint`,
      );
      // Older versions don't have this column.
      await client.query('UPDATE endpoint_state SET consecutive_good = 30').catch(() => {});
    }
    if (maintenance)
      await client.query(
        `WITH scope AS (INSERT INTO maintenance_scope (id, org_id, covers_all) VALUES (gen_random_uuid(), $1, true) RETURNING id)
         INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
         SELECT gen_random_uuid(), now(), now() + interval '1 day', $1, id, 'Bench', true, true, false FROM scope`,
        [org],
      );
    await client.query(
      `UPDATE endpoint_schedule
          SET active = true,
              next_check_at = date_bin(make_interval(secs => interval_seconds), now() + interval '5 seconds',
                                       timestamptz 'epoch' + make_interval(secs => phase_ms / 1000.0))
                              + make_interval(secs => interval_seconds)`,
    );
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}
