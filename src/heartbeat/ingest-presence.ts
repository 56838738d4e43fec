import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Connectivity } from '../engine/run/connectivity';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { Metrics } from '../platform/observability/metrics';
import { SECOND_MS } from '../platform/time/time-units';
import { type Gap, merged } from './expectation';

const RENEW_MS = 5 * SECOND_MS;
/** How long renewals may fail. After that, it is assumed that no process accepted pings. */
const AWAY_SECONDS = 15;
const KEPT_DAYS = 30;

// Uses the database's real clock, which tests don't move, because a moved clock isn't an absence. Cost: one row, and
// one more after a gap.
const RENEW = `
  WITH before AS (SELECT seen_at FROM ingest_seen FOR UPDATE),
  gap AS (
    INSERT INTO ingest_gap (began_at, ended_at)
    SELECT seen_at, clock_timestamp() FROM before WHERE seen_at < clock_timestamp() - interval '${AWAY_SECONDS} seconds'
    RETURNING extract(epoch FROM ended_at - began_at)::float8 AS seconds),
  renewed AS (
    INSERT INTO ingest_seen (seen_at) SELECT clock_timestamp() FROM (SELECT count(*) FROM before) AS locked
    ON CONFLICT (one) DO UPDATE SET seen_at = greatest(ingest_seen.seen_at, excluded.seen_at))
  SELECT seconds FROM gap`;

// Selects the gaps that ended late enough to affect a deadline, and any gap that is still open. Cost: a range scan of
// an index with few rows.
const GAPS = `
  SELECT ${epochMs('began_at')} AS "fromMs", ${epochMs('ended_at')} AS "untilMs" FROM ingest_gap WHERE ended_at >= $1
  UNION ALL
  SELECT ${epochMs('seen_at')}, ${epochMs('clock_timestamp()')} FROM ingest_seen
   WHERE seen_at < clock_timestamp() - interval '${AWAY_SECONDS} seconds'`;

// Selects a period without renewals that is too short to be a gap. Cost: one row.
const UNSEEN = `
  SELECT extract(epoch FROM clock_timestamp() - seen_at)::float8 * 1000 AS "unseenMs" FROM ingest_seen
   WHERE seen_at >= clock_timestamp() - interval '${AWAY_SECONDS} seconds'`;

const FORGET = `DELETE FROM ingest_gap WHERE ended_at < now() - interval '${KEPT_DAYS} days'`;

/**
 * Records whether any process accepts pings. Each serving process renews one shared row. If a process renews it late,
 * it inserts a gap, which all instances read. A process without a network renews nothing, because no ping reaches it.
 */
@Injectable()
export class IngestPresence implements OnApplicationBootstrap {
  private readonly logger = new Logger(IngestPresence.name);
  private readonly job: BackgroundJob;
  private readonly serves: boolean;
  private readonly away;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly connectivity: Connectivity,
    config: Config,
    metrics: Metrics,
    jobs: BackgroundJobs,
  ) {
    this.serves = config.role !== 'worker';
    this.away = metrics.counter({
      name: 'uptime_ingest_gap_seconds_total',
      help: 'Seconds during which no process could receive pings; deadlines of heartbeats were extended by them.',
    });
    this.job = jobs.create({ name: 'ingest-presence', run: async () => void (await this.renew()), role: 'any' });
  }

  /** Runs before the first ping is accepted and before the first deadline is evaluated. */
  async onApplicationBootstrap(): Promise<void> {
    await this.tick();
  }

  @Interval(RENEW_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Renews the row if this process is serving and has a network. Otherwise returns `false`. */
  async renew(): Promise<boolean> {
    if (!this.serves || this.connectivity.isOffline) return false;
    const [gap] = await this.database.query<{ seconds: number }>(RENEW);
    if (!gap) return true;
    this.away.inc(gap.seconds);
    this.logger.warn(
      `No instance received pings for ${Math.round(gap.seconds)} s; deadlines were extended by that time.`,
    );
    await this.database.query(FORGET);
    return true;
  }

  /**
   * Returns the gaps that ended after `sinceMs`. Also returns for how many milliseconds no process has renewed the row,
   * although one may be running. Deadlines within that period are decided when the result is known. Renews or reads the
   * row first.
   */
  async absences(sinceMs: number): Promise<{ gaps: Gap[]; unseenMs: number }> {
    const isHere = await this.renew();
    const [last] = isHere ? [] : await this.database.query<{ unseenMs: number }>(UNSEEN);
    const gaps = merged(await this.database.query<Gap>(GAPS, [new Date(sinceMs)]));
    return { gaps, unseenMs: last?.unseenMs ?? 0 };
  }
}
