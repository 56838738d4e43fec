import { formatId } from '../../platform/ids/id';
import { grouped } from '../../platform/text/grouped';
import { SECOND_MS } from '../../platform/time/time-units';
import type { LockedDelivery } from '../delivery';
import type { ReadyGroup, ReadyQueue } from './batch-plan';

/**
 * After a message about an incident is sent to a destination, more events from the incident are collected for this long
 * and sent as one message.
 */
export const FOLD_EVERY_MS = 30 * SECOND_MS;

/**
 * An incident with more than one endpoint, and what has already been sent about it to one destination. IDs are UUIDs.
 */
export interface TellableIncident {
  id: string;
  number: number;
  /** The address at which its endpoints failed, if that is why they were grouped. */
  address: string | null;
  endpointCount: number;
  openCount: number;
  /** The number of its outages, and the length of those that have ended. */
  outages: number;
  downtimeMs: number;
  endedAt: Date | null;
  /** The time of the last attempt to send a message about it that arrived, may have arrived, or is in flight. */
  leftAt: Date | null;
  /** While a message about it is in flight, when the lease expires. */
  busyUntil: Date | null;
}

/**
 * The groups to send now, most important first, and the deliveries that wait until `until` to be combined with others.
 */
export interface FoldPlan {
  groups: ReadyGroup[];
  held: string[];
  until: Date | null;
}

/**
 * Combines the notifications about an incident into one message. It is sent immediately, unless another message about
 * the incident was sent in the last 30 s or is in flight. Recoveries alone wait for 30 s, or for the end of the
 * incident. An incident that never had a second endpoint is missing from `incidents`, and its notifications are not
 * combined. Redeliveries are never combined.
 */
export function foldReady(
  ready: readonly ReadyQueue[],
  incidents: ReadonlyMap<string, TellableIncident>,
  now: Date,
): FoldPlan {
  const plan: FoldPlan = { groups: [], held: [], until: null };
  const incidentOf = (queue: ReadyQueue | undefined): TellableIncident | undefined => {
    const { incidentId, redeliver } = (queue && primaryOf(queue)) ?? { incidentId: null, redeliver: false };
    return incidentId === null || redeliver ? undefined : incidents.get(incidentId);
  };
  for (const queues of grouped(ready, (queue) => incidentOf(queue)?.id ?? queue.notification.primary).values()) {
    const incident = incidentOf(queues[0]);
    const leavesAt = incident ? leavingAt(queues, incident) : now;
    if (leavesAt <= now) plan.groups.push({ queues, fold: incident ? foldOf(queues, incident) : null });
    else {
      plan.held.push(...queues.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)));
      if (plan.until === null || leavesAt < plan.until) plan.until = leavesAt;
    }
  }
  return plan;
}

const primaryOf = ({ notification, deliveries }: ReadyQueue): LockedDelivery | undefined =>
  deliveries.find(({ id }) => id === notification.primary);

const isUp = ({ notification: { kind } }: ReadyQueue): boolean => kind === 'resolved' || kind === 'recovered';

function leavingAt(queues: readonly ReadyQueue[], { endedAt, leftAt, busyUntil }: TellableIncident): Date {
  const oldest = Math.min(...queues.map((queue) => primaryOf(queue)?.createdAt.getTime() ?? 0));
  const waitsFrom = queues.every(isUp) ? (endedAt ? null : oldest) : (leftAt?.getTime() ?? null);
  const at = waitsFrom === null ? 0 : waitsFrom + FOLD_EVERY_MS;
  return new Date(Math.max(at, busyUntil?.getTime() ?? 0));
}

/** A single message is left unchanged, unless it is the last one. */
function foldOf(queues: readonly ReadyQueue[], incident: TellableIncident): ReadyGroup['fold'] {
  if (queues.length === 1 && incident.endedAt === null) return null;
  const { outages, downtimeMs, endedAt } = incident;
  const endpointsOf = (some: readonly ReadyQueue[]): number =>
    new Set(some.map((queue) => primaryOf(queue)?.endpointId)).size;
  const down = queues.filter((queue) => !isUp(queue));
  return {
    id: formatId('incident', incident.id),
    number: incident.number,
    isMore: incident.leftAt !== null,
    isReminder: down.length > 0 && down.every(({ notification }) => notification.kind === 'reminder'),
    address: incident.address,
    down: endpointsOf(down),
    up: endpointsOf(queues.filter(isUp)),
    endpoints: incident.endpointCount,
    open: incident.openCount,
    outages,
    durationSeconds: endedAt && Math.round(downtimeMs / SECOND_MS),
  };
}
