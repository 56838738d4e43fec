import { Injectable } from '@nestjs/common';
import type { CheckError, Outcome } from '../../checker/checker';
import { Database } from '../../platform/database/database';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import {
  CONFIRMED,
  countedOf,
  errorCodeAt,
  OWN_CODE,
  OWN_DEGRADED,
  ownOf,
  PLANNED,
  toMilliseconds,
} from '../check-encoding';
import type { CheckDetail } from '../write/check-detail';
import type { ShownCheck } from './check.dto';
import { StatsReader } from './stats-reader';
import { DAY_MS, floorTo } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/** A row from check_result with its detail. */
interface CheckRow {
  checked_at: Date;
  duration_us: number;
  dns_us: number;
  connect_us: number;
  tls_us: number;
  first_byte_us: number;
  transfer_us: number;
  status_code: number;
  error: number;
  outcome: number;
  location: number;
  detail: CheckDetail | null;
}

/** A position in an endpoint's list of checks. Several locations may run a check in the same millisecond. */
export interface CheckPosition {
  at: number;
  location: number;
}

/** Selects an endpoint's checks: newest first, at most `limit`. */
export interface CheckSelection extends TimeRange {
  /** Limits the result to checks after this position. */
  after: CheckPosition | null;
  /** The location's own result, planned or not. In these four fields, `null` means no filter. */
  outcome: Outcome | null;
  planned: boolean | null;
  degraded: boolean | null;
  location: number | null;
  limit: number;
}

/**
 * Groups days (given as their first millisecond, newest first) into spans of 1, 2, 4, 8 … days. If the checks are on
 * the newest day, as is usual, this takes one small read. If matching checks are rare, it takes few reads.
 */
export function growingSpans(days: readonly number[]): TimeRange[] {
  const spans: TimeRange[] = [];
  for (let start = 0, size = 1; start < days.length; start += size, size *= 2) {
    const group = days.slice(start, start + size);
    spans.push({ from: group.at(-1) ?? 0, to: (group[0] ?? 0) + DAY_MS });
  }
  return spans;
}

/** Reads individual checks. Uses the daily stats to skip days without a matching check. */
@Injectable()
export class CheckReader {
  constructor(
    private readonly database: Database,
    private readonly stats: StatsReader,
  ) {}

  /** Reads checks. `key` is the endpoint's internal number, which identifies it in the history tables. */
  async read(endpoint: { id: string; key: string }, selection: CheckSelection): Promise<ShownCheck[]> {
    const endpointKey = endpoint.key;
    const rows: CheckRow[] = [];
    for (const span of growingSpans(await this.daysWith(endpointKey, selection))) {
      if (rows.length >= selection.limit) break;
      const found = await this.database.query<CheckRow>(READ_CHECKS, [
        endpointKey,
        new Date(Math.max(span.from, selection.from)),
        new Date(Math.min(span.to, selection.to)),
        ...marksOf(selection),
        selection.limit - rows.length,
        selection.location,
        new Date(selection.after?.at ?? selection.to),
        selection.after?.location ?? 0,
      ]);
      rows.push(...found);
    }
    return rows.map((row) => decoded(row, endpoint.id));
  }

  /**
   * Returns the days that have a matching check according to their daily stats, plus all days without stats yet, newest
   * first.
   */
  private async daysWith(endpointKey: string, selection: CheckSelection): Promise<number[]> {
    const first = floorTo(selection.from, DAY_MS);
    const { days: builtUntil } = await this.stats.builtUntil();
    const days: number[] = [];
    for (let day = floorTo(selection.to - 1, DAY_MS); day >= Math.max(builtUntil, first); day -= DAY_MS) days.push(day);
    const built = await this.database.query<{ start_at: Date }>(DAYS_WITH_CHECKS, [
      endpointKey,
      new Date(first),
      new Date(Math.min(selection.to, builtUntil)),
      ...marksOf(selection),
    ]);
    return [...days, ...built.map((row) => row.start_at.getTime())];
  }
}

/** Returns the parameters $4 to $6, which both statements use. */
const marksOf = ({ outcome, planned, degraded }: CheckSelection): unknown[] => [
  outcome === null ? null : OUTCOME_CODE[outcome],
  planned,
  degraded,
];

const NOT_KEPT = { phase: 'internal', message: 'The details of this check have been deleted.' } as const;
const WARNING_NOT_KEPT: CheckError = { code: 'internal', ...NOT_KEPT };

function decoded(row: CheckRow, endpointId: string): ShownCheck {
  const detail = row.detail ?? {};
  const own = ownOf(row.outcome);
  const code = errorCodeAt(row.error);
  return {
    endpointId,
    location: row.location,
    counted: countedOf(row.outcome),
    checkedAt: row.checked_at,
    result: {
      outcome: own.outcome,
      durationMs: toMilliseconds(row.duration_us),
      phases: {
        dnsMs: toMilliseconds(row.dns_us),
        connectMs: toMilliseconds(row.connect_us),
        tlsMs: toMilliseconds(row.tls_us),
        firstByteMs: toMilliseconds(row.first_byte_us),
        transferMs: toMilliseconds(row.transfer_us),
      },
      statusCode: row.status_code < 0 ? null : row.status_code,
      address: detail.address ?? null,
      certificate: detail.certificate ?? null,
      records: detail.records ?? null,
      redirects: detail.redirects ?? [],
      error: code === null ? null : { code, ...(detail.error ?? NOT_KEPT) },
      warning: own.degraded ? (detail.warning ?? WARNING_NOT_KEPT) : null,
    },
    planned: (row.outcome & PLANNED) !== 0,
    attempts: (row.outcome & CONFIRMED) === 0 ? 1 : 2,
    firstError: detail.firstError ?? null,
  };
}

/**
 * The stats of a day contain neither the results of planned checks nor individual locations' results. Days with planned
 * checks are therefore always read, unless planned checks are excluded. So are days with several locations.
 */
const DAYS_WITH_CHECKS = `
  SELECT start_at FROM check_day
   WHERE endpoint_key = $1 AND start_at >= $2 AND start_at < $3
     AND (planned > 0 AND $5::boolean IS NOT FALSE
          OR $5 IS NOT TRUE
             AND CASE $4::integer WHEN ${OUTCOME_CODE.down} THEN down WHEN ${OUTCOME_CODE.unknown} THEN unknown
                                  WHEN ${OUTCOME_CODE.up} THEN up ELSE up + down + unknown END > 0
             AND ($6::boolean IS NOT TRUE OR degraded > 0)
          OR start_at IN (SELECT date_trunc('day', h.start_at, 'UTC') FROM location_hour h
                           WHERE h.endpoint_key = $1 AND h.start_at >= $2 AND h.start_at < $3))
   ORDER BY start_at DESC`;

/** Joins the details after applying LIMIT, so only for the checks that are returned. */
const READ_CHECKS = `
  SELECT r.*, d.body AS detail
    FROM (SELECT * FROM check_result
           WHERE endpoint_key = $1 AND checked_at >= $2 AND checked_at < $3
             AND ($4::integer IS NULL OR ${OWN_CODE} = $4)
             AND ($5::boolean IS NULL OR (outcome & ${PLANNED} <> 0) = $5)
             AND ($6::boolean IS NULL OR (${OWN_DEGRADED} <> 0) = $6)
             AND ($8::smallint IS NULL OR location = $8)
             AND (checked_at, location) < ($9::timestamptz, $10::smallint)
           ORDER BY checked_at DESC, location DESC LIMIT $7) AS r
    LEFT JOIN check_detail d ON d.endpoint_key = r.endpoint_key AND d.hash = r.detail_hash
   ORDER BY r.checked_at DESC, r.location DESC`;
