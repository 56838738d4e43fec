import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import type { Sql } from '../../platform/database/database';
import type { EndingRow } from './expiry-queries';
import { type ExpiryStep, expiryStep } from './expiry-step';

/** An alert, and what becomes of it now. */
export type DecidedExpiry = EndingRow & { step: ExpiryStep };

/** Which of the alerts whose certificates end tell it now. */
@Injectable()
export class ExpiryDecisions {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /** Without pagers. One statement; one more where a maintenance window is in force. */
  async of(sql: Sql, rows: readonly EndingRow[], now: Date): Promise<DecidedExpiry[]> {
    const people = rows.filter(({ type }) => !this.isPager(type));
    if (people.length === 0) return [];
    const marks = await this.coverage.marks(
      sql,
      people.map(({ orgId, endpointId }) => ({ orgId, endpointId, checkedAt: now })),
    );
    return people.map((row, index) => {
      const isSuppressed = row.isSuppressed || marks[index]?.muted === true;
      return { ...row, step: expiryStep({ ...row, isSuppressed }, now) };
    });
  }

  /** A type that is no longer installed is treated as one for people, as it is for all deliveries. */
  private isPager(type: string): boolean {
    return this.channels.has(type) && this.channels.get(type).audience === 'pager';
  }
}
