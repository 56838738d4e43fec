import type { ChannelAudience } from '../../channel/channel';
import { suppressFlapping, planQueue, type PlannedNotification, type DeliveryEnd } from './queue-plan';
import type { DueDelivery, LockedDelivery } from '../send/delivery-queries';
import { isHuman } from '../delivery';
import type { AttemptedDelivery } from '../send/attempt';
import { countsAs, DIGEST_NAMED, type RateLimitDecision } from './rate-limit';

/** A resolve whose trigger is being sent again looks after it this often. */
const WAIT_FOR_TRIGGER_MS = 5000;

/** A message with its rows, ready to leave. */
export interface ReadyQueue {
  message: PlannedNotification;
  rows: readonly LockedDelivery[];
}

/** What the due queues of one destination amount to, in the order in which it matters. */
export interface BatchPlan {
  ready: ReadyQueue[];
  ended: DeliveryEnd[];
  held: { id: string; until: Date }[];
}

/** Plans every queue whose head is due. Queues that changed under our eyes, or have a message in flight, are left alone. */
export function planDestination(
  heads: readonly DueDelivery[],
  rows: readonly LockedDelivery[],
  /** Transitions of the last hour; of alerts that are not listed, few. */
  transitions: ReadonlyMap<string, number>,
  audience: ChannelAudience,
  now: Date,
): BatchPlan {
  const planned: BatchPlan = { ready: [], ended: [], held: [] };
  const queues = queuesOf(rows);
  for (const head of heads) {
    if (head.kind === 'test') planned.ended.push({ id: head.id, state: 'failed', detail: 'interrupted' });
    else if (head.redeliver)
      planRedelivery(
        planned,
        rows.find(({ id }) => id === head.id),
      );
    else planAlert(planned, head, queues.get(head.alertId) ?? [], transitions.get(head.alertId) ?? 0, audience, now);
  }
  return planned;
}

function queuesOf(rows: readonly LockedDelivery[]): Map<string, LockedDelivery[]> {
  const queues = new Map<string, LockedDelivery[]>();
  for (const row of rows) {
    if (row.redeliver) continue;
    const queue = queues.get(row.alertId);
    if (queue) queue.push(row);
    else queues.set(row.alertId, [row]);
  }
  return queues;
}

/** Somebody asked for this very message: it goes as it is, past its queue. */
function planRedelivery({ ready }: BatchPlan, row: LockedDelivery | undefined): void {
  if (!row) return;
  const { id, kind, mayHaveArrived } = row;
  const message: PlannedNotification = {
    kind,
    primary: id,
    merged: null,
    repeat: mayHaveArrived,
    rows: [{ id, state: 'delivered', detail: 'redelivered' }],
  };
  ready.push({ message, rows: [row] });
}

function planAlert(
  planned: BatchPlan,
  head: DueDelivery,
  queue: readonly LockedDelivery[],
  transitions: number,
  audience: ChannelAudience,
  now: Date,
): void {
  if (queue[0]?.id !== head.id || queue.some(({ inFlight }) => inFlight)) return;
  const { ended, message } = planQueue(queue, audience);
  planned.ended.push(...ended);
  if (!message) return hold(planned, queue, new Date(now.getTime() + WAIT_FOR_TRIGGER_MS));
  planned.ready.push({ message: isHuman(audience) ? suppressFlapping(message, transitions) : message, rows: queue });
}

/** The first row that is still in the queue waits, and all behind it. */
function hold({ ended, held }: BatchPlan, queue: readonly LockedDelivery[], until: Date): void {
  const over = new Set(ended.map(({ id }) => id));
  const next = queue.find(({ id }) => !over.has(id));
  if (next) held.push({ id: next.id, until });
}

/** The messages that leave now, as groups of what is told together. */
export function grouped(ready: readonly ReadyQueue[], { singles, digest }: RateLimitDecision): ReadyQueue[][] {
  const alone = ready.slice(0, singles).map((one) => [one]);
  return digest ? [...alone, ready.slice(singles)] : alone;
}

/** What a group says: the rows it tells with their ends, and how a digest counts them. */
export function contents(group: readonly ReadyQueue[], isDigest: boolean) {
  const counts = { triggered: 0, resolved: 0 };
  for (const { message } of group) counts[countsAs(message.kind)]++;
  return {
    messages: group.slice(0, DIGEST_NAMED).map(({ message }) => message),
    repeat: group.some(({ message }) => message.repeat),
    digest: isDigest ? counts : null,
    rows: group.flatMap(({ message, rows }) => shippedRows(message, rows, isDigest)),
  };
}

function shippedRows(
  message: PlannedNotification,
  rows: readonly LockedDelivery[],
  isDigest: boolean,
): AttemptedDelivery[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  return message.rows.flatMap((end) => {
    const row = known.get(end.id);
    if (!row) return [];
    const { rejections, mayHaveArrived, createdAt } = row;
    const told: DeliveryEnd = isDigest && end.state === 'delivered' ? { ...end, detail: 'digest' } : end;
    return [{ end: told, attempts: row.attempts + 1, rejections, mayHaveArrived, createdAt }];
  });
}
