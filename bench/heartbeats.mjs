// Heartbeats for benchmarks: rows that wait for pings, and jobs that send pings.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { quantiles } from './schedule-report.mjs';

const SCHEDULE = JSON.stringify({ every: 86_400, cron: null, timezone: null, grace: 3600, max_runtime: null });

/**
 * Creates heartbeats like EndpointService would, each expected within a day. Returns the paths that their jobs ping.
 */
export async function seedHeartbeats(databaseUrl, count) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const pingIds = Array.from({ length: count }, () => randomUUID());
    await client.query(
      `WITH org AS (SELECT id FROM organization WHERE is_default),
       site AS (INSERT INTO website (id, org_id, name, url) SELECT gen_random_uuid(), id, 'Jobs', 'http://127.0.0.1/' FROM org RETURNING id, org_id),
       made AS (INSERT INTO endpoint (id, org_id, website_id, name, url, type, interval_seconds, timeout_seconds, heartbeat)
                SELECT p.ping_id, org_id, site.id, 'Job', 'heartbeat:', 'HEARTBEAT', 86400, 10, $2 FROM site, unnest($1::uuid[]) AS p(ping_id)
                RETURNING id, key, org_id, interval_seconds, timeout_seconds),
       state AS (INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM made),
       schedule AS (INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, scheduled, revision, next_check_at)
                    SELECT id, org_id, interval_seconds, timeout_seconds, 0, true, false, 1, now() FROM made)
       INSERT INTO heartbeat (endpoint_id, ping_id, push_token, expected_at, deadline_at)
       SELECT id, id, replace(id::text, '-', ''), now() + interval '1 day', now() + interval '25 hours' FROM made`,
      [pingIds, SCHEDULE],
    );
    await client.query('ANALYZE');
    return pingIds.map((id) => `/ping/${id}`);
  } finally {
    await client.end();
  }
}

/** Pings these paths in turn at an even rate of `perMinute` until `stop`, which returns the responses. */
export function startPings(url, paths, perMinute) {
  const began = performance.now();
  const running = new Set();
  const [took, statuses] = [[], {}];
  let sent = 0;
  const one = async (path) => {
    const at = performance.now();
    const status = await fetch(url + path, { signal: AbortSignal.timeout(30_000) }).then(
      async (response) => (await response.text(), response.status),
      () => 'no response',
    );
    took.push(performance.now() - at);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - began) / 60_000) * perMinute; sent++) {
      const ping = one(paths[sent % paths.length]).finally(() => running.delete(ping));
      running.add(ping);
    }
  }, 5);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      return { sent, statuses, took: quantiles(took) };
    },
  };
}

/** Returns the number of stored pings and the number of heartbeat checks. */
export async function storedPings(client) {
  const { rows } = await client.query(
    `SELECT (SELECT count(*) FROM ping)::int AS pings,
            (SELECT count(*) FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key WHERE e.heartbeat IS NOT NULL)::int AS checks`,
  );
  return rows[0];
}
