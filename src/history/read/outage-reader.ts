import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { errorCodeAt } from '../check-encoding';
import { SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';
import type { OutageView } from './uptime.dto';

/** Outages listed in one response. */
const LISTED = 100;

interface OutageRow {
  started_at: Date;
  ended_at: Date | null;
  error: number;
  error_message: string;
}

/** The outages that overlap a range. */
export interface OutageStats {
  count: number;
  /** Only the part inside the range. */
  downtimeSeconds: number;
  /** Newest first, at most 100. */
  newest: OutageView[];
}

/** Reads outages of one endpoint. */
@Injectable()
export class OutageReader {
  constructor(private readonly database: Database) {}

  async read(endpointKey: string, range: TimeRange, now: Date): Promise<OutageStats> {
    const bounds = [endpointKey, new Date(range.from), new Date(range.to)];
    const [totals, rows] = await Promise.all([
      this.database.query<{ count: number; seconds: number }>(TOTALS, [...bounds, now]),
      this.database.query<OutageRow>(NEWEST, [...bounds, LISTED]),
    ]);
    return {
      count: totals[0]?.count ?? 0,
      downtimeSeconds: Math.round(totals[0]?.seconds ?? 0),
      newest: rows.map((row) => toOutageView(row, now)),
    };
  }
}

function toOutageView(row: OutageRow, now: Date): OutageView {
  const code = errorCodeAt(row.error);
  const end = (row.ended_at ?? now).getTime();
  return {
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_seconds: Math.max(Math.round((end - row.started_at.getTime()) / SECOND_MS), 0),
    error: code === null ? null : { code, message: row.error_message },
  };
}

const OVERLAPPING = `FROM outage
  WHERE endpoint_key = $1 AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2)`;

const TOTALS = `
  SELECT count(*)::integer AS count,
         coalesce(sum(greatest(extract(epoch FROM least(coalesce(ended_at, $4), $3) - greatest(started_at, $2)), 0)), 0)::float8
           AS seconds
  ${OVERLAPPING}`;

const NEWEST = `SELECT started_at, ended_at, error, error_message ${OVERLAPPING} ORDER BY started_at DESC LIMIT $4`;
