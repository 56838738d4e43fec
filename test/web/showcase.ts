import type { CheckResult, ErrorCode } from '../../src/checker/checker';
import { OUTCOME_CODE } from '../../src/endpoint/outcome-code';
import { errorIndex } from '../../src/history/check-encoding';
import { SUMMARIZE } from '../../src/history/rollup/endpoint-summary';
import { HistoryWriter } from '../../src/history/write/history-writer';
import { Partitions } from '../../src/history/write/partitions';
import type { FinishedCheck } from '../../src/engine/finished-check';
import { RollupJob } from '../../src/history/rollup/rollup.job';
import { Database } from '../../src/platform/database/database';
import { firstUuidAt, formatId, newUuid, parseId } from '../../src/platform/ids/id';
import type { TestApp } from '../harness/app/app';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

interface Sample {
  name: string;
  type: string;
  url: string;
  /** Typical milliseconds per phase: DNS, connect, TLS, first byte, and transfer. */
  phases: [number, number, number, number, number];
  failing: number;
  /** Minutes since it went down. Without it, it is up. */
  downFor?: number;
  paused?: boolean;
  error?: [ErrorCode, string];
  certificateDays?: number;
}

const SAMPLES: [website: string, url: string, samples: Sample[]][] = [
  [
    'Example shop',
    'https://shop.example.com',
    [
      {
        name: 'Storefront',
        type: 'HTTPS',
        url: 'https://shop.example.com/',
        phases: [3, 11, 19, 64, 8],
        failing: 0.0004,
        certificateDays: 71,
      },
      {
        name: 'Checkout',
        type: 'HTTPS',
        url: 'https://shop.example.com/checkout',
        phases: [3, 11, 20, 210, 12],
        failing: 0.004,
        certificateDays: 71,
      },
      {
        name: 'Payments API',
        type: 'HTTPS',
        url: 'https://pay.example.com/health',
        phases: [4, 14, 22, 120, 2],
        failing: 0.009,
        downFor: 34,
        error: ['status_unexpected', 'The status is 503; expected 200 to 299.'],
        certificateDays: 12,
      },
      {
        name: 'Search',
        type: 'HTTPS',
        url: 'https://search.example.com/_health',
        phases: [3, 10, 18, 41, 3],
        failing: 0.0008,
        certificateDays: 71,
      },
      {
        name: 'Old landing page',
        type: 'HTTP',
        url: 'http://old.example.com/',
        phases: [3, 12, 0, 50, 4],
        failing: 0,
        paused: true,
      },
    ],
  ],
  [
    'Platform',
    'https://platform.example.com',
    [
      {
        name: 'PostgreSQL primary',
        type: 'TCP',
        url: 'tcp://db-1.example.com:5432',
        phases: [1, 2, 0, 0, 0],
        failing: 0.0001,
      },
      {
        name: 'Name server',
        type: 'DNS',
        url: 'dns://ns1.example.com/example.com?type=A',
        phases: [14, 0, 0, 0, 0],
        failing: 0.0006,
      },
      { name: 'Bastion', type: 'SSH', url: 'ssh://bastion.example.com', phases: [2, 9, 0, 26, 0], failing: 0.0002 },
      {
        name: 'Office uplink',
        type: 'ICMP',
        url: 'icmp://office.example.com',
        phases: [0, 0, 0, 17, 0],
        failing: 0.012,
      },
    ],
  ],
  [
    'Public API',
    'https://api.example.com',
    [
      {
        name: 'REST v2',
        type: 'HTTPS',
        url: 'https://api.example.com/v2/ping',
        phases: [3, 12, 19, 38, 2],
        failing: 0.0003,
        certificateDays: 48,
      },
      {
        name: 'REST v1 (deprecated)',
        type: 'HTTPS',
        url: 'https://api.example.com/v1/ping',
        phases: [3, 12, 19, 96, 2],
        failing: 0.003,
        certificateDays: 48,
      },
      {
        name: 'Webhooks',
        type: 'HTTPS',
        url: 'https://hooks.example.com/health',
        phases: [4, 13, 21, 55, 2],
        failing: 0.0005,
        certificateDays: 5,
      },
    ],
  ],
];

/** Returns pseudo-random numbers that are the same on every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function resultOf(sample: Sample, isDown: boolean, random: () => number, now: number): CheckResult {
  const wobble = () => 0.8 + random() * 0.35 + (random() > 0.97 ? random() * 2.5 : 0);
  const [dns, connect, tls, first, transfer] = sample.phases.map((ms) => (ms === 0 ? null : ms * wobble()));
  const [code, message] = sample.error ?? (['connection_timeout', 'No connection within 10 seconds.'] as const);
  const phases = {
    dnsMs: dns ?? null,
    connectMs: connect ?? null,
    tlsMs: tls ?? null,
    firstByteMs: first ?? null,
    transferMs: transfer ?? null,
  };
  return {
    outcome: isDown ? 'down' : 'up',
    durationMs: Object.values(phases).reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
    phases,
    statusCode: sample.type.startsWith('HTTP') ? (isDown ? 503 : 200) : null,
    address: '198.51.100.24',
    certificate:
      sample.certificateDays === undefined
        ? null
        : {
            expiresAt: new Date(Math.floor(now / DAY) * DAY + sample.certificateDays * DAY + 12 * HOUR).toISOString(),
            issuer: 'C=US, O=Example Trust, CN=Example CA 3',
            subject: `CN=${new URL(sample.url).hostname}`,
            names: [new URL(sample.url).hostname],
          },
    records: sample.type === 'DNS' ? ['198.51.100.24'] : null,
    redirects: [],
    error: isDown ? { code, phase: 'first_byte', message } : null,
    warning: null,
  };
}

/**
 * Fills an application that runs no checks (`role: 'api'`) with three websites, 90 days of history, an open incident,
 * and its deliveries, for screenshots and accessibility tests. Returns IDs by name.
 */
export async function showcase(app: TestApp): Promise<Map<string, string>> {
  const database = app.app.get(Database);
  const ids = new Map<string, string>();
  const random = randomFrom(7);
  for (const [name, url, samples] of SAMPLES) {
    const website = (await app.write.post<{ id: string }>('/websites', { name, url })).body.id;
    ids.set(name, website);
    for (const sample of samples) {
      const body = {
        name: sample.name,
        type: sample.type,
        url: sample.url,
        interval: 180,
        enabled: sample.paused !== true,
      };
      const { status, body: made, text } = await app.write.post<{ id: string }>(`/websites/${website}/endpoints`, body);
      if (status !== 201) throw new Error(`${sample.name}: ${text}`);
      const id = await madeBefore(database, made.id, 100 * DAY);
      ids.set(sample.name, id);
      await addHistory(app, database, id, sample, random);
    }
  }
  await app.app.get(RollupJob).run();
  const keys = await database.query<{ key: string }>('SELECT key::text AS key FROM endpoint');
  const [progress] = await database.query<{ until: Date }>(
    `SELECT done_until AS until FROM history_progress WHERE name = 'hour'`,
  );
  await database.query(SUMMARIZE, [keys.map(({ key }) => key), progress?.until]);
  await addWeekBefore(app, database);
  await addIncident(app, database, ids);
  return ids;
}

/** Adds the same checks a week earlier, slightly faster, for comparison in the charts. */
async function addWeekBefore(app: TestApp, database: Database): Promise<void> {
  const before = Math.floor((Date.now() - 7 * DAY) / DAY);
  await app.app.get(Partitions).ensure(database, [before - 2, before - 1, before]);
  await database.query(
    `INSERT INTO check_result (endpoint_key, checked_at, detail_hash, duration_us, dns_us, connect_us, tls_us, first_byte_us,
                               transfer_us, status_code, error, outcome)
     SELECT endpoint_key, checked_at - interval '7 days', detail_hash, duration_us * 0.8, dns_us, connect_us, tls_us, first_byte_us,
            transfer_us, status_code, error, outcome
       FROM check_result`,
  );
}

/**
 * Changes when an endpoint was created. Its ID contains that time, which also limits its uptimes. Returns the new ID.
 */
export async function madeBefore(database: Database, id: string, ms: number): Promise<string> {
  const before = parseId('endpoint', id);
  const after = firstUuidAt(new Date(Date.now() - ms)).slice(0, 13) + newUuid().slice(13);
  await database.transaction(async (tx) => {
    // Without foreign keys in this case, because no key could be changed otherwise.
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query("UPDATE endpoint SET id = $2, created_at = now() - $3 * interval '1 ms' WHERE id = $1", [
      before,
      after,
      ms,
    ]);
    await tx.query('UPDATE endpoint_schedule SET endpoint_id = $2 WHERE endpoint_id = $1', [before, after]);
    await tx.query('UPDATE endpoint_state SET endpoint_id = $2 WHERE endpoint_id = $1', [before, after]);
  });
  return formatId('endpoint', after);
}

async function addHistory(
  app: TestApp,
  database: Database,
  id: string,
  sample: Sample,
  random: () => number,
): Promise<void> {
  const uuid = parseId('endpoint', id) ?? '';
  const [row] = await database.query<{ key: string }>('SELECT key::text AS key FROM endpoint WHERE id = $1', [uuid]);
  const key = row?.key ?? '';
  const now = Math.floor(Date.now() / 1000) * 1000 - 7000;
  const downSince = sample.downFor === undefined ? Infinity : now - sample.downFor * MINUTE;
  const step = 3 * MINUTE;
  const checks: FinishedCheck[] = [];
  for (let at = now - 26 * HOUR; at <= now; at += step) {
    const isDown = at >= downSince || random() < sample.failing * 3;
    checks.push({
      endpointKey: key,
      endpointId: uuid,
      orgId: '',
      location: 0,
      revision: 1,
      slotMs: null,
      checkedAt: new Date(at - ((at - now) % step)),
      result: resultOf(sample, isDown, random, now),
      attempts: 1,
      firstError: null,
      planned: false,
      muted: false,
    });
  }
  if (sample.paused) checks.splice(0);
  const writer = app.app.get(HistoryWriter);
  await database.transaction((tx) => writer.write(tx, checks));
  await addDays(database, key, sample, random);
  const [code, message] = sample.error ?? (['connection_timeout', 'No connection within 10 seconds.'] as const);
  const past = [61, 33, 12, 4]
    .filter(() => random() < sample.failing * 120)
    .map((days) => now - days * DAY + random() * 10 * HOUR);
  const opened = [...past, ...(downSince === Infinity ? [] : [downSince])];
  await database.transaction(async (tx) => {
    await writer.outages(
      tx,
      opened.map((at) => ({ endpointKey: key, startedAt: new Date(at), error: code, message })),
      [],
    );
    for (const at of past) {
      const end = new Date(at + (4 + random() * 70) * MINUTE);
      await tx.query('UPDATE outage SET ended_at = $3 WHERE endpoint_key = $1 AND started_at = $2', [
        key,
        new Date(at),
        end,
      ]);
    }
  });
  await setState(database, uuid, sample, checks, downSince, now);
}

async function addDays(database: Database, key: string, sample: Sample, random: () => number): Promise<void> {
  const today = Math.floor(Date.now() / DAY) * DAY;
  const meanUs = sample.phases.reduce((sum, ms) => sum + ms, 0) * 1000;
  const days = Array.from({ length: 89 }, (_, index) => new Date(today - (90 - index) * DAY));
  const down = days.map(() => (random() < sample.failing * 25 ? Math.ceil(random() * 40) : 0));
  await database.query(
    `INSERT INTO check_day (endpoint_key, start_at, up, down, unknown, sum_us, dns_us, connect_us, tls_us, first_byte_us,
                            transfer_us, min_us, max_us, buckets, counts)
     SELECT $1, d.start_at, 480 - d.down, d.down, 0, (480 - d.down) * $4::bigint, 0, 0, 0, 0, 0, 1000, 900000, '{70}', ARRAY[480 - d.down]
       FROM unnest($2::timestamptz[], $3::integer[]) AS d (start_at, down)`,
    [key, days, down, Math.round(meanUs)],
  );
}

async function setState(
  database: Database,
  uuid: string,
  sample: Sample,
  checks: readonly FinishedCheck[],
  downSince: number,
  now: number,
): Promise<void> {
  const last = checks.at(-1);
  if (!last) return;
  const recent = checks.slice(-30).reduce((bits, { result }) => (bits << 2n) | (result.outcome === 'up' ? 1n : 2n), 0n);
  await database.query(
    `UPDATE endpoint_state SET status = $2, status_since = $3, last_checked_at = $4, last_duration_us = $5, last_status_code = $6,
            last_error = $7, recent = $8, certificate_expires_at = $9 WHERE endpoint_id = $1`,
    [
      uuid,
      OUTCOME_CODE[last.result.outcome],
      new Date(downSince === Infinity ? now - 4.2 * DAY : downSince),
      last.checkedAt,
      Math.round((last.result.durationMs ?? 0) * 1000),
      last.result.statusCode,
      errorIndex(last.result.error?.code),
      recent.toString(),
      sample.certificateDays === undefined ? null : last.result.certificate?.expiresAt,
    ],
  );
}

async function addIncident(app: TestApp, database: Database, ids: Map<string, string>): Promise<void> {
  const rules: [endpoint: string, type: string, config: object, description: string][] = [
    [
      'Payments API',
      'slack',
      { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
      'Runbook: wiki.example.com/payments',
    ],
    ['Payments API', 'pagerduty', { routing_key: '0123456789abcdef0123456789abcdef' }, ''],
    ['Checkout', 'email', { to: ['ops@example.com'] }, ''],
    [
      'Office uplink',
      'telegram',
      { bot_token: '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', chat_id: '-1001234567890' },
      'Only in office hours',
    ],
  ];
  for (const [endpoint, type, config, description] of rules) {
    const { status, body, text } = await app.write.post<{ id: string }>('/alerts', {
      endpoint_id: ids.get(endpoint),
      type,
      config,
      description,
    });
    if (status !== 201) throw new Error(`${type}: ${text}`);
    ids.set(`${type} alert`, body.id);
  }
  const now = Date.now();
  await addEvent(database, ids, 'Payments API', 'slack', 1, now - 9 * DAY, 'triggered', 0);
  await addEvent(database, ids, 'Payments API', 'slack', 1, now - 9 * DAY + 47 * MINUTE, 'resolved', 49 * 60);
  await addEvent(database, ids, 'Checkout', 'email', 1, now - 3 * DAY, 'triggered', 0);
  await addEvent(database, ids, 'Checkout', 'email', 1, now - 3 * DAY + 12 * MINUTE, 'resolved', 14 * 60);
  await addEvent(database, ids, 'Payments API', 'slack', 2, now - 28 * MINUTE, 'triggered', 0);
  await addEvent(database, ids, 'Payments API', 'pagerduty', 1, now - 28 * MINUTE + 5, 'triggered', 0);
  await database.query(
    `UPDATE notification SET state = 'failed', detail = 'rejected', response_status = 403, error = 'PagerDuty answered 403: the routing key is not valid'
      WHERE channel_type = 'pagerduty'`,
  );
  await database.query(
    `UPDATE alert SET triggered = true, incident_no = 2, incident_started_at = now() WHERE type IN ('slack', 'pagerduty')`,
  );
}

async function addEvent(
  database: Database,
  ids: Map<string, string>,
  endpoint: string,
  channel: string,
  incident: number,
  atMs: number,
  type: 'triggered' | 'resolved',
  seconds: number,
): Promise<void> {
  const [id, at] = [newUuid(atMs), new Date(atMs)];
  const message =
    type === 'triggered'
      ? `${endpoint} is down: The status is 503; expected 200 to 299 (3 checks in a row)`
      : `${endpoint} is back up after ${Math.round(seconds / 60)} minutes`;
  const alertId = parseId('alert', ids.get(`${channel} alert`));
  await database.query(
    `INSERT INTO alert_event (id, org_id, type, alert_id, alert_type, incident_no, endpoint_id, endpoint_name, website_id,
                              website_name, reason, message, error_code, error_message, failure_count, success_count,
                              started_at, duration_seconds, created_at)
     SELECT $1, e.org_id, $2, $3, $4, $5, e.id, e.name, w.id, w.name, 'threshold', $6, $7, $8, $9, $10, $11, $12, $13
       FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = $14`,
    [
      id,
      type,
      alertId,
      channel,
      incident,
      message,
      type === 'triggered' ? 'status_unexpected' : null,
      type === 'triggered' ? 'The status is 503; expected 200 to 299.' : null,
      type === 'triggered' ? 3 : 0,
      type === 'triggered' ? 0 : 2,
      new Date(atMs - (seconds || 120) * 1000),
      type === 'resolved' ? seconds : null,
      at,
      parseId('endpoint', ids.get(endpoint)),
    ],
  );
  await database.query(
    `INSERT INTO notification (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination, notice, state, attempts,
                               next_attempt_at, last_attempt_at, response_status, created_at, finished_at)
     SELECT $1, org_id, $2, $3, $4, $5, $6, 'showcase', $8, 'delivered', 1, $7, $7, 200, $7, $7 FROM alert WHERE id = $2`,
    [
      newUuid(atMs),
      alertId,
      id,
      type,
      incident,
      channel,
      at,
      JSON.stringify({ endpoint: { id: ids.get(endpoint), name: endpoint } }),
    ],
  );
}
