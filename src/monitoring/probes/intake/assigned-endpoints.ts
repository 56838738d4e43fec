import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../../platform/cache/bounded-map';
import { WorkerDatabase } from '../../../platform/database/database';
import { epochMs } from '../../../platform/database/epoch-ms';
import { type AssignedState, judgeRow } from './row-rules';
import type { ReadResult } from './sent-results';

/** An endpoint that a probe checks, with the fields that are needed to process its results. */
export interface Assigned extends AssignedState {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  certificateWarnDays: number | null;
  lastCheckedMs: number | null;
}

/** The maximum number of cached endpoints for all probes, about 300 bytes each. Other endpoints are read again. */
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
 * A cache of the endpoints that probes send results for. Cached rows may be outdated. They are good enough to accept a
 * result, which the recorder checks again, but never to reject one.
 */
@Injectable()
export class AssignedEndpoints {
  private readonly known = new BoundedMap<string, Assigned>(MAX_KNOWN);

  constructor(private readonly database: WorkerDatabase) {}

  /**
   * Returns the endpoints for these rows, by ID, as copies for the caller. `number` is the probe's number. Cost: one
   * statement if an endpoint isn't cached or its cached state contradicts a row, otherwise none.
   */
  async of(number: number, sent: readonly (ReadResult | null)[], nowMs: number): Promise<Map<string, Assigned>> {
    // These copies are made before the statement. If an entry is evicted or changes during it, a row must not be
    // rejected because of that.
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

  /** Reads the endpoints as they are currently stored. Cost: one statement, or none if the list is empty. */
  async read(number: number, endpointIds: readonly string[]): Promise<Map<string, Assigned>> {
    if (endpointIds.length === 0) return new Map();
    const rows = await this.database.query<Assigned>(ASSIGNED, [number, endpointIds]);
    return new Map(rows.map((row) => [row.endpointId, row]));
  }

  /** Caches the endpoints in the state that they will have once the judged rows are recorded. */
  keep(number: number, assigned: Known): void {
    for (const [endpointId, one] of assigned) this.known.set(keyOf(number, endpointId), one);
  }

  /** Removes the endpoints from the cache, because the judged rows may not be recorded. */
  forget(number: number, assigned: Known): void {
    for (const endpointId of assigned.keys()) this.known.delete(keyOf(number, endpointId));
  }
}

const keyOf = (number: number, endpointId: string): string => `${number}/${endpointId}`;
