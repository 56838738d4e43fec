import type { Channel } from '../../channel/channel';
import { MINUTE_MS } from '../../platform/time/time-units';
import { type AttemptPart, type DeliveryDetail, type DeliveryEnd, isHuman, type PendingDelivery } from '../delivery';

/** A notification of one queue, and what the deliveries it covers become. */
export interface PlannedNotification {
  kind: Exclude<AttemptPart['kind'], 'test'>;
  /** The delivery whose notification is sent. */
  primary: string;
  /**
   * Another delivery that the text draws on. Of a `recovered` notification whose primary is the resolve: the trigger it
   * is combined with. Of a `triggered` one: the resolve before it that was not sent.
   */
  merged: string | null;
  /** True when any of it may have arrived before. */
  repeat: boolean;
  /** What every covered delivery, the primary included, becomes once the notification is delivered. */
  ends: DeliveryEnd[];
}

/** What is to be done about the head of one alert's queue. */
export interface QueuePlan {
  /** Deliveries that end without a notification. */
  ended: DeliveryEnd[];
  /** What is to be sent next; the deliveries behind it stay in the queue. */
  notification: PlannedNotification | null;
}

/**
 * What to send of one alert's pending deliveries, given in their order. The rules for an episode that was resolved
 * while its trigger is undelivered: webhooks get everything in order; a pager never goes off for an outage that is over;
 * people get one notification that says how things are now and what they missed.
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
  // What changed comes first; what is left then are reminders, of which one may be told, and certificates that end.
  const plan =
    isHuman(channel.audience) && transitions.length > 0
      ? planForPeople(transitions)
      : planInOrder(
          transitions.length > 0 ? rest.filter(({ kind }) => kind !== 'expiry') : rest,
          channel.audience === 'pager',
        );
  return { ended: [...ended, ...plan.ended], notification: plan.notification };
}

/** What of a channel the plan needs. */
export type Receiver = Pick<Channel, 'audience' | 'acknowledges'>;

type PendingTransition = PendingDelivery & { kind: 'triggered' | 'resolved' };
const isTransition = (delivery: PendingDelivery): delivery is PendingTransition =>
  delivery.kind === 'triggered' || delivery.kind === 'resolved';

/** An acknowledgement is not told after its episode has ended, nor to who cannot hear it: the alert's channel may have changed. */
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
 * A reminder is told while its episode lasts, after its trigger, once at a time, and not to pagers: they remind by themselves.
 * It delays and hides nothing else.
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
  const isNewest = !behind.some(({ kind, incidentNo }) => kind === 'reminder' && incidentNo === delivery.incidentNo);
  const isTriggerQueued = queue.some(
    ({ kind, incidentNo }) => kind === 'triggered' && incidentNo === delivery.incidentNo,
  );
  if (!isNewest || isTriggerQueued || delivery.triggerOutcome === 'pending') return superseded(delivery, 'collapsed');
  const isTold = delivery.triggerOutcome === 'notified' || delivery.triggerOutcome === 'maybe_notified';
  return isTold ? null : superseded(delivery, 'trigger_not_told');
}

/** A pager would open an incident for either, which nothing closes. */
const noticeEnd = (delivery: PendingDelivery, { audience }: Receiver): DeliveryEnd | null =>
  (delivery.kind === 'contact_failing' || delivery.kind === 'expiry') && audience === 'pager'
    ? superseded(delivery, 'not_supported')
    : null;

/** The episode of the delivery has ended, whether its resolve waits or is not told at all. */
const isOver = ({ ended, incidentNo }: PendingDelivery, queue: readonly PendingDelivery[]): boolean =>
  ended || queue.some((one) => one.kind === 'resolved' && one.incidentNo === incidentNo);

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
      const resolve = next?.kind === 'resolved' && next.incidentNo === delivery.incidentNo ? next : null;
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

/** The newest delivery is sent; older ones that it includes or makes untrue end with it. */
function oneForAll(
  queue: readonly PendingTransition[],
  first: PendingTransition,
  last: PendingTransition,
): PlannedNotification {
  const isStartUnknown = first.kind === 'triggered' || first.triggerOutcome === 'given_up';
  const isRecovery = last.kind === 'triggered' ? last.ended : isStartUnknown;
  const combined = queue.find((one) => one.kind === 'triggered' && one.incidentNo === last.incidentNo && one !== last);
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

/** How a resolve, an acknowledgement or a reminder at the head of its queue ends without being sent, or `null` when it is to be sent. */
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

/** Whether an alert with so many transitions in the last hour triggers and resolves too often to be told each time. */
export const isFlapping = (transitions: number): boolean => transitions > FLAPPING_TRANSITIONS;

/** After people got a notification that an alert is flapping, they get no other about it for this long. */
export const FLAPPING_PAUSE_MS = 30 * MINUTE_MS;

/**
 * More than six transitions in the last hour: people get one "flapping" notification. The newest delivery stays pending
 * for the pause and then reports the state as it is, or, if the alert is still flapping, leads to the next such
 * notification. The last thing people read is therefore always the current state.
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
