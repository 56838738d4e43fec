import { Injectable } from '@nestjs/common';
import { type Coverable, covers, type Occurrence } from '../../endpoint/suppression/cover';
import { SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import { Database } from '../../platform/database/database';
import { madeAtMs } from '../../platform/ids/id';

/** Reads the periods in which uptime was not counted. */
@Injectable()
export class PlannedTimeReader {
  constructor(
    private readonly database: Database,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /** Returns the planned parts of a range, starting no earlier than the endpoint's creation. */
  async read(orgId: string, endpointId: string, range: TimeRange): Promise<TimeRange[]> {
    const lived = { from: Math.max(range.from, madeAtMs(endpointId)), to: range.to };
    if (lived.from >= lived.to) return [];
    const endpoint = (await this.coverage.coverable(this.database, [endpointId])).get(endpointId);
    if (endpoint?.orgId !== orgId) return [];
    const [from, to] = [new Date(lived.from), new Date(lived.to)];
    return plannedTime(await this.coverage.covering(this.database, endpoint, from, to), endpoint, lived);
  }
}

/**
 * Returns the parts of a range, oldest first, in which a maintenance window that is excluded from uptime covers the
 * endpoint. Merges parts that touch or overlap. Coverage depends on the endpoint's current website and tags, even for
 * past windows.
 */
export function plannedTime(
  occurrences: readonly Occurrence[],
  endpoint: Coverable,
  { from, to }: TimeRange,
): TimeRange[] {
  const parts: TimeRange[] = [];
  const excluded = occurrences
    .filter((occurrence) => occurrence.excludeFromUptime && covers(occurrence, endpoint))
    .map(({ startsAt, endsAt }) => ({ from: Math.max(startsAt.getTime(), from), to: Math.min(endsAt.getTime(), to) }))
    .filter((part) => part.from < part.to)
    .sort((a, b) => a.from - b.from);
  for (const part of excluded) {
    const last = parts.at(-1);
    if (last && part.from <= last.to) last.to = Math.max(last.to, part.to);
    else parts.push(part);
  }
  return parts;
}

/** Returns the total length of these parts in whole seconds. */
export const secondsOf = (parts: readonly TimeRange[]): number =>
  Math.round(parts.reduce((sum, { from, to }) => sum + to - from, 0) / SECOND_MS);
