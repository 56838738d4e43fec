import { Injectable, Logger } from '@nestjs/common';
import type { Notification, SendOutcome } from '../../channel/channel';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { circuitAfter, type DeliveryUpdate, updateAfter } from '../plan/retry-policy';
import { type AttemptClass, DeliveryMetrics } from '../delivery.metrics';
import { FLAPPING_PAUSE_MS, type DeliveryEnd } from '../plan/queue-plan';
import { lockCircuit, saveCircuit } from './destination-queries';
import type { Attempt } from './attempt';
import { attemptNotification, type StoredNotification } from './attempt-notification';
import type { SealedConfig } from '../sealed-config';

/** What a shipment needs to be sent, read just before. */
export interface AttemptContent {
  notice: Notification;
  /** The alert the config belongs to. */
  alertId: string;
  /** As the alert holds it now, unless a snapshot was pinned. */
  config: SealedConfig;
  isDefaultOrg: boolean;
  /** True when the alert is gone and left no snapshot: there is no way to tell it any more. */
  orphaned: boolean;
}

/** What a row becomes; written only where the lease is still ours. */
interface RowChange {
  id: string;
  state: string;
  detail: string | null;
  nextAttemptAt: Date | null;
  rejections: number;
  mayHaveArrived: boolean;
  /** Told of in passing: it waits for its own turn with all its attempts. */
  kept: boolean;
}

/** The outcome must be written before the lease ends; the last attempts at it come shortly before. */
const WRITE_AGAIN_MS = 1000;

/** What became of shipments. Every write names the lease's token: an instance that lost its lease changes nothing. */
@Injectable()
export class AttemptResults {
  private readonly logger = new Logger(AttemptResults.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** `null` when the lease is lost or the rows are gone. */
  async read(shipment: Attempt): Promise<AttemptContent | null> {
    const ids = shipment.messages.flatMap(({ primary: carrier, merged: companion }) =>
      companion === null ? [carrier] : [carrier, companion],
    );
    const rows = await this.database.query<StoredNotification & ContentRow>(
      `SELECT n.id, n.notice, n.alert_id AS "alertId", COALESCE(o.is_default, false) AS "isDefaultOrg",
         COALESCE(n.config, CASE WHEN a.type = n.channel_type THEN a.config END) AS config,
         e.created_at AS "endedAt", e.duration_seconds AS "endedAfterSeconds"
       FROM notification n
       LEFT JOIN organization o ON o.id = n.org_id
       LEFT JOIN alert a ON a.id = n.alert_id
       LEFT JOIN alert_event e
         ON n.kind = 'triggered' AND e.alert_id = n.alert_id AND e.incident_no = n.incident_no AND e.type = 'resolved'
       WHERE n.id = ANY ($1::uuid[]) AND n.lease_token = $2`,
      [ids, shipment.token],
    );
    const notice = attemptNotification(shipment, new Map(rows.map((row) => [row.id, row])));
    const carriers = new Set(shipment.messages.map(({ primary: carrier }) => carrier));
    const carrier = rows.find(({ id, config }) => carriers.has(id) && config !== null) ?? rows[0];
    if (!notice || !carrier) return null;
    const { alertId, config, isDefaultOrg } = carrier;
    return { notice, alertId, config: config ?? { sealed: '' }, isDefaultOrg, orphaned: config === null };
  }

  /** Gives the rows back untried. */
  async release(shipment: Attempt): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      await tx.query(
        `UPDATE notification SET lease_token = NULL, lease_until = NULL, attempts = attempts - 1
         WHERE id = ANY ($1::uuid[]) AND lease_token = $2`,
        [shipment.rows.map(({ end }) => end.id), shipment.token],
      );
      await saveCircuit(tx, shipment, await lockCircuit(tx, shipment), shipment.host, now);
    });
  }

  /** There is nobody left to tell it by. */
  drop(shipment: Attempt): Promise<void> {
    return this.write(shipment, (row) => ({ ...row, state: 'superseded', detail: 'deleted' }), null);
  }

  /** Given up until somebody corrects the alert. */
  park(shipment: Attempt, reason: string): Promise<void> {
    const outcome: SendOutcome = { result: 'rejected', status: null, error: reason, gone: true };
    return this.write(shipment, (row) => ({ ...row, state: 'failed', detail: 'unsendable' }), outcome);
  }

  /**
   * Writes the outcome of an attempt: the rows' fate, the destination's circuit. Tried until shortly before the lease
   * ends; if the database stays away the rows are taken up again as of unknown outcome.
   */
  async recordOutcome(shipment: Attempt, outcome: SendOutcome, seconds: number): Promise<void> {
    this.metrics.attempted(shipment.channelType, classOf(outcome), seconds);
    if (shipment.repeat) this.metrics.repeated(shipment.channelType);
    const random = Math.random();
    await this.write(
      shipment,
      (row, shipped, now) => {
        const verdict = updateAfter({ outcome, audience: shipment.audience, ...shipped, now, random });
        return { ...row, ...changeOf(verdict, shipped.end, shipment.isTest, now) };
      },
      outcome,
      random,
    );
  }

  private async write(
    shipment: Attempt,
    change: (row: RowChange, shipped: Attempt['rows'][number], now: Date) => RowChange,
    outcome: SendOutcome | null,
    random = 0.5,
  ): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const changes = shipment.rows.map((shipped) => change(unchanged(shipped), shipped, now));
      try {
        const written = await this.database.transaction(async (tx) => {
          const rows = await saveRows(tx, shipment, changes, outcome, now);
          const circuit = await lockCircuit(tx, shipment);
          const next = outcome ? circuitAfter(circuit, outcome, now, random) : circuit;
          await saveCircuit(tx, shipment, next, shipment.host, now);
          return rows;
        });
        return this.count(shipment, written, now);
      } catch (error) {
        if (this.clock.monotonic() + WRITE_AGAIN_MS > shipment.leaseEndsAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, WRITE_AGAIN_MS));
      }
    }
  }

  private count(shipment: Attempt, written: readonly WrittenRow[], now: Date): void {
    if (written.length < shipment.rows.length)
      this.logger.warn(`the lease of ${shipment.rows.length - written.length} messages was lost before their outcome`);
    for (const { state, detail, createdAt, error } of written) {
      if (state === 'pending') continue;
      if (state === 'delivered')
        this.metrics.delivered(shipment.channelType, detail, (now.getTime() - createdAt.getTime()) / 1000);
      else this.metrics.ended(shipment.channelType, state, detail);
      if (state === 'failed') this.logger.error(`gave up a ${shipment.channelType} message (${detail}): ${error}`);
    }
  }
}

type ContentRow = { id: string; alertId: string; isDefaultOrg: boolean; config: SealedConfig | null };
type WrittenRow = { state: string; detail: string | null; createdAt: Date; error: string | null };

const unchanged = ({ end, rejections, mayHaveArrived }: Attempt['rows'][number]): RowChange => ({
  id: end.id,
  state: 'pending',
  detail: null,
  nextAttemptAt: null,
  rejections,
  mayHaveArrived,
  kept: false,
});

function changeOf(verdict: DeliveryUpdate, end: DeliveryEnd, isTest: boolean, now: Date): Partial<RowChange> {
  switch (verdict.state) {
    case 'delivered':
      return end.state === 'pending' ? kept(now) : { state: end.state, detail: end.detail };
    case 'pending':
      return isTest ? { state: 'failed', detail: 'not_retried' } : verdict;
    case 'failed':
      return verdict;
    default:
      return verdict satisfies never;
  }
}

/** Its alert is flapping: people were told so, and hear how it is when the pause is over. */
const kept = (now: Date): Partial<RowChange> => ({
  nextAttemptAt: new Date(now.getTime() + FLAPPING_PAUSE_MS),
  rejections: 0,
  kept: true,
});

function classOf(outcome: SendOutcome): AttemptClass {
  return outcome.result === 'retry' && outcome.mayHaveArrived ? 'unknown' : outcome.result;
}

/**
 * A row whose alert was disabled or deleted while it was in flight is not tried again. One that somebody asked for
 * again keeps that mark until it is told.
 */
function saveRows(
  tx: Tx,
  { token }: Attempt,
  changes: readonly RowChange[],
  outcome: SendOutcome | null,
  now: Date,
): Promise<WrittenRow[]> {
  const error = outcome === null ? null : outcome.result === 'delivered' ? (outcome.warning ?? null) : outcome.error;
  return tx.query<WrittenRow>(
    `UPDATE notification n
     SET state = f.state,
       detail = CASE WHEN c.kept AND f.state = 'pending' THEN 'flapping' WHEN f.state = 'pending' THEN n.detail ELSE COALESCE(c.detail, f.cancelled) END,
       next_attempt_at = COALESCE(c.next_attempt_at, n.next_attempt_at),
       rejections = c.rejections, may_have_arrived = c.may_have_arrived,
       attempts = CASE WHEN c.kept THEN 0 ELSE n.attempts END, response_status = $8, error = $9,
       lease_token = NULL, lease_until = NULL,
       finished_at = CASE WHEN f.state <> 'pending' THEN $10::timestamptz END,
       config = CASE WHEN f.state IN ('pending', 'failed') THEN n.config END
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::int[], $7::boolean[], $11::boolean[])
       AS c (id, state, detail, next_attempt_at, rejections, may_have_arrived, kept)
     JOIN notification o ON o.id = c.id
     CROSS JOIN LATERAL (
       SELECT CASE WHEN c.state = 'pending' AND o.detail IN ('disabled', 'deleted') AND NOT c.may_have_arrived
         THEN 'superseded' ELSE c.state END AS state,
         CASE WHEN c.state = 'pending' THEN o.detail END AS cancelled
     ) f
     WHERE n.id = c.id AND n.lease_token = $1
     RETURNING n.state, n.detail, n.created_at AS "createdAt", n.error`,
    [
      token,
      changes.map(({ id }) => id),
      changes.map(({ state }) => state),
      changes.map(({ detail }) => detail),
      changes.map(({ nextAttemptAt }) => nextAttemptAt),
      changes.map(({ rejections }) => rejections),
      changes.map(({ mayHaveArrived }) => mayHaveArrived),
      outcome?.status ?? null,
      error,
      now,
      changes.map(({ kept }) => kept),
    ],
  );
}
