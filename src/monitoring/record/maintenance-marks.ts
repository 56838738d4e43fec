import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import type { Tx } from '../../platform/database/database';

/** Marks checks as planned or muted by the maintenance windows that are in force when they began. */
@Injectable()
export class MaintenanceMarks {
  constructor(private readonly coverage: MaintenanceCoverage) {}

  /** Decided again each time, so that a transaction that is repeated goes by what is true then. Cost: that of `inForce`. */
  async set(tx: Tx, checks: readonly FinishedCheck[]): Promise<void> {
    const inForce = await this.coverage.inForce(tx, checks);
    checks.forEach((check, index) => {
      const maintenance = inForce?.[index];
      check.planned = maintenance?.excludeFromUptime ?? false;
      check.muted = maintenance?.mute ?? false;
    });
  }
}
