import { formatId } from '../../platform/ids/id';
import { grouped } from '../../platform/text/grouped';
import { SECOND_MS } from '../../platform/time/time-units';
import type { LockedDelivery } from '../delivery';
import type { ReadyGroup, ReadyQueue } from './batch-plan';

/** After something of an incident left for a destination, further news of it waits for this long, to be one message. */
export const FOLD_EVERY_MS = 30 * SECOND_MS;

/** An incident that more than one endpoint was in, and what of it left for one destination. Ids are uuids. */
export interface TellableIncident {
  id: string;
  number: number;
  /** The address that its endpoints failed at, where that is why they joined. */
  address: string | null;
  endpointCount: number;
  openCount: number;
  startedAt: Date;
  endedAt: Date | null;
  /** Last attempt of anything that arrived or may have, or is in flight. */
  leftAt: Date | null;
  /** While something of it is in flight: when its lease ends. */
  busyUntil: Date | null;
}

/** What may leave now, the most important first, and the deliveries that wait to be told with others, until `until`. */
export interface FoldPlan {
  groups: ReadyGroup[];
  held: string[];
  until: Date | null;
}

/**
 * What people are told of one incident is one message: at once, unless something of it left in the last 30 s or is in flight.
 * Recoveries alone wait for 30 s, or for its end. An incident that never had a second endpoint is not among `incidents`: it is
 * told as if there were none, and so is what a client asked for once more.
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

/** A single message says it as ever, unless it is the last one. */
function foldOf(queues: readonly ReadyQueue[], incident: TellableIncident): ReadyGroup['fold'] {
  if (queues.length === 1 && incident.endedAt === null) return null;
  const { startedAt, endedAt } = incident;
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
    durationSeconds: endedAt && Math.round((endedAt.getTime() - startedAt.getTime()) / SECOND_MS),
  };
}
