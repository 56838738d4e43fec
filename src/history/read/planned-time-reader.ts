import { Injectable } from '@nestjs/common';
import { MaintenanceCoverage } from '../../endpoint/maintenance/maintenance-coverage';
import { Database } from '../../platform/database/database';
import { madeAtMs } from '../../platform/ids/id';
import { plannedTime } from './planned-time';
import type { TimeRange } from '../time-range';

/** Reads in which time uptime was not counted. */
@Injectable()
export class PlannedTimeReader {
  constructor(
    private readonly database: Database,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /** The planned parts of a range, from when the endpoint was made; without any occurrence one statement. */
  async read(orgId: string, endpointId: string, range: TimeRange): Promise<TimeRange[]> {
    const lived = { from: Math.max(range.from, madeAtMs(endpointId)), to: range.to };
    if (lived.from >= lived.to) return [];
    const occurrences = await this.coverage.overlapping(
      this.database,
      [orgId],
      new Date(lived.from),
      new Date(lived.to),
    );
    if (occurrences.length === 0) return [];
    const endpoint = (await this.coverage.coverable(this.database, [endpointId])).get(endpointId);
    return endpoint ? plannedTime(occurrences, endpoint, lived) : [];
  }
}
