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
import { rowsOf, type RowSource } from '../../platform/database/rows-of';
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
    const rows = checks.map((check, index) => ({ check, detail: details[index] ?? null }));
    const isLocal = checks.every(({ location }) => location === LOCAL);
    await (isLocal ? tx.query(INSERT_LOCAL_CHECKS, LOCAL_CHECKS.of(rows)) : tx.query(INSERT_CHECKS, CHECKS.of(rows)));
  }

  /**
   * Opens and closes the outages in one batch, which may contain several per endpoint. Idempotent. If an outage is
   * still open when the next one starts (the endpoint was edited in between), it ends there. An outage never ends
   * before it starts.
   */
  async outages(tx: Tx, opened: readonly OpenedOutage[], closed: readonly ClosedOutage[]): Promise<void> {
    if (opened.length > 0) {
      await tx.query(OPEN_OUTAGES, OPENED.of(opened));
    }
    const ends: ClosedOutage[] = [
      ...closed,
      ...opened.map((outage) => ({ endpointKey: outage.endpointKey, endedAt: outage.startedAt })),
    ];
    if (ends.length === 0) return;
    await tx.query(CLOSE_OUTAGES, CLOSED.of(ends));
  }

  /** Returns the checks that are not stored. Use it after a transaction that may or may not have been committed. */
  async missing<Check extends Pick<FinishedCheck, 'endpointKey' | 'checkedAt' | 'location'>>(
    tx: Tx,
    checks: readonly Check[],
  ): Promise<Check[]> {
    if (checks.length === 0) return [];
    const stored = await tx.query<{ key: string; at: number; location: number }>(FIND_STORED, MOMENTS.of(checks));
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
    const missing = new Map<string, MissingDetail>();
    checks.forEach(({ endpointKey, checkedAt }, index) => {
      const detail = details[index];
      const day = dayNumber(checkedAt);
      if (!detail || this.details.knows(endpointKey, detail.hash, day)) return;
      const id = `${endpointKey}/${detail.hash}`;
      if ((missing.get(id)?.day ?? -Infinity) < day) missing.set(id, { endpointKey, day, detail });
    });
    if (missing.size === 0) return;
    const rows = [...missing.values()];
    await tx.query(INSERT_DETAILS, DETAILS.of(rows));
    tx.afterCommit(() => {
      for (const { endpointKey, day, detail } of rows) this.details.remember(endpointKey, detail.hash, day);
    });
  }
}

const MOMENTS = rowsOf<Pick<FinishedCheck, 'endpointKey' | 'checkedAt'>>({
  endpoint_key: ['bigint', ({ endpointKey }) => endpointKey],
  checked_at: ['timestamptz', ({ checkedAt }) => checkedAt],
});

interface StoredCheck {
  check: FinishedCheck;
  detail: StoredDetail | null;
}

const phase = (name: keyof FinishedCheck['result']['phases']) => {
  return ({ check }: StoredCheck): number => toMicroseconds(check.result.phases[name]);
};

const LOCAL_CHECKS = rowsOf<StoredCheck>({
  endpoint_key: ['bigint', ({ check }) => check.endpointKey],
  checked_at: ['timestamptz', ({ check }) => check.checkedAt],
  detail_hash: ['bigint', ({ detail }) => detail?.hash ?? NO_DETAIL],
  duration_us: ['int', ({ check }) => toMicroseconds(check.result.durationMs)],
  dns_us: ['int', phase('dnsMs')],
  connect_us: ['int', phase('connectMs')],
  tls_us: ['int', phase('tlsMs')],
  first_byte_us: ['int', phase('firstByteMs')],
  transfer_us: ['int', phase('transferMs')],
  status_code: ['smallint', ({ check }) => Math.min(check.result.statusCode ?? -1, MAX_STATUS)],
  error: ['smallint', ({ check }) => errorIndex(check.result.error?.code)],
  outcome: ['smallint', ({ check }) => outcomeWithMarks(check)],
});

/** PostgreSQL parses each array separately, so a column that is always 0 would add a twelfth to the work. */
const CHECKS = rowsOf<StoredCheck>({
  ...LOCAL_CHECKS.columns,
  location: ['smallint', ({ check }) => check.location],
});

const insertChecks = ({ names, as }: RowSource<StoredCheck>): string => `
  WITH late AS (
    INSERT INTO history_late (endpoint_key, hour_at)
    SELECT DISTINCT endpoint_key, date_trunc('hour', checked_at, 'UTC')
      FROM ${MOMENTS.as('r')}
     WHERE checked_at < date_trunc('hour', now() - interval '1 minute', 'UTC')
  )
  INSERT INTO check_result (${names}) SELECT * FROM ${as('r')}`;
const INSERT_LOCAL_CHECKS = insertChecks(LOCAL_CHECKS);
const INSERT_CHECKS = insertChecks(CHECKS);

// Uses two constants as bounds, so that only partitions for those days are read.
const FIND_STORED = `
  SELECT c.endpoint_key::text AS key, ${epochMs('c.checked_at')} AS at, c.location
    FROM check_result c JOIN ${MOMENTS.as('r')}
      ON c.endpoint_key = r.endpoint_key AND c.checked_at = r.checked_at
   WHERE c.checked_at BETWEEN (SELECT min(at) FROM unnest($2::timestamptz[]) AS t (at))
                          AND (SELECT max(at) FROM unnest($2::timestamptz[]) AS t (at))`;

interface MissingDetail {
  endpointKey: string;
  day: number;
  detail: StoredDetail;
}

const DETAILS = rowsOf<MissingDetail>({
  endpoint_key: ['bigint', ({ endpointKey }) => endpointKey],
  hash: ['bigint', ({ detail }) => detail.hash],
  seen_on: ['date', ({ day }) => dayText(day)],
  body: ['text', ({ detail }) => detail.text],
});

const INSERT_DETAILS = `
  INSERT INTO check_detail (endpoint_key, hash, seen_on, body)
  SELECT endpoint_key, hash, seen_on, body::jsonb
    FROM ${DETAILS.as('d')}
   ORDER BY endpoint_key, hash
  ON CONFLICT (endpoint_key, hash) DO UPDATE SET seen_on = excluded.seen_on
   WHERE check_detail.seen_on < excluded.seen_on`;

const OPENED = rowsOf<OpenedOutage>({
  endpoint_key: ['bigint', ({ endpointKey }) => endpointKey],
  started_at: ['timestamptz', ({ startedAt }) => startedAt],
  error: ['smallint', ({ error }) => errorIndex(error)],
  error_message: ['text', ({ message }) => storableMessage(message)],
  planned: ['boolean', ({ planned }) => planned === true],
});

const OPEN_OUTAGES = `
  INSERT INTO outage (${OPENED.names}) SELECT * FROM ${OPENED.as('r')}
  ON CONFLICT (endpoint_key, started_at) DO NOTHING`;

const CLOSED = rowsOf<ClosedOutage>({
  endpoint_key: ['bigint', ({ endpointKey }) => endpointKey],
  ended_at: ['timestamptz', ({ endedAt }) => endedAt],
  started_at: ['timestamptz', ({ startedAt }) => startedAt],
});

const CLOSE_OUTAGES = `
  UPDATE outage SET ended_at = greatest(ends.ended_at, outage.started_at)
    FROM (SELECT o.endpoint_key, o.started_at, min(e.ended_at) AS ended_at
            FROM ${CLOSED.as('e')}
            JOIN outage o ON o.endpoint_key = e.endpoint_key AND o.ended_at IS NULL
                         AND (o.started_at < e.ended_at OR o.started_at = e.started_at)
           GROUP BY o.endpoint_key, o.started_at) AS ends
   WHERE outage.endpoint_key = ends.endpoint_key AND outage.started_at = ends.started_at`;
