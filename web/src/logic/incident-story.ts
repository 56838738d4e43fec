import type { Alert, AlertEvent } from '../api/types';

/** Why the endpoint was down, also once it is up again; `null` where no event of the incident says so. Events: newest first. */
export const reasonOf = (events: readonly Pick<AlertEvent, 'error'>[]): string | null =>
  events.find(({ error }) => error !== null)?.error?.message ?? null;

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
