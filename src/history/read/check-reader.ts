import { Injectable } from '@nestjs/common';
import type { Outcome } from '../../checker/checker';
import { Database } from '../../platform/database/database';
import { OUTCOME_CODE } from '../check-encoding';
import type { CheckRow } from './check.dto';
import { StatsReader } from './stats-reader';
import { DAY_MS, floorTo } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/** Which checks of an endpoint are wanted; newest first, at most `limit`. */
export interface CheckSelection extends TimeRange {
  outcome: Outcome | null;
  limit: number;
}

/**
 * Groups days (their first millisecond, newest first) into 1, 2, 4, 8 … of them, each as the span it covers: what is
 * nearly always found in the newest day costs one small read, what is rare costs few reads.
 */
export function growingSpans(days: readonly number[]): TimeRange[] {
  const spans: TimeRange[] = [];
  for (let start = 0, size = 1; start < days.length; start += size, size *= 2) {
    const group = days.slice(start, start + size);
    spans.push({ from: group.at(-1) ?? 0, to: (group[0] ?? 0) + DAY_MS });
  }
  return spans;
}

/** Reads single checks. The daily figures tell which days need not be looked at. */
@Injectable()
export class CheckReader {
  constructor(
    private readonly database: Database,
    private readonly tallies: StatsReader,
  ) {}

  async read(endpointKey: string, selection: CheckSelection): Promise<CheckRow[]> {
    const rows: CheckRow[] = [];
    for (const span of growingSpans(await this.daysWith(endpointKey, selection))) {
      if (rows.length >= selection.limit) break;
      const found = await this.database.query<CheckRow>(READ_CHECKS, [
        endpointKey,
        new Date(Math.max(span.from, selection.from)),
        new Date(Math.min(span.to, selection.to)),
        codeOf(selection),
        selection.limit - rows.length,
      ]);
      rows.push(...found);
    }
    return rows;
  }

  /** Days that hold a wanted check by the daily figures, and all for which there are none yet; newest first. */
  private async daysWith(endpointKey: string, selection: CheckSelection): Promise<number[]> {
    const first = floorTo(selection.from, DAY_MS);
    const { days: builtUntil } = await this.tallies.builtUntil();
    const days: number[] = [];
    for (let day = floorTo(selection.to - 1, DAY_MS); day >= Math.max(builtUntil, first); day -= DAY_MS) days.push(day);
    const built = await this.database.query<{ start_at: Date }>(DAYS_WITH, [
      endpointKey,
      new Date(first),
      new Date(Math.min(selection.to, builtUntil)),
      codeOf(selection),
    ]);
    return [...days, ...built.map((row) => row.start_at.getTime())];
  }
}

const codeOf = ({ outcome }: CheckSelection): number | null => (outcome === null ? null : OUTCOME_CODE[outcome]);

const DAYS_WITH = `
  SELECT start_at FROM check_day
   WHERE endpoint_key = $1 AND start_at >= $2 AND start_at < $3
     AND CASE $4::integer WHEN 0 THEN down WHEN 1 THEN up WHEN 2 THEN unknown ELSE up + down + unknown END > 0
   ORDER BY start_at DESC`;

/** Details are joined to what is shown only. */
const READ_CHECKS = `
  SELECT r.*, d.body AS detail
    FROM (SELECT * FROM check_result
           WHERE endpoint_key = $1 AND checked_at >= $2 AND checked_at < $3
             AND ($4::integer IS NULL OR outcome & 3 = $4)
           ORDER BY checked_at DESC LIMIT $5) AS r
    LEFT JOIN check_detail d ON d.endpoint_key = r.endpoint_key AND d.hash = r.detail_hash
   ORDER BY r.checked_at DESC`;
