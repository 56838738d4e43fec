import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import type { Sql } from '../../platform/database/database';
import type { EndingRow } from './expiry-queries';
import { type ExpiryStep, expiryStep } from './expiry-step';

export type DecidedExpiry = EndingRow & { step: ExpiryStep };

/** Decides which alerts send a notification now about an expiring certificate. */
@Injectable()
export class ExpiryDecisions {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /**
   * Returns the decisions, excluding those for pagers. Cost: one statement, and one more if a maintenance window is
   * active.
   */
  async of(sql: Sql, rows: readonly EndingRow[], now: Date): Promise<DecidedExpiry[]> {
    const people = rows.filter(({ type }) => !this.channels.isPager(type));
    if (people.length === 0) return [];
    const muted = await this.coverage.mutedAt(sql, people, now);
    return people.map((row) => {
      const isSuppressed = row.isSuppressed || muted.has(row.endpointId);
      return { ...row, step: expiryStep({ ...row, isSuppressed }, now) };
    });
  }
}
