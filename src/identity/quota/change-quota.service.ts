import { Injectable } from '@nestjs/common';
import { type Problem } from '../../platform/problem/problem';
import { ChangedBytes } from './changed-bytes.service';
import { problemOfChanges } from './change-quota';
import { Quotas } from './quotas.service';

/**
 * Checks whether an organization may make changes. The changes must have added less data today than the quota allows
 * (`changed_bytes_per_day`).
 */
@Injectable()
export class ChangeQuota {
  constructor(
    private readonly quotas: Quotas,
    private readonly changed: ChangedBytes,
  ) {}

  /**
   * Returns why the organization (UUID) may not change anything, or `null` if it may. Cost: two in-memory lookups. Each
   * value is refreshed every five seconds.
   */
  async refusal(orgId: string): Promise<Problem | null> {
    const limit = await this.quotas.limitOf(orgId, 'changed_bytes_per_day');
    const used = limit === null ? 0 : await this.changed.today(orgId);
    return limit === null || used < limit ? null : problemOfChanges(limit, used, this.changed.untilTomorrow());
  }

  /**
   * Throws `rate_limited` if the organization may not change anything. Use it for changes without a route, such as a
   * ping. Call it before adding audit log entries where no guard runs.
   */
  async require(orgId: string): Promise<void> {
    const refusal = await this.refusal(orgId);
    if (refusal) throw refusal;
  }
}
