import type { Alert, AlertEvent } from '../api/types';
import { channelName } from './channel-name';
import { time } from './format';
import { namesText } from './incident';

/**
 * Groups events, newest first, by incident. Events from before incidents existed are grouped by their endpoint's
 * outage.
 */
export function byIncident(events: readonly AlertEvent[]): AlertEvent[][] {
  const groups = new Map<string, AlertEvent[]>();
  for (const event of events) {
    const key = event.incident_id ?? `${event.endpoint_id} ${event.started_at}`;
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return [...groups.values()];
}

/** Whether any alert's newest event is a trigger. `events` are newest first. */
export function isOpen(events: readonly Pick<AlertEvent, 'alert_id' | 'type'>[]): boolean {
  const newest = new Map<string, AlertEvent['type']>();
  for (const { alert_id, type } of events) if (!newest.has(alert_id)) newest.set(alert_id, type);
  return [...newest.values()].includes('triggered');
}

/** Returns the endpoints' names, starting with the first failure: `Checkout, Login and 3 more`. */
const namesOf = (events: readonly AlertEvent[]): string =>
  namesText([...new Map(events.toReversed().map((each) => [each.endpoint_id, each.endpoint_name])).values()]);

/**
 * Returns why the endpoint was down, even after it recovers. `null` if no event has a reason. `events` are newest
 * first.
 */
export const reasonOf = (events: readonly Pick<AlertEvent, 'error'>[]): string | null =>
  events.find(({ error }) => error !== null)?.error?.message ?? null;

/**
 * Describes an incident in one line. After it ended: `Checkout, down 15:24:45 to 15:25:20: connection refused`. While
 * several endpoints are down: `Checkout and Login are down: connection refused`. While a single endpoint is down, the
 * line is its message. `events` are newest first.
 */
export function incidentLine(events: readonly AlertEvent[], nowMs: number): string {
  const [newest] = events;
  const what = newest?.condition === 'degraded' ? 'degraded' : 'down';
  const reason = reasonOf(events);
  const because = (text: string) => (reason === null ? text : `${text}: ${reason}`);
  if (isOpen(events)) {
    if (new Set(events.map(({ endpoint_id }) => endpoint_id)).size > 1)
      return because(`${namesOf(events)} are ${what}`);
    return events.find(({ type }) => type === 'triggered')?.message ?? '';
  }
  const spans = events.flatMap(({ type, started_at, duration_seconds }) =>
    type === 'resolved' && started_at !== null && duration_seconds !== null
      ? [{ from: Date.parse(started_at), to: Date.parse(started_at) + duration_seconds * 1000 }]
      : [],
  );
  if (spans.length === 0) return newest?.message ?? '';
  const clock = (ms: number) => time(new Date(ms).toISOString(), nowMs);
  const [from, to] = [Math.min(...spans.map((span) => span.from)), Math.max(...spans.map((span) => span.to))];
  return because(`${namesOf(events)}, ${what} ${clock(from)} to ${clock(to)}`);
}

const REACHED = { delivered: 'reached', failed: 'not reached', pending: 'not reached yet', superseded: 'not notified' };

/**
 * Returns who was notified, and whether the messages arrived: `Team (Slack) not reached, On call (PagerDuty) reached`.
 */
export function toldText(
  events: readonly Pick<AlertEvent, 'alert_id' | 'alert_type' | 'type' | 'contact' | 'delivery'>[],
): string {
  const told = new Map<string, string>();
  for (const { alert_id, alert_type, type, contact, delivery } of events) {
    if (type !== 'triggered' || !delivery || told.has(alert_id)) continue;
    const channel = channelName(alert_type);
    told.set(alert_id, `${contact ? `${contact.name} (${channel})` : channel} ${REACHED[delivery.state]}`);
  }
  return [...new Set(told.values())].join(', ');
}

/** An alert that will trigger if the incident continues. */
export interface NextTold {
  alert: Alert;
  /**
   * When the failure will have lasted for the alert's delay, in milliseconds since the epoch. The next failed check
   * after that triggers the alert.
   */
  at: number;
}

/**
 * Returns the endpoint's alerts that will trigger next, soonest first. These have a longer delay and haven't triggered
 * yet.
 */
export const toldNext = (alerts: readonly Alert[], startedAt: string | null): NextTold[] =>
  startedAt === null
    ? []
    : alerts
        .filter(({ enabled, triggered, after }) => enabled && !triggered && after > 0)
        .map((alert) => ({ alert, at: Date.parse(startedAt) + alert.after * 1000 }))
        .sort((a, b) => a.at - b.at);
