import type { Alert, AlertEvent } from '../api/types';
import { channelName } from './channel-name';
import { time } from './format';

/** Why the endpoint was down, also once it is up again; `null` where no event of the incident says so. Events: newest first. */
export const reasonOf = (events: readonly Pick<AlertEvent, 'error'>[]): string | null =>
  events.find(({ error }) => error !== null)?.error?.message ?? null;

/** A resolved incident in one line: `Checkout, down 15:24:45 to 15:25:20: connection refused`. Events: newest first. */
export function incidentLine(events: readonly AlertEvent[], nowMs: number): string | null {
  const ended = events.find(({ type, duration_seconds }) => type === 'resolved' && duration_seconds !== null);
  if (!ended || ended.started_at === null) return null;
  const end = new Date(Date.parse(ended.started_at) + (ended.duration_seconds ?? 0) * 1000).toISOString();
  const what = ended.condition === 'degraded' ? 'degraded' : 'down';
  const reason = reasonOf(events);
  const span = `${ended.endpoint_name}, ${what} ${time(ended.started_at, nowMs)} to ${time(end, nowMs)}`;
  return reason === null ? span : `${span}: ${reason}`;
}

const REACHED = { delivered: 'reached', failed: 'not reached', pending: 'not reached yet', superseded: 'not told' };

/** Whom an incident was told, and whether that arrived: `Team (Slack) not reached, On call (PagerDuty) reached`. */
export function toldText(
  events: readonly Pick<AlertEvent, 'alert_id' | 'alert_type' | 'type' | 'contact' | 'delivery'>[],
): string {
  const told = new Map<string, string>();
  for (const { alert_id, alert_type, type, contact, delivery } of events) {
    if (type !== 'triggered' || !delivery || told.has(alert_id)) continue;
    const channel = channelName(alert_type);
    told.set(alert_id, `${contact ? `${contact.name} (${channel})` : channel} ${REACHED[delivery.state]}`);
  }
  return [...told.values()].join(', ');
}

/** An alert that would be told if the incident goes on. */
export interface NextTold {
  alert: Alert;
  /** When it will have been bad for as long as the alert waits: with the first failure after that. Milliseconds since the epoch. */
  at: number;
}

/** Who is told next of an open incident of an endpoint, soonest first: its alerts that wait longer and have not triggered. */
export const toldNext = (alerts: readonly Alert[], startedAt: string | null): NextTold[] =>
  startedAt === null
    ? []
    : alerts
        .filter(({ enabled, triggered, after }) => enabled && !triggered && after > 0)
        .map((alert) => ({ alert, at: Date.parse(startedAt) + alert.after * 1000 }))
        .sort((a, b) => a.at - b.at);
