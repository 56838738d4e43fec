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

  /** The planned parts of a range, from when the endpoint was made. */
  async read(orgId: string, endpointId: string, range: TimeRange): Promise<TimeRange[]> {
    const lived = { from: Math.max(range.from, madeAtMs(endpointId)), to: range.to };
    if (lived.from >= lived.to) return [];
    const endpoint = (await this.coverage.coverable(this.database, [endpointId])).get(endpointId);
    if (endpoint?.orgId !== orgId) return [];
    const [from, to] = [new Date(lived.from), new Date(lived.to)];
    return plannedTime(await this.coverage.covering(this.database, endpoint, from, to), endpoint, lived);
  }
}
