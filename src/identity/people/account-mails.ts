import { Injectable, Logger } from '@nestjs/common';
import { currentAuthorship } from '../../audit/authorship';
import { Config } from '../../platform/config/config';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Clock } from '../../platform/time/clock';
import { HOUR_MS } from '../../platform/time/time-units';
import { type AccountChange, accountMail } from './account-mail-text';

/**
 * The maximum number of emails about one account per hour. After ten emails, the person knows that something is wrong.
 */
const MOST_PER_HOUR = 10;

/**
 * Notifies people by email if a way to sign in to their account changes. Stores the email in the transaction that makes
 * the change. The `account-mail` job sends it.
 */
@Injectable()
export class AccountMails {
  private readonly logger = new Logger(AccountMails.name);

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the email. `from` is the request's address and is needed if the request's author isn't known (a link). Does
   * nothing if the person has no email address or `SMTP_URL` is not set. Cost: one index lookup and one row.
   */
  async tell(
    tx: Tx,
    { id, email }: { id: string; email: string | null },
    change: AccountChange,
    from: { address: string | null } = currentAuthorship(),
  ): Promise<void> {
    if (this.config.smtpUrl === null || email === null) return;
    const now = this.clock.now();
    const { subject, text } = accountMail(change, {
      at: now,
      address: from.address,
      email,
      home: this.config.publicUrl,
    });
    const written = await tx.query(
      `INSERT INTO account_mail (id, person_id, email, subject, text, created_at, next_attempt_at)
       SELECT $1, $2::uuid, $3, $4, $5, $6::timestamptz, $6::timestamptz
        WHERE (SELECT count(*) FROM account_mail WHERE person_id = $2::uuid AND created_at > $7) < ${MOST_PER_HOUR} RETURNING 1`,
      [newUuid(), id, email, subject, text, now, new Date(now.getTime() - HOUR_MS)],
    );
    if (written.length === 0)
      this.logger.warn(
        `An account has changed ${MOST_PER_HOUR} times within an hour, so its user is not notified of "${change}"`,
      );
  }
}
