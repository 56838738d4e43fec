import type { IncidentRow } from './incident-row';

/** What happened to an incident, as the live stream names it. */
export const INCIDENT_CHANGES = [
  'opened',
  'joined',
  'updated',
  'acknowledged',
  'ended',
  'reopened',
  'merged',
  'split',
  'deleted',
] as const;
export type IncidentChange = (typeof INCIDENT_CHANGES)[number];

/** Raised once per incident and transaction, within it, by whoever changed it (`platform/events`). */
export class IncidentChanged {
  constructor(
    readonly incident: IncidentRow,
    readonly change: IncidentChange,
  ) {}
}

/** Endpoints went to another incident, because people split or merged. Raised within the transaction, before `IncidentChanged`. */
export class IncidentMembersMoved {
  constructor(
    /** As they were. */
    readonly from: readonly IncidentRow[],
    /** As it is now. */
    readonly to: IncidentRow,
    /** uuids. */
    readonly endpointIds: readonly string[],
  ) {}
}
