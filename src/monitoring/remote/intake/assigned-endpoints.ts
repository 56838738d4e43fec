import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../../platform/cache/bounded-map';
import { WorkerDatabase } from '../../../platform/database/database';
import { epochMs } from '../../../platform/database/epoch-ms';
import { type AssignedState, judgeRow } from './row-rules';
import type { ReadResult } from './sent-results';

/** An endpoint of a probe, with the fields that its results need. */
export interface Assigned extends AssignedState {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  certificateWarnDays: number | null;
  lastCheckedMs: number | null;
}

/** Maximum number of known endpoints of all probes, about 300 bytes each. Other endpoints are read again. */
const MAX_KNOWN = 100_000;

// Cost: three primary key lookups for each endpoint.
const ASSIGNED = `
  SELECT l.endpoint_id AS "endpointId", e.key::text AS "endpointKey", l.org_id AS "orgId", s.active, s.revision,
         s.interval_seconds * 1000 AS "intervalMs", e.certificate_warn_days AS "certificateWarnDays",
         ${epochMs('l.last_slot_at')} AS "lastSlotMs",
         ${epochMs('l.last_checked_at')} AS "lastCheckedMs"
    FROM endpoint_location l
    JOIN endpoint_schedule s ON s.endpoint_id = l.endpoint_id
    JOIN endpoint e ON e.id = l.endpoint_id
   WHERE l.number = $1 AND l.endpoint_id = ANY ($2::uuid[])`;

type Known = ReadonlyMap<string, Assigned>;

/**
 * The endpoints that probes send results for. Rows that were read once are kept, and may be outdated. That is good
 * enough to accept a result, which the recorder checks again, but never to refuse one.
 */
@Injectable()
export class AssignedEndpoints {
  private readonly known = new BoundedMap<string, Assigned>(MAX_KNOWN);

  constructor(private readonly database: WorkerDatabase) {}

  /**
   * Returns the endpoints of these rows, by ID, as copies for the caller. `number` is the number of the probe. Cost:
   * one statement if an endpoint isn't known or its known state contradicts a row, none otherwise.
   */
  async of(number: number, sent: readonly (ReadResult | null)[], nowMs: number): Promise<Map<string, Assigned>> {
    // Copies from before the statement: if an entry is evicted or changes during it, that must not refuse a row.
    const found = new Map<string, Assigned>();
    const newest = new Map<string, number | null>();
    const unsure = new Set<string>();
    for (const row of sent) {
      if (row?.endpointId == null) continue;
      const { endpointId, slotMs } = row;
      const known = found.get(endpointId) ?? this.known.get(keyOf(number, endpointId));
      const lastSlotMs = newest.get(endpointId) ?? known?.lastSlotMs ?? null;
      if (!known || judgeRow(row, { ...known, lastSlotMs }, { endpointId }, nowMs) !== 'record') unsure.add(endpointId);
      else {
        found.set(endpointId, { ...known });
        newest.set(endpointId, slotMs ?? lastSlotMs);
      }
    }
    const stored = await this.read(number, [...unsure]);
    for (const endpointId of unsure) found.delete(endpointId);
    for (const [endpointId, one] of stored) found.set(endpointId, one);
    return found;
  }

  /** Reads the endpoints as they are stored now. Cost: one statement, or none if the list is empty. */
  async read(number: number, endpointIds: readonly string[]): Promise<Map<string, Assigned>> {
    if (endpointIds.length === 0) return new Map();
    const rows = await this.database.query<Assigned>(ASSIGNED, [number, endpointIds]);
    return new Map(rows.map((row) => [row.endpointId, row]));
  }

  /** Keeps the endpoints in the state that they will have once the judged rows are recorded. */
  keep(number: number, assigned: Known): void {
    for (const [endpointId, one] of assigned) this.known.set(keyOf(number, endpointId), one);
  }

  /** Drops the endpoints, because the judged rows may not be recorded. */
  forget(number: number, assigned: Known): void {
    for (const endpointId of assigned.keys()) this.known.delete(keyOf(number, endpointId));
  }
}

const keyOf = (number: number, endpointId: string): string => `${number}/${endpointId}`;
