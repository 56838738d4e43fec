import { Injectable } from '@nestjs/common';
import { type Problem } from '../../platform/problem/problem';
import { ChangedBytes } from './changed-bytes.service';
import { problemOfChanges } from './change-quota';
import { Quotas } from './quotas.service';

/** Whether an organization may change something: its changes have added less today than they may (`changed_bytes_per_day`). */
@Injectable()
export class ChangeQuota {
  constructor(
    private readonly quotas: Quotas,
    private readonly changed: ChangedBytes,
  ) {}

  /** Why the organization (uuid) may not change anything; `null` when it may. Two look-ups in memory, each read again every five seconds. */
  async refusal(orgId: string): Promise<Problem | null> {
    const limit = await this.quotas.limitOf(orgId, 'changed_bytes_per_day');
    const used = limit === null ? 0 : await this.changed.today(orgId);
    return limit === null || used < limit ? null : problemOfChanges(limit, used, this.changed.untilTomorrow());
  }

  /**
   * For a change that no route makes, such as that of a ping: whoever adds entries to the audit log without a guard calls it before.
   * Throws `rate_limited`.
   */
  async require(orgId: string): Promise<void> {
    const refusal = await this.refusal(orgId);
    if (refusal) throw refusal;
  }
}
