import { grouped } from '../../platform/text/grouped';
import {
  type AttemptedDelivery,
  type AttemptPart,
  type DeliveryEnd,
  type DueDelivery,
  isHuman,
  type LockedDelivery,
} from '../delivery';
import { NOT_FOR_PAGERS } from '../receives-kind';
import { countsOf, DIGEST_NAMED, type DigestCounts } from './digest';
import { type PlannedNotification, planQueue, type Receiver, suppressFlapping } from './queue-plan';
import type { RateLimitDecision } from './rate-limit';

/** How often a resolve is checked while its trigger is being sent again. */
const WAIT_FOR_TRIGGER_MS = 5000;

/** A notification that may be sent now, with the deliveries in its queue. */
export interface ReadyQueue {
  notification: PlannedNotification;
  deliveries: readonly LockedDelivery[];
}

/** The deliveries that one message combines. `fold` describes their incident, or is `null` for a plain message. */
export interface ReadyGroup {
  queues: readonly ReadyQueue[];
  fold: NonNullable<DigestCounts['incident']> | null;
}

/** The plan for a destination's due queues. `ready` is sorted by importance, most important first. */
export interface BatchPlan {
  ready: ReadyQueue[];
  ended: DeliveryEnd[];
  postponed: { id: string; until: Date }[];
}

/** The contents of one attempt: the parts of its notification, and the deliveries that it covers. */
export interface AttemptContents {
  parts: readonly AttemptPart[];
  /** True if any part may already have been delivered. */
  repeat: boolean;
  /** How many deliveries of each kind a digest or a fold covers. */
  digest: DigestCounts | null;
  deliveries: readonly AttemptedDelivery[];
}

/** Plans every queue whose head is due. Skips queues that have since changed or have a delivery in flight. */
export function planDestination(
  heads: readonly DueDelivery[],
  pending: readonly LockedDelivery[],
  /** The number of transitions in the last hour, by alert. An alert that is missing has had few. */
  transitions: ReadonlyMap<string, number>,
  channel: Receiver,
  now: Date,
): BatchPlan {
  const plan: BatchPlan = { ready: [], ended: [], postponed: [] };
  const queues = grouped(
    pending.filter(({ redeliver }) => !redeliver),
    ({ queueId }) => queueId,
  );
  const planned = new Set<string>();
  for (const head of heads) {
    if (head.kind === 'test') plan.ended.push({ id: head.id, state: 'failed', detail: 'interrupted' });
    else if (head.redeliver)
      planRedelivery(
        plan,
        pending.find(({ id }) => id === head.id),
        channel,
      );
    // A queue that starts with a reminder has two heads.
    else if (!planned.has(head.queueId) && planned.add(head.queueId))
      planAlert(plan, head, queues.get(head.queueId) ?? [], transitions.get(head.queueId) ?? 0, channel, now);
  }
  return plan;
}

/**
 * Plans a delivery that a client requested. It is sent unchanged, ahead of its queue. An acknowledgement or a reminder
 * is dropped if its episode has ended.
 */
function planRedelivery(
  { ready, ended }: BatchPlan,
  delivery: LockedDelivery | undefined,
  { audience }: Receiver,
): void {
  if (!delivery) return;
  if ((delivery.kind === 'acknowledged' || delivery.kind === 'reminder') && delivery.ended) {
    ended.push({ id: delivery.id, state: 'superseded', detail: 'resolved_before_sent' });
    return;
  }
  if (NOT_FOR_PAGERS.includes(delivery.kind) && audience === 'pager') {
    ended.push({ id: delivery.id, state: 'superseded', detail: 'not_supported' });
    return;
  }
  const { id, kind, mayHaveArrived } = delivery;
  const notification: PlannedNotification = {
    kind,
    primary: id,
    merged: null,
    repeat: mayHaveArrived,
    ends: [{ id, state: 'delivered', detail: 'redelivered' }],
  };
  ready.push({ notification, deliveries: [delivery] });
}

function planAlert(
  plan: BatchPlan,
  head: DueDelivery,
  queue: readonly LockedDelivery[],
  transitions: number,
  channel: Receiver,
  now: Date,
): void {
  const next = queue.find(({ id, kind }) => id === head.id || (kind !== 'reminder' && kind !== 'expiry'));
  if (next?.id !== head.id || queue.some(({ inFlight }) => inFlight)) return;
  const { ended, notification } = planQueue(queue, channel);
  plan.ended.push(...ended);
  if (!notification) return postpone(plan, queue, new Date(now.getTime() + WAIT_FOR_TRIGGER_MS));
  const planned = isHuman(channel.audience) ? suppressFlapping(notification, transitions) : notification;
  plan.ready.push({ notification: planned, deliveries: queue });
}

/** Postpones the first delivery that is still in the queue, and therefore everything after it. */
function postpone({ ended, postponed }: BatchPlan, queue: readonly LockedDelivery[], until: Date): void {
  const gone = new Set(ended.map(({ id }) => id));
  const next = queue.find(({ id }) => !gone.has(id));
  if (next) postponed.push({ id: next.id, until });
}

/** Returns the contents of each attempt that starts now. If there is a digest, it comes last. */
export function attemptContents(
  groups: readonly ReadyGroup[],
  { singles, digest }: RateLimitDecision,
): AttemptContents[] {
  const alone = groups.slice(0, singles).map(({ queues, fold }) => contents(queues, fold && { incident: fold }));
  const rest = groups.slice(singles).flatMap(({ queues }) => queues);
  return digest ? [...alone, contents(rest, {})] : alone;
}

/** `told` is what its digest contains in addition to the counts, or `null` if it isn't a digest. */
function contents(group: readonly ReadyQueue[], told: Pick<DigestCounts, 'incident'> | null): AttemptContents {
  return {
    parts: group.slice(0, DIGEST_NAMED).map(({ notification }) => partOf(notification)),
    repeat: group.some(({ notification }) => notification.repeat),
    digest: told && { ...countsOf(group.map(({ notification }) => notification.kind)), ...told },
    deliveries: group.flatMap((queue) => attempted(queue, told !== null)),
  };
}

const partOf = ({ kind, primary, merged }: PlannedNotification): AttemptPart => ({ kind, primary, merged });

function attempted({ notification, deliveries }: ReadyQueue, isDigest: boolean): AttemptedDelivery[] {
  const known = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return notification.ends.flatMap((planned) => {
    const delivery = known.get(planned.id);
    if (!delivery) return [];
    const { rejections, mayHaveArrived, createdAt } = delivery;
    const end: DeliveryEnd = isDigest && planned.state === 'delivered' ? { ...planned, detail: 'digest' } : planned;
    return [{ end, attempts: delivery.attempts + 1, rejections, mayHaveArrived, createdAt }];
  });
}
