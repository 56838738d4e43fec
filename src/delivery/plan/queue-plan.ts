import type { ChannelAudience } from '../../channel/channel';
import { isHuman, type DeliveryDetail, type DeliveryState } from '../delivery';

/** What became of the trigger a resolve belongs to, when the trigger no longer waits in front of it. */
export type TriggerOutcome =
  /** Told, alone or with others; or long gone from the table. */
  | 'told'
  /** Given up or dropped, but an attempt may have arrived. */
  | 'maybe_told'
  /** Refused by the provider and parked; another config revives it. */
  | 'parked'
  /** Too old after failures, and surely never arrived. */
  | 'given_up'
  /** Dropped before anything was sent. */
  | 'dropped'
  /** About to be sent again on somebody's request. */
  | 'waiting';

/** A row that waits for one alert at one destination. */
export interface PendingDelivery {
  id: string;
  kind: 'triggered' | 'resolved';
  incidentNo: number;
  mayHaveArrived: boolean;
  /** Of a trigger: true when its incident has already ended, whether or not the end is to be told. */
  ended: boolean;
  /** Of a resolve whose trigger is not in the queue. */
  triggerOutcome: TriggerOutcome;
}

/** A row and what it becomes. */
export interface DeliveryEnd {
  id: string;
  state: DeliveryState;
  detail: DeliveryDetail | null;
}

/** One message and the rows it tells. */
export interface PlannedNotification {
  kind: 'triggered' | 'resolved' | 'recovered' | 'flapping';
  /** The row whose notice is told. */
  primary: string;
  /**
   * Another row the text draws on. Of a `recovered` message carried by its resolve: the trigger it is combined with. Of
   * a `triggered` one: the resolve before it that was not told.
   */
  merged: string | null;
  repeat: boolean;
  /** All rows of the message, the carrier's included, as they are once it is delivered. */
  rows: DeliveryEnd[];
}

export interface QueuePlan {
  /** Rows that end without a message. */
  ended: DeliveryEnd[];
  /** What is to be told next; the rows behind it stay in the queue. */
  message: PlannedNotification | null;
}

/**
 * What to tell of one alert's waiting rows, in their order. The table "resolved while the trigger is undelivered":
 * webhooks get everything in order; nobody's pager goes off for an outage that is over; people get one message that
 * says how things are now and what they missed.
 */
export const planQueue = (rows: readonly PendingDelivery[], audience: ChannelAudience): QueuePlan =>
  isHuman(audience) ? planForPeople(rows) : planInOrder(rows, audience === 'pager');

function planInOrder(rows: readonly PendingDelivery[], isPager: boolean): QueuePlan {
  const ended: DeliveryEnd[] = [];
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place];
    if (!row) break;
    const next = rows[place + 1];
    if (row.kind === 'resolved') {
      const end = withoutTrigger(row, isPager);
      if (end === 'wait') return { ended, message: null };
      if (end === null) return { ended, message: alone(row) };
      ended.push(end);
    } else {
      const resolve = next?.kind === 'resolved' && next.incidentNo === row.incidentNo ? next : null;
      if (!isPager || !(row.ended || resolve)) return { ended, message: alone(row) };
      ended.push(superseded(row, 'resolved_before_sent'));
      if (resolve && row.mayHaveArrived) return { ended, message: alone(resolve) };
      if (resolve) {
        ended.push(superseded(resolve, 'resolved_before_sent'));
        place++;
      }
    }
  }
  return { ended, message: null };
}

function planForPeople(rows: readonly PendingDelivery[]): QueuePlan {
  const ended: DeliveryEnd[] = [];
  const waiting = [...rows];
  for (let head = waiting[0]; head?.kind === 'resolved'; head = waiting[0]) {
    const end = withoutTrigger(head, false);
    if (end === 'wait') return { ended, message: null };
    if (end === null) break;
    ended.push(end);
    waiting.shift();
  }
  const first = waiting[0];
  const last = waiting.at(-1);
  if (!first || !last) return { ended, message: null };
  return { ended, message: oneForAll(waiting, first, last) };
}

/** The newest row is told; what it makes untrue or includes goes with it. */
function oneForAll(
  rows: readonly PendingDelivery[],
  first: PendingDelivery,
  last: PendingDelivery,
): PlannedNotification {
  const unknownStart = first.kind === 'triggered' || first.triggerOutcome === 'given_up';
  const isRecovery = last.kind === 'triggered' ? last.ended : unknownStart;
  const combined = rows.find((row) => row.kind === 'triggered' && row.incidentNo === last.incidentNo && row !== last);
  const untold = last.kind === 'triggered' && first.kind === 'resolved' ? rows.at(-2) : undefined;
  return {
    kind: isRecovery ? 'recovered' : last.kind,
    primary: last.id,
    merged: (isRecovery ? combined?.id : untold?.id) ?? null,
    repeat: rows.some((row) => row.mayHaveArrived),
    rows: rows.map((row) => {
      if (row === last) return { id: row.id, state: 'delivered', detail: isRecovery ? 'combined' : null };
      if (row === combined && isRecovery) return { id: row.id, state: 'delivered', detail: 'combined' };
      return superseded(row, 'collapsed');
    }),
  };
}

/** How a resolve at the head of its queue ends untold, or `null` when it is to be told. */
function withoutTrigger(row: PendingDelivery, isPager: boolean): DeliveryEnd | 'wait' | null {
  switch (row.triggerOutcome) {
    case 'waiting':
      return 'wait';
    case 'dropped':
      return superseded(row, 'trigger_not_told');
    case 'parked':
      return { id: row.id, state: 'failed', detail: 'behind_failed' };
    case 'given_up':
      return isPager ? superseded(row, 'trigger_not_told') : null;
    case 'told':
    case 'maybe_told':
      return null;
    default:
      return row.triggerOutcome satisfies never;
  }
}

const superseded = (row: PendingDelivery, detail: DeliveryDetail): DeliveryEnd => ({
  id: row.id,
  state: 'superseded',
  detail,
});

const alone = (row: PendingDelivery): PlannedNotification => ({
  kind: row.kind,
  primary: row.id,
  merged: null,
  repeat: row.mayHaveArrived,
  rows: [{ id: row.id, state: 'delivered', detail: null }],
});

const FLAPPING_TRANSITIONS = 6;
/** After people were told that an alert is flapping they hear nothing of it for this long. */
export const FLAPPING_PAUSE_MS = 30 * 60_000;

/**
 * An alert with more than six transitions in the last hour: people are told that it is flapping instead of how it is.
 * The newest row is not used up by that: it waits for the pause, and then tells how things are, or, if they still
 * change, carries the next such message. So the last word is always how things are.
 */
export function suppressFlapping(message: PlannedNotification, transitions: number): PlannedNotification {
  if (transitions <= FLAPPING_TRANSITIONS) return message;
  return {
    ...message,
    kind: 'flapping',
    merged: null,
    rows: message.rows.map(({ id }) => ({
      id,
      state: id === message.primary ? 'pending' : 'delivered',
      detail: 'flapping',
    })),
  };
}
