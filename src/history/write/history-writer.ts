import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '../../checker/checker';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import type { Tx } from '../../platform/database/database';
import { errorIndex, outcomeWithMarks, toMicroseconds } from '../check-encoding';
import { NO_DETAIL, type StoredDetail, storedDetail, DetailCache } from './check-detail';
import { checkId } from '../check-id';
import { Partitions } from './partitions';
import { type FinishedCheck, LOCAL } from '../../engine/finished-check';
import { storableMessage } from '../../platform/database/postgres-text';
import { epochMs } from '../../platform/database/epoch-ms';
import { dayNumber, dayText } from '../../platform/time/time-units';

/**
 * An outage to open: an endpoint changed from up (or no known outcome yet) to down, or its outage became planned or
 * unplanned.
 */
export interface OpenedOutage {
  endpointKey: string;
  /** The start of the first failed check. */
  startedAt: Date;
  /**
   * True if a maintenance window that is excluded from uptime covers all of its checks. If false, no check is covered.
   */
  planned?: boolean;
  error: ErrorCode;
  message: string;
}

/** An outage to close: the endpoint is up, or the outage changed between planned and unplanned. */
export interface ClosedOutage {
  endpointKey: string;
  /** The start of the first check after the outage. */
  endedAt: Date;
  /**
   * The start of the down streak that ended. Identifies the outage to close even if the clock was set back in the
   * meantime.
   */
  startedAt?: Date;
}

const MAX_STATUS = 32_767;

/**
 * Formats an array parameter as PostgreSQL text. Use it only for numbers and times, which need no quoting. Much cheaper
 * than pg's own conversion.
 */
const list = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;

/**
 * Writes individual checks and outages. Nothing else writes them. It runs inside the transaction that records them, or
 * later if history could not be written then (`HistoryBacklog`), with one statement per batch. If a check belongs to an
 * hour that is closed or about to be closed, the statement also inserts that hour into history_late, so that the rollup
 * rebuilds it. Like the rollup, it uses the database's clock to detect late checks.
 */
@Injectable()
export class HistoryWriter {
  private readonly details = new DetailCache();

  constructor(
    private readonly partitions: Partitions,
    private readonly secrets: ServerSecrets,
  ) {}

  /** Stores a batch. Call this once per check, because no unique key prevents duplicates. */
  async write(tx: Tx, checks: readonly FinishedCheck[]): Promise<void> {
    if (checks.length === 0) return;
    await this.partitions.ensure(
      tx,
      checks.map((check) => dayNumber(check.checkedAt)),
    );
    const details = checks.map(storedDetail);
    await this.writeDetails(tx, checks, details);
    const isLocal = checks.every(({ location }) => location === LOCAL);
    const locations = isLocal ? [] : [list(checks.map(({ location }) => location))];
    await tx.query(isLocal ? INSERT_LOCAL_CHECKS : INSERT_CHECKS, [...columnsOf(checks, details), ...locations]);
  }

  /**
   * Opens and closes the outages in one batch, which may contain several per endpoint. Idempotent. If an outage is
   * still open when the next one starts (the endpoint was edited in between), it ends there. An outage never ends
   * before it starts.
   */
  async outages(tx: Tx, opened: readonly OpenedOutage[], closed: readonly ClosedOutage[]): Promise<void> {
    if (opened.length > 0) {
      await tx.query(OPEN_OUTAGES, [
        list(opened.map((outage) => outage.endpointKey)),
        list(opened.map((outage) => outage.startedAt.toISOString())),
        list(opened.map((outage) => errorIndex(outage.error))),
        opened.map((outage) => storableMessage(outage.message)),
        list(opened.map((outage) => String(outage.planned === true))),
      ]);
    }
    const ends: ClosedOutage[] = [
      ...closed,
      ...opened.map((outage) => ({ endpointKey: outage.endpointKey, endedAt: outage.startedAt })),
    ];
    if (ends.length === 0) return;
    await tx.query(CLOSE_OUTAGES, [
      list(ends.map((end) => end.endpointKey)),
      list(ends.map((end) => end.endedAt.toISOString())),
      list(ends.map((end) => end.startedAt?.toISOString() ?? 'NULL')),
    ]);
  }

  /** Returns the checks that are not stored. Use it after a transaction that may or may not have been committed. */
  async missing<Check extends Pick<FinishedCheck, 'endpointKey' | 'checkedAt' | 'location'>>(
    tx: Tx,
    checks: readonly Check[],
  ): Promise<Check[]> {
    if (checks.length === 0) return [];
    const stored = await tx.query<{ key: string; at: number; location: number }>(FIND_STORED, [
      list(checks.map((check) => check.endpointKey)),
      list(checks.map((check) => check.checkedAt.toISOString())),
    ]);
    const known = new Set(stored.map(({ key, at, location }) => `${key}/${at}/${location}`));
    return checks.filter((one) => !known.has(`${one.endpointKey}/${one.checkedAt.getTime()}/${one.location}`));
  }

  /** Returns a check's public ID, e.g. for the response to "check now". */
  checkId({ endpointKey, checkedAt, location }: Pick<FinishedCheck, 'endpointKey' | 'checkedAt' | 'location'>): string {
    return checkId(this.secrets.get('check_id'), endpointKey, checkedAt, location);
  }

  /**
   * Usually writes nothing. Also marks a detail as seen once a day, so that it is kept as long as the checks that use
   * it.
   */
  private async writeDetails(
    tx: Tx,
    checks: readonly FinishedCheck[],
    details: readonly (StoredDetail | null)[],
  ): Promise<void> {
    const missing = new Map<string, { endpointKey: string; day: number; detail: StoredDetail }>();
    checks.forEach(({ endpointKey, checkedAt }, index) => {
      const detail = details[index];
      const day = dayNumber(checkedAt);
      if (!detail || this.details.knows(endpointKey, detail.hash, day)) return;
      const id = `${endpointKey}/${detail.hash}`;
      if ((missing.get(id)?.day ?? -Infinity) < day) missing.set(id, { endpointKey, day, detail });
    });
    if (missing.size === 0) return;
    const rows = [...missing.values()];
    await tx.query(INSERT_DETAILS, [
      list(rows.map((row) => row.endpointKey)),
      list(rows.map((row) => row.detail.hash)),
      list(rows.map((row) => dayText(row.day))),
      rows.map((row) => row.detail.text),
    ]);
    tx.afterCommit(() => {
      for (const { endpointKey, day, detail } of rows) this.details.remember(endpointKey, detail.hash, day);
    });
  }
}

/** Returns one array per check_result column, in the order of the columns in INSERT_LOCAL_CHECKS. */
function columnsOf(checks: readonly FinishedCheck[], details: readonly (StoredDetail | null)[]): string[] {
  const column = (value: (check: FinishedCheck, index: number) => string | number): string => list(checks.map(value));
  return [
    column((check) => check.endpointKey),
    column((check) => check.checkedAt.toISOString()),
    column((_, index) => details[index]?.hash ?? NO_DETAIL),
    column((check) => toMicroseconds(check.result.durationMs)),
    column((check) => toMicroseconds(check.result.phases.dnsMs)),
    column((check) => toMicroseconds(check.result.phases.connectMs)),
    column((check) => toMicroseconds(check.result.phases.tlsMs)),
    column((check) => toMicroseconds(check.result.phases.firstByteMs)),
    column((check) => toMicroseconds(check.result.phases.transferMs)),
    column((check) => Math.min(check.result.statusCode ?? -1, MAX_STATUS)),
    column((check) => errorIndex(check.result.error?.code)),
    column(outcomeWithMarks),
  ];
}

/** PostgreSQL parses each array separately, so a column that is always 0 would add a twelfth to the work. */
const insertChecks = (column: '' | ', location', array: '' | ', $13::smallint[]'): string => `
  WITH late AS (
    INSERT INTO history_late (endpoint_key, hour_at)
    SELECT DISTINCT endpoint_key, date_trunc('hour', checked_at, 'UTC')
      FROM unnest($1::bigint[], $2::timestamptz[]) AS r (endpoint_key, checked_at)
     WHERE checked_at < date_trunc('hour', now() - interval '1 minute', 'UTC')
  )
  INSERT INTO check_result (endpoint_key, checked_at, detail_hash, duration_us, dns_us, connect_us, tls_us,
                            first_byte_us, transfer_us, status_code, error, outcome${column})
  SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[],
                       $7::integer[], $8::integer[], $9::integer[], $10::smallint[], $11::smallint[], $12::smallint[]${array})`;
const INSERT_LOCAL_CHECKS = insertChecks('', '');
const INSERT_CHECKS = insertChecks(', location', ', $13::smallint[]');

// Uses two constants as bounds, so that only partitions for those days are read.
const FIND_STORED = `
  SELECT c.endpoint_key::text AS key, ${epochMs('c.checked_at')} AS at, c.location
    FROM check_result c JOIN unnest($1::bigint[], $2::timestamptz[]) AS r (endpoint_key, checked_at)
      ON c.endpoint_key = r.endpoint_key AND c.checked_at = r.checked_at
   WHERE c.checked_at BETWEEN (SELECT min(at) FROM unnest($2::timestamptz[]) AS t (at))
                          AND (SELECT max(at) FROM unnest($2::timestamptz[]) AS t (at))`;

const INSERT_DETAILS = `
  INSERT INTO check_detail (endpoint_key, hash, seen_on, body)
  SELECT endpoint_key, hash, seen_on, body::jsonb
    FROM unnest($1::bigint[], $2::bigint[], $3::date[], $4::text[]) AS d (endpoint_key, hash, seen_on, body)
   ORDER BY endpoint_key, hash
  ON CONFLICT (endpoint_key, hash) DO UPDATE SET seen_on = excluded.seen_on
   WHERE check_detail.seen_on < excluded.seen_on`;

const OPEN_OUTAGES = `
  INSERT INTO outage (endpoint_key, started_at, error, error_message, planned)
  SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[], $4::text[], $5::boolean[])
  ON CONFLICT (endpoint_key, started_at) DO NOTHING`;

const CLOSE_OUTAGES = `
  UPDATE outage SET ended_at = greatest(ends.ended_at, outage.started_at)
    FROM (SELECT o.endpoint_key, o.started_at, min(e.ended_at) AS ended_at
            FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS e (endpoint_key, ended_at, started_at)
            JOIN outage o ON o.endpoint_key = e.endpoint_key AND o.ended_at IS NULL
                         AND (o.started_at < e.ended_at OR o.started_at = e.started_at)
           GROUP BY o.endpoint_key, o.started_at) AS ends
   WHERE outage.endpoint_key = ends.endpoint_key AND outage.started_at = ends.started_at`;
