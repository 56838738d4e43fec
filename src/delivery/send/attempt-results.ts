import { Injectable, Logger } from '@nestjs/common';
import type { SendOutcome } from '../../channel/channel';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import type { AttemptedDelivery, DeliveryDetail, DeliveryEnd, DeliveryState } from '../delivery';
import { type AttemptClass, DeliveryMetrics } from '../delivery.metrics';
import { FLAPPING_PAUSE_MS } from '../plan/queue-plan';
import { circuitAfter, type DeliveryUpdate, updateAfter } from '../plan/retry-policy';
import type { Attempt } from './attempt';
import { lockCircuit, saveCircuit } from './destination-queries';

/** A row's new state. It is written only if this instance still has the lease. */
interface RowChange {
  id: string;
  state: string;
  detail: string | null;
  nextAttemptAt: Date | null;
  rejections: number;
  mayHaveArrived: boolean;
  /** True if the alert is flapping. The delivery remains pending and its attempts are counted from zero. */
  kept: boolean;
}

/** The outcome must be written before the lease expires, so this is retried until shortly before then. */
const WRITE_AGAIN_MS = 1000;

/**
 * Writes the outcomes of attempts. Every write contains the lease's token, so an instance that lost its lease changes
 * nothing.
 */
@Injectable()
export class AttemptResults {
  private readonly logger = new Logger(AttemptResults.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Gives the deliveries back as if there had been no attempt. */
  async release(attempt: Attempt): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      await tx.query(
        `UPDATE notification SET lease_token = NULL, lease_until = NULL, attempts = attempts - 1
         WHERE id = ANY ($1::uuid[]) AND lease_token = $2`,
        [attempt.deliveries.map(({ end }) => end.id), attempt.token],
      );
      await saveCircuit(tx, attempt, await lockCircuit(tx, attempt), attempt.host, now);
    });
  }

  /** Drops deliveries whose alert was deleted and left no config, so there is no channel to use. */
  drop(attempt: Attempt): Promise<void> {
    return this.write(attempt, (row) => ({ ...row, state: 'superseded', detail: 'deleted' }), null);
  }

  /** Gives up until the alert has another config. */
  park(attempt: Attempt, reason: string): Promise<void> {
    const outcome: SendOutcome = { result: 'rejected', status: null, error: reason, gone: true };
    return this.write(attempt, (row) => ({ ...row, state: 'failed', detail: 'unsendable' }), outcome);
  }

  /**
   * Writes the outcome of an attempt: the new states of its deliveries, and the destination's circuit breaker. Retries
   * until shortly before the lease expires. If the database remains unavailable, the deliveries are claimed again with
   * an unknown outcome.
   */
  async recordOutcome(attempt: Attempt, outcome: SendOutcome, seconds: number): Promise<void> {
    this.metrics.attempted(attempt.channelType, classOf(outcome), seconds);
    if (attempt.repeat) this.metrics.repeated(attempt.channelType);
    const random = Math.random();
    await this.write(
      attempt,
      (row, delivery, now) => {
        const update = updateAfter({ outcome, audience: attempt.audience, ...delivery, now, random });
        return { ...row, ...changeOf(update, delivery.end, attempt.isTest, now) };
      },
      outcome,
      random,
    );
  }

  private async write(
    attempt: Attempt,
    change: (row: RowChange, delivery: AttemptedDelivery, now: Date) => RowChange,
    outcome: SendOutcome | null,
    random = 0.5,
  ): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const changes = attempt.deliveries.map((delivery) => change(unchanged(delivery), delivery, now));
      try {
        const written = await this.database.transaction(async (tx) => {
          const rows = await saveRows(tx, attempt, changes, outcome, now);
          const circuit = await lockCircuit(tx, attempt);
          const next = outcome ? circuitAfter(circuit, outcome, now, random) : circuit;
          await saveCircuit(tx, attempt, next, attempt.host, now);
          return rows;
        });
        return this.count(attempt, written, now);
      } catch (error) {
        if (this.clock.monotonic() + WRITE_AGAIN_MS > attempt.leaseEndsAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, WRITE_AGAIN_MS));
      }
    }
  }

  private count({ channelType, deliveries, digest }: Attempt, written: readonly WrittenRow[], now: Date): void {
    const lost = deliveries.length - written.length;
    if (lost > 0) this.logger.warn(`the lease of ${lost} deliveries was lost before their outcome was written`);
    if (digest?.incident) this.metrics.folded(channelType, written.filter(({ state }) => state === 'delivered').length);
    for (const { state, detail, createdAt, error } of written) {
      if (state === 'pending') continue;
      if (state === 'delivered')
        this.metrics.delivered(channelType, detail, (now.getTime() - createdAt.getTime()) / 1000);
      else this.metrics.ended(channelType, state, detail);
      if (state === 'failed') this.logger.error(`gave up a ${channelType} delivery (${detail}): ${error}`);
    }
  }
}

type WrittenRow = { state: DeliveryState; detail: DeliveryDetail | null; createdAt: Date; error: string | null };

const unchanged = ({ end, rejections, mayHaveArrived }: AttemptedDelivery): RowChange => ({
  id: end.id,
  state: 'pending',
  detail: null,
  nextAttemptAt: null,
  rejections,
  mayHaveArrived,
  kept: false,
});

function changeOf(update: DeliveryUpdate, end: DeliveryEnd, isTest: boolean, now: Date): Partial<RowChange> {
  switch (update.state) {
    case 'delivered':
      return end.state === 'pending' ? kept(now) : { state: end.state, detail: end.detail };
    case 'pending':
      return isTest ? { state: 'failed', detail: 'not_retried' } : update;
    case 'failed':
      return update;
    default:
      return update satisfies never;
  }
}

/** People were notified that the alert is flapping. They are notified of its state after the pause. */
const kept = (now: Date): Partial<RowChange> => ({
  nextAttemptAt: new Date(now.getTime() + FLAPPING_PAUSE_MS),
  rejections: 0,
  kept: true,
});

function classOf(outcome: SendOutcome): AttemptClass {
  return outcome.result === 'retry' && outcome.mayHaveArrived ? 'unknown' : outcome.result;
}

/**
 * A delivery whose alert was disabled or deleted during the attempt isn't retried. A redelivery keeps its mark until it
 * is delivered.
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
       detail = CASE WHEN c.kept AND f.state = 'pending' THEN 'flapping' WHEN f.state = 'pending' THEN n.detail ELSE COALESCE(c.detail, f.canceled) END,
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
         CASE WHEN c.state = 'pending' THEN o.detail END AS canceled
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
