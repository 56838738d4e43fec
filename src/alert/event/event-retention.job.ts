import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Config } from '../../platform/config/config';
import { WorkerDatabase } from '../../platform/database/database';
import { earlierNow } from '../../platform/database/database-clock';
import { firstUuidAt, NIL_UUID } from '../../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { Clock } from '../../platform/time/clock';
import { DAY_MS } from '../../platform/time/time-units';

/** Rows looked at by one statement, so that none holds its locks for long. */
const STEP = 1000;
/** Rows removed by one run, a twentieth of a million events: with both clocks wrong not everything goes at once. */
const MAX_PER_RUN = 50_000;

/**
 * Removes alert events older than `EVENT_RETENTION_DAYS`: whole episodes, but not an alert's newest one nor one that a
 * younger episode follows, so that what is left still tells when the alert was triggered and that triggers and resolves
 * alternate.
 */
@Injectable()
export class EventRetentionJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly config: Config,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'event-retention', run: () => this.removeOld() });
  }

  @Cron('35 27 * * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  async removeOld(): Promise<void> {
    const now = await earlierNow(this.database, this.clock);
    const before = firstUuidAt(new Date(now.getTime() - this.config.eventRetentionDays * DAY_MS));
    let removed = 0;
    for (let after: string | null = NIL_UUID; after !== null && removed < MAX_PER_RUN && !this.job.isStopping;) {
      const rows: { last: string | null; looked: number; removed: number }[] = await this.database.query(REMOVE, [
        after,
        before,
      ]);
      const [step] = rows;
      removed += step?.removed ?? 0;
      after = step && step.looked === STEP ? step.last : null;
    }
  }
}

/**
 * Ids are in the order of their creation: a range of the primary key, and for each row three probes of an index. Rows that
 * stay, four of each alert at most, are looked at in each run.
 */
const REMOVE = `
  WITH old AS MATERIALIZED (
    SELECT id, alert_id, incident_no FROM alert_event WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${STEP}
  ), gone AS (
    DELETE FROM alert_event e USING old
     WHERE e.id = old.id
       AND NOT EXISTS (SELECT 1 FROM alert a WHERE a.id = old.alert_id AND a.incident_no <= old.incident_no)
       AND NOT EXISTS (SELECT 1 FROM alert_event r
                        WHERE r.alert_id = old.alert_id AND r.incident_no IN (old.incident_no, old.incident_no + 1) AND r.id >= $2)
       AND NOT EXISTS (SELECT 1 FROM notification n WHERE n.event_id = old.id AND n.state = 'pending')
    RETURNING 1
  )
  SELECT (SELECT id FROM old ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*)::int FROM old) AS looked,
         (SELECT count(*)::int FROM gone) AS removed`;
