import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../channel/channel.registry';
import { WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { Metrics } from '../platform/observability/metrics';
import { DELIVERY_DETAILS, DELIVERY_STATES, type DeliveryDetail, type DeliveryState, DETAILS_OF } from './delivery';

/** The result of an attempt. `unknown` means that there was no response, and the message may have arrived. */
const ATTEMPT_CLASSES = ['delivered', 'retry', 'rejected', 'unknown'] as const;
export type AttemptClass = (typeof ATTEMPT_CLASSES)[number];

/** The detail for a message that was delivered normally. */
const NO_DETAIL = '';

const isEnd = ({ state, detail }: { state: DeliveryState; detail: DeliveryDetail | typeof NO_DETAIL }): boolean =>
  detail === NO_DETAIL
    ? state === 'delivered'
    : state !== 'pending' && (DETAILS_OF[state] as readonly string[]).includes(detail);

/** Delivery metrics. Labels contain channel types, never an organization or a destination. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts;
  private readonly ends;
  private readonly repeats;
  private readonly folds;
  private readonly seconds;
  private readonly delay;
  private readonly bugs;

  constructor(metrics: Metrics, database: WorkerDatabase, clock: DatabaseClock, channels: ChannelRegistry) {
    const channel = (): readonly string[] => channels.types();
    this.attempts = metrics.labelledCounter({
      name: 'uptime_delivery_attempts_total',
      help: 'Messages sent to providers, by channel and class of outcome.',
      values: { channel, class: ATTEMPT_CLASSES },
    });
    this.ends = metrics.labelledCounter({
      name: 'uptime_deliveries_finished_total',
      help: 'Deliveries that reached a final state, by channel, state, and detail.',
      values: { channel, state: DELIVERY_STATES, detail: [NO_DETAIL, ...DELIVERY_DETAILS] },
      only: isEnd,
    });
    this.repeats = metrics.labelledCounter({
      name: 'uptime_delivery_repeats_total',
      help: 'Messages that were sent again although an earlier attempt may have arrived.',
      values: { channel },
    });
    this.folds = metrics.labelledCounter({
      name: 'uptime_deliveries_folded_total',
      help: 'Deliveries that were sent in one message with others of their incident.',
      values: { channel },
    });
    this.seconds = metrics.histogram({
      name: 'uptime_delivery_attempt_seconds',
      help: 'Duration of one attempt to send a message to a provider, in seconds.',
      labelNames: ['channel'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    });
    this.delay = metrics.histogram({
      name: 'uptime_delivery_delay_seconds',
      help: 'Time from the transition of an alert to the end of the attempt that delivered it, in seconds.',
      labelNames: ['channel'],
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600, 86_400],
    });
    this.bugs = metrics.labelledCounter({
      name: 'uptime_channel_bugs_total',
      help: 'Attempts in which the channel threw an error, did not end, or returned no outcome.',
      values: { channel },
    });
    this.pending(metrics, database, clock);
  }

  attempted(channel: string, attemptClass: AttemptClass, seconds: number): void {
    this.attempts.inc({ channel, class: attemptClass });
    this.seconds.observe({ channel }, seconds);
  }

  bug(channel: string): void {
    this.bugs.inc({ channel });
  }

  repeated(channel: string): void {
    this.repeats.inc({ channel });
  }

  folded(channel: string, count: number): void {
    this.folds.inc({ channel }, count);
  }

  delivered(channel: string, detail: DeliveryDetail | null, delaySeconds: number): void {
    this.ends.inc({ channel, state: 'delivered', detail: detail ?? NO_DETAIL });
    this.delay.observe({ channel }, Math.max(0, delaySeconds));
  }

  ended(channel: string, state: DeliveryState, detail: DeliveryDetail | null, count = 1): void {
    this.ends.inc({ channel, state, detail: detail ?? NO_DETAIL }, count);
  }

  /** Reads the index of pending deliveries at each scrape. */
  private pending(metrics: Metrics, database: WorkerDatabase, clock: DatabaseClock): void {
    metrics.gauge({
      name: 'uptime_deliveries_pending',
      help: 'Deliveries that are still pending.',
      async collect() {
        const pending = await readPending(database);
        if (pending) this.set(pending.count);
      },
    });
    metrics.gauge({
      name: 'uptime_delivery_oldest_pending_seconds',
      help: 'Age of the oldest pending delivery in seconds. 0 if none is pending.',
      async collect() {
        const pending = await readPending(database);
        if (pending)
          this.set(pending.oldest ? Math.max(0, clock.now().getTime() - pending.oldest.getTime()) / 1000 : 0);
      },
    });
  }
}

/** Returns `undefined` while the database is unavailable, so that the other metrics remain available. */
async function readPending(database: WorkerDatabase): Promise<{ count: number; oldest: Date | null } | undefined> {
  const rows = await database
    .query<{ count: number; oldest: Date | null }>(
      `SELECT count(*)::int AS count, min(created_at) AS oldest FROM notification WHERE state = 'pending'`,
    )
    .catch(() => []);
  return rows[0];
}
