import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { errorCodeAt } from '../check-encoding';
import { SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';
import type { OutageView } from './uptime.dto';

/** The maximum number of outages in one response. */
const LISTED = 100;

export interface OutageRow {
  started_at: Date;
  ended_at: Date | null;
  error: number;
  error_message: string;
  planned: boolean;
}

export interface OutageStats {
  /** Excludes planned outages. */
  count: number;
  /**
   * Counts only the parts of outages that are inside the range and outside planned time, because a maintenance window
   * may start or end between two checks.
   */
  downtimeSeconds: number;
  /** Up to 100 outages, newest first, including planned ones. */
  newest: OutageView[];
}

@Injectable()
export class OutageReader {
  constructor(private readonly database: Database) {}

  /** Reads outages in a range. `planned` lists the parts of the range in which uptime is not counted. */
  async read(endpointKey: string, range: TimeRange, planned: readonly TimeRange[], now: Date): Promise<OutageStats> {
    const bounds = [endpointKey, new Date(range.from), new Date(range.to)];
    const [totals, rows] = await Promise.all([
      this.database.query<{ count: number; seconds: number }>(TOTALS, [...bounds, now, multirange(planned)]),
      this.database.query<OutageRow>(NEWEST, [...bounds, LISTED]),
    ]);
    return {
      count: totals[0]?.count ?? 0,
      downtimeSeconds: Math.round(totals[0]?.seconds ?? 0),
      newest: rows.map((row) => toOutageView(row, now)),
    };
  }
}

/** Formats time ranges as a PostgreSQL multirange. */
const multirange = (parts: readonly TimeRange[]): string =>
  `{${parts.map(({ from, to }) => `[${new Date(from).toISOString()},${new Date(to).toISOString()})`).join(',')}}`;

/** Returns the API's view of an outage, as of `now`. */
export function toOutageView(row: OutageRow, now: Date): OutageView {
  const code = errorCodeAt(row.error);
  const end = (row.ended_at ?? now).getTime();
  return {
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_seconds: Math.max(Math.round((end - row.started_at.getTime()) / SECOND_MS), 0),
    error: code === null ? null : { code, message: row.error_message },
    planned: row.planned,
  };
}

const OVERLAPPING = `FROM outage
  WHERE endpoint_key = $1 AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2)`;

// Cost: reads each outage in the range once. Subtracts the planned parts from all outages together, not one at a time.
const TOTALS = `
  WITH unplanned AS (
    SELECT greatest(started_at, $2) AS since, least(coalesce(ended_at, $4), $3) AS until ${OVERLAPPING} AND NOT planned
  ),
  down AS (SELECT range_agg(tstzrange(since, greatest(since, until))) AS time, count(*)::integer AS count FROM unplanned)
  SELECT count, coalesce((SELECT sum(extract(epoch FROM upper(part) - lower(part)))
                            FROM unnest(time - $5::tstzmultirange) AS part), 0)::float8 AS seconds
    FROM down`;

const NEWEST = `
  SELECT started_at, ended_at, error, error_message, planned ${OVERLAPPING} ORDER BY started_at DESC LIMIT $4`;
