import type { IncidentRow } from './incident-row';

/** What happened to an incident, as the live stream names it. */
export type IncidentChange =
  'opened' | 'joined' | 'updated' | 'acknowledged' | 'ended' | 'reopened' | 'merged' | 'split' | 'deleted';

/** Raised once per incident and transaction, within it, by whoever changed it (`platform/events`). */
export class IncidentChanged {
  constructor(
    readonly incident: IncidentRow,
    readonly change: IncidentChange,
  ) {}
}
