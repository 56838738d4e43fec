import type { IncidentRow } from './incident-row';

/** The changes to an incident, under the names used in the live stream. */
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

/**
 * Emitted once per incident and transaction, within the transaction, by the code that changed the incident
 * (`platform/events`).
 */
export class IncidentChanged {
  constructor(
    readonly incident: IncidentRow,
    readonly change: IncidentChange,
  ) {}
}

/**
 * Emitted if users move endpoints to another incident by splitting or merging. Emitted within the transaction, before
 * `IncidentChanged`.
 */
export class IncidentMembersMoved {
  constructor(
    /** The incidents before the move. */
    readonly from: readonly IncidentRow[],
    /** The incident after the move. */
    readonly to: IncidentRow,
    /** UUIDs. */
    readonly endpointIds: readonly string[],
  ) {}
}
