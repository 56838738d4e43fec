import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { wakeForgotten } from '../../delivery/outbox';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { WatchdogPing } from '../../platform/observability/watchdog-ping';
import { HOUR_MS, MINUTE_MS } from '../../platform/time/time-units';
import { checkConsistency, type Inconsistency } from './consistency-check';
import { ConsistencyFindings } from './consistency-findings';
import { ConsistencyRepairs } from './consistency-repairs';

/** Each check compares events from this period, so an inconsistency is reported for this long. */
const WINDOW_MS = HOUR_MS;
/**
 * The delivery loop runs every second, so if work has been due for this long, the loop is stuck. This is detected
 * within two minutes.
 */
const OVERDUE_MS = MINUTE_MS;

/**
 * Runs once a minute. Compares flags, events, deliveries, and incident members, repairs what is safe to repair, and
 * reports the rest. If everything is consistent, it pings the watchdog.
 */
@Injectable()
export class ConsistencyJob {
  private readonly logger = new Logger(ConsistencyJob.name);
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly repairs: ConsistencyRepairs,
    private readonly findings: ConsistencyFindings,
    private readonly watchdog: WatchdogPing,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'consistency-check', run: () => this.runAndPing() });
  }

  @Cron(CronExpression.EVERY_MINUTE, { name: 'consistency-check' })
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Runs one check with its repairs. Returns the remaining inconsistencies. */
  async run(): Promise<Inconsistency[]> {
    await this.repairs.run();
    const now = this.clock.now();
    const found = await checkConsistency(this.database, {
      since: new Date(now.getTime() - WINDOW_MS),
      now,
      overdueMs: OVERDUE_MS,
    });
    const forgotten = found.find(({ kind }) => kind === 'message_forgotten');
    if (forgotten) {
      await wakeForgotten(this.database, now);
      this.logger.warn(`${forgotten.count} pending deliveries had no due time at their destination; they are due now`);
    }
    const findings = found.filter((finding) => finding !== forgotten);
    this.findings.publish(findings, now);
    return findings;
  }

  private async runAndPing(): Promise<void> {
    try {
      const findings = await this.run();
      if (findings.length === 0) await this.watchdog.send();
    } catch (error) {
      this.findings.couldNotRun();
      throw error;
    }
  }
}
