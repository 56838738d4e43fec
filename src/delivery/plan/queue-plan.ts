import type { Channel } from '../../channel/channel';
import { MINUTE_MS } from '../../platform/time/time-units';
import { type AttemptPart, type DeliveryDetail, type DeliveryEnd, isHuman, type PendingDelivery } from '../delivery';

/** A queue's notification, and the final states of the deliveries that it covers. */
export interface PlannedNotification {
  kind: Exclude<AttemptPart['kind'], 'test'>;
  /** The delivery whose notification is sent. */
  primary: string;
  /**
   * Another delivery that the text uses. For a `recovered` notification whose primary is the resolve, this is the
   * trigger that it is combined with. For a `triggered` one, this is the previous resolve, which was not sent.
   */
  merged: string | null;
  /** True if any part may already have been delivered. */
  repeat: boolean;
  /** The state of every covered delivery, including the primary, once the notification is delivered. */
  ends: DeliveryEnd[];
}

/** The plan for the head of one alert's queue. */
export interface QueuePlan {
  /** Deliveries that are finished without a notification. */
  ended: DeliveryEnd[];
  /** The next notification. The deliveries after it remain in the queue. */
  notification: PlannedNotification | null;
}

/**
 * Returns what to send for one alert's pending deliveries, given in order. If an episode was resolved before its
 * trigger was delivered, the audience decides. Webhooks get everything in order. A pager never goes off for an outage
 * that is over. People get one notification that shows the current state and what they missed.
 */
export function planQueue(queue: readonly PendingDelivery[], channel: Receiver): QueuePlan {
  const ended = queue.flatMap(
    (one, position) =>
      acknowledgementEnd(one, queue, channel) ??
      reminderEnd(one, queue.slice(position + 1), queue, channel) ??
      noticeEnd(one, channel) ??
      [],
  );
  const gone = new Set(ended.map(({ id }) => id));
  const rest = ended.length === 0 ? queue : queue.filter(({ id }) => !gone.has(id));
  const transitions = rest.filter(isTransition);
  // Changes come first. Only certificate warnings and reminders remain, of which one may be sent.
  const plan =
    isHuman(channel.audience) && transitions.length > 0
      ? planForPeople(transitions)
      : planInOrder(
          transitions.length > 0 ? rest.filter(({ kind }) => kind !== 'expiry') : rest,
          channel.audience === 'pager',
        );
  return { ended: [...ended, ...plan.ended], notification: plan.notification };
}

/** The properties of a channel that the plan needs. */
export type Receiver = Pick<Channel, 'audience' | 'acknowledges'>;

type PendingTransition = PendingDelivery & { kind: 'triggered' | 'resolved' };
const isTransition = (delivery: PendingDelivery): delivery is PendingTransition =>
  delivery.kind === 'triggered' || delivery.kind === 'resolved';

/**
 * Drops an acknowledgement after its episode has ended, or if the channel doesn't support it. The alert's channel may
 * have changed.
 */
function acknowledgementEnd(
  delivery: PendingDelivery,
  queue: readonly PendingDelivery[],
  { audience, acknowledges }: Receiver,
): DeliveryEnd | null {
  if (delivery.kind !== 'acknowledged') return null;
  if (acknowledges !== true || isHuman(audience)) return superseded(delivery, 'not_supported');
  return isOver(delivery, queue) ? superseded(delivery, 'resolved_before_sent') : null;
}

/**
 * Drops a reminder unless its episode is still open, its trigger was sent, and no later reminder is waiting. Pagers
 * don't get reminders, because they send their own. A reminder doesn't delay or hide other deliveries.
 */
function reminderEnd(
  delivery: PendingDelivery,
  behind: readonly PendingDelivery[],
  queue: readonly PendingDelivery[],
  { audience }: Receiver,
): DeliveryEnd | null {
  if (delivery.kind !== 'reminder') return null;
  if (audience === 'pager') return superseded(delivery, 'not_supported');
  if (isOver(delivery, queue)) return superseded(delivery, 'resolved_before_sent');
  const isNewest = !behind.some(({ kind, episodeNo }) => kind === 'reminder' && episodeNo === delivery.episodeNo);
  const isTriggerQueued = queue.some(({ kind, episodeNo }) => kind === 'triggered' && episodeNo === delivery.episodeNo);
  if (!isNewest || isTriggerQueued || delivery.triggerOutcome === 'pending') return superseded(delivery, 'collapsed');
  const isTold = delivery.triggerOutcome === 'notified' || delivery.triggerOutcome === 'maybe_notified';
  return isTold ? null : superseded(delivery, 'trigger_not_told');
}

/** Either kind would open a pager incident that nothing closes. */
const noticeEnd = (delivery: PendingDelivery, { audience }: Receiver): DeliveryEnd | null =>
  (delivery.kind === 'contact_failing' || delivery.kind === 'expiry') && audience === 'pager'
    ? superseded(delivery, 'not_supported')
    : null;

/** Returns true if the delivery's episode has ended, whether its resolve is waiting or won't be sent. */
const isOver = ({ ended, episodeNo }: PendingDelivery, queue: readonly PendingDelivery[]): boolean =>
  ended || queue.some((one) => one.kind === 'resolved' && one.episodeNo === episodeNo);

function planInOrder(queue: readonly PendingDelivery[], isPager: boolean): QueuePlan {
  const ended: DeliveryEnd[] = [];
  for (let position = 0; position < queue.length; position++) {
    const delivery = queue[position];
    if (!delivery) break;
    const next = queue[position + 1];
    if (delivery.kind !== 'triggered') {
      const end = withoutTrigger(delivery, isPager);
      if (end === 'wait') return { ended, notification: null };
      if (end === null) return { ended, notification: alone(delivery) };
      ended.push(end);
    } else {
      const resolve = next?.kind === 'resolved' && next.episodeNo === delivery.episodeNo ? next : null;
      if (!isPager || !(delivery.ended || resolve)) return { ended, notification: alone(delivery) };
      ended.push(superseded(delivery, 'resolved_before_sent'));
      if (resolve && delivery.mayHaveArrived) return { ended, notification: alone(resolve) };
      if (resolve) {
        ended.push(superseded(resolve, 'resolved_before_sent'));
        position++;
      }
    }
  }
  return { ended, notification: null };
}

function planForPeople(queue: readonly PendingTransition[]): QueuePlan {
  const ended: DeliveryEnd[] = [];
  const rest = [...queue];
  for (let head = rest[0]; head?.kind === 'resolved'; head = rest[0]) {
    const end = withoutTrigger(head, false);
    if (end === 'wait') return { ended, notification: null };
    if (end === null) break;
    ended.push(end);
    rest.shift();
  }
  const first = rest[0];
  const last = rest.at(-1);
  if (!first || !last) return { ended, notification: null };
  return { ended, notification: oneForAll(rest, first, last) };
}

/** Sends the newest delivery. This finishes the older ones that it includes or contradicts. */
function oneForAll(
  queue: readonly PendingTransition[],
  first: PendingTransition,
  last: PendingTransition,
): PlannedNotification {
  const isStartUnknown = first.kind === 'triggered' || first.triggerOutcome === 'given_up';
  const isRecovery = last.kind === 'triggered' ? last.ended : isStartUnknown;
  const combined = queue.find((one) => one.kind === 'triggered' && one.episodeNo === last.episodeNo && one !== last);
  const unsentResolve = last.kind === 'triggered' && first.kind === 'resolved' ? queue.at(-2) : undefined;
  return {
    kind: isRecovery ? 'recovered' : last.kind,
    primary: last.id,
    merged: (isRecovery ? combined?.id : unsentResolve?.id) ?? null,
    repeat: queue.some(({ mayHaveArrived }) => mayHaveArrived),
    ends: queue.map((one) => {
      if (one === last) return { id: one.id, state: 'delivered', detail: isRecovery ? 'combined' : null };
      if (one === combined && isRecovery) return { id: one.id, state: 'delivered', detail: 'combined' };
      return superseded(one, 'collapsed');
    }),
  };
}

/**
 * Returns the final state of a resolve, acknowledgement, or reminder at the head of its queue if it isn't sent, or
 * `null` if it must be sent.
 */
function withoutTrigger(resolve: PendingDelivery, isPager: boolean): DeliveryEnd | 'wait' | null {
  switch (resolve.triggerOutcome) {
    case 'pending':
      return 'wait';
    case 'dropped':
      return superseded(resolve, 'trigger_not_told');
    case 'parked':
      return { id: resolve.id, state: 'failed', detail: 'behind_failed' };
    case 'given_up':
      return isPager ? superseded(resolve, 'trigger_not_told') : null;
    case 'notified':
    case 'maybe_notified':
      return null;
    default:
      return resolve.triggerOutcome satisfies never;
  }
}

const superseded = ({ id }: PendingDelivery, detail: DeliveryDetail): DeliveryEnd => ({
  id,
  state: 'superseded',
  detail,
});

const alone = ({ id, kind, mayHaveArrived }: PendingDelivery): PlannedNotification => ({
  kind,
  primary: id,
  merged: null,
  repeat: mayHaveArrived,
  ends: [{ id, state: 'delivered', detail: null }],
});

const FLAPPING_TRANSITIONS = 6;

/**
 * Returns true if an alert with this many transitions in the last hour triggers and resolves too often to send a
 * notification each time.
 */
export const isFlapping = (transitions: number): boolean => transitions > FLAPPING_TRANSITIONS;

/** How long people get no other notification about the alert after a "flapping" notification. */
export const FLAPPING_PAUSE_MS = 30 * MINUTE_MS;

/**
 * Replaces the notification with one "flapping" notification after more than six transitions in the last hour. The
 * newest delivery remains pending during the pause. After that, it reports the current state, or causes the next such
 * notification if the alert is still flapping. This way, the last message that people read always shows the current
 * state.
 */
export function suppressFlapping(notification: PlannedNotification, transitions: number): PlannedNotification {
  if (!isFlapping(transitions)) return notification;
  return {
    ...notification,
    kind: 'flapping',
    merged: null,
    ends: notification.ends.map(({ id }) => ({
      id,
      state: id === notification.primary ? 'pending' : 'delivered',
      detail: 'flapping',
    })),
  };
}
