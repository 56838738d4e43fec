import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { resultOf, unknown } from '../../checker/check-failure';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type FinishedCheck, NO_LOCATION } from '../../engine/finished-check';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { BackgroundJobs } from '../../platform/jobs/background-job';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { AnyProbes } from '../../probe/any-probes';
import { CheckRecorder } from './check-recorder';
import { IS_IN_SERVICE } from './location-store';
import { silentAfterSql } from '../../endpoint/verdict';

/**
 * While the service was down, no location could report. Results that probes have collected since then arrive within
 * this time.
 */
const AFTER_START_MS = MINUTE_MS;
/**
 * If results have been waiting longer than this to be written, some of them may come from a location that seems silent.
 */
const BEHIND_MS = 5 * SECOND_MS;
/** The maximum number of endpoints per run. The rest follow in the next run. */
const MOST = 5000;

const SILENT_AFTER = silentAfterSql('c');

// A new location has as much time as the others for its first check. Cost: a table scan, and two index lookups for each
// endpoint.
const UNSEEN = `
  SELECT s.endpoint_id AS "endpointId", s.endpoint_key::text AS "endpointKey", s.org_id AS "orgId", c.revision
    FROM (SELECT l.endpoint_id,
                 max(CASE WHEN l.last_checked_at IS NULL THEN l.assigned_at WHEN l.status <> ${OUTCOME_CODE.unknown} THEN l.last_checked_at END)
                   FILTER (WHERE ${IS_IN_SERVICE}) AS seen_at
            FROM endpoint_location l GROUP BY l.endpoint_id) q
    JOIN endpoint_schedule c ON c.endpoint_id = q.endpoint_id AND c.active AND c.located
                            AND NOT coalesce(q.seen_at >= $1::timestamptz - ${SILENT_AFTER}, false)
    JOIN endpoint_state s ON s.endpoint_id = q.endpoint_id AND s.status <> ${OUTCOME_CODE.unknown}
   LIMIT ${MOST}`;

/**
 * Records one `unknown` check for an endpoint when the last of its voting locations has stopped reporting. Several
 * instances may find the same endpoint. The recorder records it once, and only if it is still true.
 */
@Injectable()
export class LocationSweep {
  private readonly job;
  private readonly startedAt: number;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly recorder: CheckRecorder,
    private readonly clock: DatabaseClock,
    private readonly probes: AnyProbes,
    jobs: BackgroundJobs,
  ) {
    this.startedAt = clock.monotonic();
    this.job = jobs.create({ name: 'location-sweep', run: () => this.runWhenSettled() });
  }

  @Interval(5 * SECOND_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Resolves when all findings are recorded. Cost: one statement, plus the recording. */
  async sweep(): Promise<void> {
    const checkedAt = this.clock.now();
    const unseen = await this.database.query<Unseen>(UNSEEN, [checkedAt]);
    await Promise.all(unseen.map((endpoint) => this.recorder.record(checkOf(endpoint, checkedAt))));
  }

  private async runWhenSettled(): Promise<void> {
    if (!this.probes.exist) return;
    if (this.clock.monotonic() < this.startedAt + AFTER_START_MS || this.recorder.lagMs > BEHIND_MS) return;
    await this.sweep();
  }
}

type Unseen = Pick<FinishedCheck, 'endpointId' | 'endpointKey' | 'orgId' | 'revision'>;

const checkOf = (endpoint: Unseen, checkedAt: Date): FinishedCheck => ({
  ...endpoint,
  location: NO_LOCATION,
  slotMs: null,
  checkedAt,
  result: {
    ...resultOf(unknown('monitor_offline', 'connect', 'No location has reported a result.')),
    durationMs: null,
  },
  attempts: 1,
  firstError: null,
  planned: false,
  muted: false,
});
