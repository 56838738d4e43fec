import type {
  Acknowledgement,
  IncidentDetails,
  IncidentTimeline,
  IncidentUpdate,
  PlannedNotification,
  TimelineDelivery,
  TimelineEndpoint,
  TimelineItem,
} from '../api/types';
import { channelName } from './channel-name';
import { clockTime, duration } from './format';
import { namesText } from './incident';

export type Entry = { at: string } & (
  | { kind: 'planned'; planned: PlannedNotification[] }
  | { kind: 'began' | 'joined' | 'again' | 'left'; endpoints: TimelineEndpoint[] }
  | { kind: 'over' | 'opened' }
  | { kind: 'told'; deliveries: TimelineDelivery[] }
  | { kind: 'said'; update: IncidentUpdate }
  | { kind: 'acknowledged'; acknowledgement: Acknowledgement; isNow: boolean }
);

/** Events that occur within this many milliseconds of the first one share an entry. */
const TOGETHER_MS = 60_000;

/** Groups items with the same key whose times are close together. `items` are in any order. */
function gathered<Item extends { at: string }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): [at: string, items: Item[]][] {
  const groups: [at: string, items: Item[]][] = [];
  const newest = new Map<string, [at: string, items: Item[]]>();
  for (const item of items.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const last = newest.get(keyOf(item));
    if (last && Date.parse(item.at) - Date.parse(last[0]) <= TOGETHER_MS) last[1].push(item);
    else {
      const group: [at: string, items: Item[]] = [item.at, [item]];
      groups.push(group);
      newest.set(keyOf(item), group);
    }
  }
  return groups;
}

const endpointsOf = (items: readonly TimelineItem[]): TimelineEndpoint[] =>
  items.flatMap(({ endpoint }) => endpoint ?? []);

/**
 * Returns the timeline, newest first: planned messages, outages that started and ended, messages, acknowledgements, and
 * updates.
 */
export function timelineOf(
  incident: Pick<IncidentDetails, 'kind' | 'started_at' | 'ended_at' | 'acknowledgement'>,
  { items, planned }: Pick<IncidentTimeline, 'items' | 'planned'>,
): Entry[] {
  const of = (kind: TimelineItem['kind']) => items.filter((item) => item.kind === kind);
  const isAgain = ({ endpoint }: TimelineItem) => (endpoint?.outage ?? 1) > 1;
  const began = gathered(
    of('down').filter((item) => !isAgain(item)),
    () => '',
  ).map(([at, list], index): Entry => ({
    kind: index === 0 && at === incident.started_at ? 'began' : 'joined',
    at,
    endpoints: endpointsOf(list),
  }));
  const again = gathered(of('down').filter(isAgain), () => '').map(([at, list]): Entry => ({
    kind: 'again',
    at,
    endpoints: endpointsOf(list),
  }));
  const left = gathered(of('recovered'), () => '').map(([at, list]): Entry => ({
    kind: 'left',
    at,
    endpoints: endpointsOf(list),
  }));
  const told = gathered(of('delivery'), ({ delivery }) => delivery?.kind ?? '').map(([at, list]): Entry => ({
    kind: 'told',
    at,
    deliveries: list.flatMap(({ delivery }) => delivery ?? []),
  }));
  const next = gathered(planned, ({ kind }) => kind).map(([at, list]): Entry => ({
    kind: 'planned',
    at,
    planned: list,
  }));
  const rest = items.flatMap(({ at, update, acknowledgement }): Entry[] => {
    if (update) return [{ kind: 'said', at, update }];
    if (!acknowledgement) return [];
    return [{ kind: 'acknowledged', at, acknowledgement, isNow: at === incident.acknowledgement?.at }];
  });
  const opened: Entry[] = incident.kind === 'manual' ? [{ kind: 'opened', at: incident.started_at }] : [];
  const over: Entry[] = incident.ended_at === null ? [] : [{ kind: 'over', at: incident.ended_at }];
  return [...opened, ...began, ...left, ...again, ...over, ...told, ...rest, ...next]
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => Date.parse(b.entry.at) - Date.parse(a.entry.at) || b.index - a.index)
    .map(({ entry }) => entry);
}

/** Endpoints with the same error. */
export interface Reason {
  names: string[];
  message: string | null;
}

/** Groups endpoints by the reason of their failure, in their order. */
export function reasonsOf(endpoints: readonly Pick<TimelineEndpoint, 'name' | 'error'>[]): Reason[] {
  const reasons = new Map<string | null, Reason>();
  for (const { name, error } of endpoints) {
    const message = error === null ? null : error.message || error.code.replaceAll('_', ' ');
    const known = reasons.get(message);
    if (known) known.names.push(name);
    else reasons.set(message, { names: [name], message });
  }
  return [...reasons.values()];
}

/** Returns `after 5 min 7 s`, or `after 3 min to 5 min 7 s` if the endpoints were down for different times. */
export function afterText(endpoints: readonly Pick<TimelineEndpoint, 'duration_seconds'>[]): string {
  const seconds = endpoints.flatMap(({ duration_seconds: one }) => one ?? []).sort((a, b) => a - b);
  const [shortest, longest] = [seconds[0], seconds.at(-1)];
  if (shortest === undefined || longest === undefined) return '';
  const [from, to] = [duration(shortest), duration(longest)];
  return from === to ? `after ${from}` : `after ${from} to ${to}`;
}

/** Returns the name of the contact, or of the channel if the alert rule has its own config. */
export const receiverOf = ({ contact, channel_type }: Pick<TimelineDelivery, 'contact' | 'channel_type'>): string =>
  contact?.name ?? channelName(channel_type);

/** Returns what became of a message: `delivered in 0.4 s`, `failed: connection refused`, `waiting`, `not sent`. */
export function becameText({ state, detail, error, took_seconds: took }: TimelineDelivery): string {
  if (state === 'delivered') return took === null ? 'delivered' : `delivered in ${tookText(took)}`;
  if (state === 'failed') return error === null ? 'failed' : `failed: ${error}`;
  if (state === 'pending') return error === null ? 'waiting' : `failing: ${error}`;
  return detail === 'resolved_before_sent' ? 'not sent, recovered before' : 'not sent';
}

const tookText = (seconds: number): string =>
  seconds < 10 ? `${Number(seconds.toFixed(1)).toLocaleString('en')} s` : duration(seconds);

const RECEIVERS = 3;

/** Returns who was notified of the failure and who couldn't be, each once: `On-call mail ✓`. The newest message counts. */
export function notifiedOf(items: readonly TimelineItem[]): { name: string; isReached: boolean | null }[] {
  const told = new Map<string, boolean | null>();
  for (const { delivery } of items) {
    if (!delivery || (delivery.kind !== 'triggered' && delivery.kind !== 'reminder')) continue;
    const name = receiverOf(delivery);
    if (told.has(name) || delivery.state === 'superseded') continue;
    told.set(
      name,
      delivery.state === 'delivered' ? true : delivery.state === 'failed' || delivery.error !== null ? false : null,
    );
  }
  return [...told].map(([name, isReached]) => ({ name, isReached }));
}

/**
 * Returns who is next, such as `Manager at 09:25 unless acknowledged`. Empty if no escalation is planned. Reminders go to
 * those who already know.
 */
export function nextText(planned: readonly PlannedNotification[]): string {
  const steps = planned.filter(({ kind }) => kind === 'triggered');
  const [first] = steps;
  if (!first) return '';
  const together = steps.filter(({ at }) => Date.parse(at) - Date.parse(first.at) <= TOGETHER_MS);
  const names = [...new Set(together.map(receiverOf))];
  return `${namesText(names, RECEIVERS)} at ${clockTime(Date.parse(first.at))} unless acknowledged`;
}
