import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { type BackgroundJob, BackgroundJobs } from '../../../platform/jobs/background-job';
import { inBatches, type Retention, RETENTION_BATCH } from '../../../platform/jobs/retention.job';
import { MINUTE_MS } from '../../../platform/time/time-units';
import { ONLINE_MS } from '../../../probe-protocol/protocol';
import { AnyProbes } from '../../../probe/any-probes';
import { type MeasuredProbe, ProbeMetrics } from '../probe.metrics';

// Cost: a scan of the probes, at most a few thousand rows.
const OFFLINE =
  'UPDATE probe SET online = false, status_since = $1 WHERE online AND (last_seen_at < $2 OR NOT enabled)';
const ALL = `
  SELECT p.id, p.online, (p.org_id IS NULL OR o.is_default) AS "isOperators", extract(epoch FROM $1::timestamptz - p.last_seen_at)::float8 * 1000 AS "silentMs",
         p.clock_offset_ms AS "clockOffsetMs", p.buffered, p.sessions::float8 AS sessions
    FROM probe p LEFT JOIN organization o ON o.id = p.org_id WHERE p.protocol IS NOT NULL`;

// A definition that no probe picked up contains secrets. Cost: two index ranges over the requests from the last few
// minutes.
const FORGET = `
  UPDATE probe_ask SET definition = NULL WHERE expires_at > $1 AND created_at < $1 AND definition IS NOT NULL`;
const END = 'DELETE FROM probe_ask WHERE expires_at < $1';

/** Every 5 s, marks probes that no longer respond as offline, deletes expired requests, and updates the metrics. */
@Injectable()
export class ProbePresenceJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly metrics: ProbeMetrics,
    private readonly probes: AnyProbes,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'probe-presence', run: () => this.run() });
  }

  @Interval(5000)
  tick(): Promise<void> {
    return this.job.tick();
  }

  async run(): Promise<void> {
    const hadSome = this.probes.exist;
    const [row] = await this.database.query<{ exist: boolean }>('SELECT EXISTS (SELECT FROM probe) AS exist');
    this.probes.exist = row?.exist === true;
    if (!this.probes.exist && !hadSome) return;
    const now = this.clock.now();
    const before = (ms: number): Date => new Date(now.getTime() - ms);
    await this.database.query(OFFLINE, [now, before(ONLINE_MS)]);
    this.metrics.read(await this.database.query<MeasuredProbe>(ALL, [now]));
    await this.database.query(FORGET, [before(MINUTE_MS)]);
    await this.database.query(END, [before(MINUTE_MS)]);
  }
}

const REMOVE = `
  DELETE FROM probe_removal WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM probe_removal WHERE removed_at < $1 ORDER BY removed_at LIMIT ${RETENTION_BATCH}))
  RETURNING 1`;

/** A probe with an older cursor is sent all endpoints again. */
export const PROBE_RETENTION: Retention = {
  name: 'probe-retention',
  rows: [{ days: 1, remove: inBatches(REMOVE) }],
};
