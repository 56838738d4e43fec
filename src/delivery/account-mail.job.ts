import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { OperatorMail } from '../channel/email/operator-mail';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { inBatches, RETENTION_BATCH, type Retention } from '../platform/jobs/retention.job';
import { Clock } from '../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../platform/time/time-units';

const LOOK_EVERY_MS = 5 * SECOND_MS;
/** The number of emails per run. Together with the interval, this limits how many emails the SMTP account sends. */
const BATCH = 10;
/**
 * The first retry comes a minute after the first attempt, and the delay doubles each time. All attempts take about four
 * hours.
 */
const MOST_ATTEMPTS = 8;

interface Due {
  id: string;
  to: string;
  subject: string;
  text: string;
  attempts: number;
}

// Sent rows are kept for a day, because the number of emails per hour is limited.
const REMOVE = `
  DELETE FROM account_mail WHERE id IN (SELECT id FROM account_mail WHERE created_at < $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`;

export const ACCOUNT_MAIL_RETENTION: Retention = {
  name: 'account-mail-retention',
  rows: [{ days: 1, remove: inBatches(REMOVE) }],
};

/**
 * Sends emails to users about their own account. A claimed email only becomes due again after the attempt, so two
 * instances never send it at the same time.
 */
@Injectable()
export class AccountMailJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AccountMailJob.name);
  private readonly job: BackgroundJob;
  private readonly shutdown = new AbortController();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly mail: OperatorMail,
    private readonly config: Config,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'account-mail', run: () => this.run() });
  }

  @Interval(LOOK_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  beforeApplicationShutdown(): void {
    this.shutdown.abort();
  }

  /** Sends the emails that are due. Cost: one statement if there is nothing to send, and none without `SMTP_URL`. */
  async run(): Promise<void> {
    if (this.config.smtpUrl === null) return;
    for (const due of await this.claim()) {
      if (this.job.isStopping) return;
      await this.send(due);
    }
  }

  /** Cost: a partial index of due emails. */
  private claim(): Promise<Due[]> {
    return this.database.query<Due>(
      `UPDATE account_mail SET attempts = attempts + 1,
              next_attempt_at = $1::timestamptz + interval '${MINUTE_MS} milliseconds' * 2 ^ attempts
        WHERE id IN (SELECT id FROM account_mail WHERE sent_at IS NULL AND next_attempt_at <= $1
                      ORDER BY next_attempt_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
        RETURNING id, email AS "to", subject, text, attempts`,
      [this.clock.now()],
    );
  }

  private async send({ attempts, ...mail }: Due): Promise<void> {
    const outcome = await this.mail.send(mail, this.shutdown.signal);
    if (outcome.result === 'delivered') {
      await this.database.query('UPDATE account_mail SET sent_at = $2 WHERE id = $1', [mail.id, this.clock.now()]);
      return;
    }
    if (outcome.result === 'retry' && attempts < MOST_ATTEMPTS) return;
    await this.database.query('DELETE FROM account_mail WHERE id = $1', [mail.id]);
    this.logger.error(
      `Could not send the email "${mail.subject}" in ${attempts} attempts and dropped it: ${outcome.error}`,
    );
  }
}
