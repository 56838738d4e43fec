import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../../platform/cache/bounded-map';
import { WorkerDatabase } from '../../../platform/database/database';
import { epochMs } from '../../../platform/database/epoch-ms';
import { type AssignedState, judgeRow } from './row-rules';
import type { ReadResult } from './sent-results';

/** An endpoint of a probe, as its results are judged and recorded by it. */
export interface Assigned extends AssignedState {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  certificateWarnDays: number | null;
  lastCheckedMs: number | null;
}

/** Endpoints of all probes that are known at once, about 300 bytes each; one that is not is read again. */
const MAX_KNOWN = 100_000;

// Cost: of each endpoint three look-ups by primary key.
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
 * The endpoints that probes send results of. What was read once is kept, and may be old: it is good enough to take a result,
 * which the recorder judges again by what is stored, and never to refuse one.
 */
@Injectable()
export class AssignedEndpoints {
  private readonly known = new BoundedMap<string, Assigned>(MAX_KNOWN);

  constructor(private readonly database: WorkerDatabase) {}

  /**
   * Those of these rows, by endpoint, copies for whoever judges them. One statement where one of them is not known or what is
   * known speaks against its row, none otherwise. `number`: the probe's.
   */
  async of(number: number, sent: readonly (ReadResult | null)[], nowMs: number): Promise<Map<string, Assigned>> {
    // Copies of before the statement: what is forgotten or moves meanwhile must refuse nothing.
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

  /** As they are stored now. One statement, none without endpoints. */
  async read(number: number, endpointIds: readonly string[]): Promise<Map<string, Assigned>> {
    if (endpointIds.length === 0) return new Map();
    const rows = await this.database.query<Assigned>(ASSIGNED, [number, endpointIds]);
    return new Map(rows.map((row) => [row.endpointId, row]));
  }

  /** As they will be once what was judged by them is recorded. */
  keep(number: number, assigned: Known): void {
    for (const [endpointId, one] of assigned) this.known.set(keyOf(number, endpointId), one);
  }

  /** What was judged by them may not be recorded. */
  forget(number: number, assigned: Known): void {
    for (const endpointId of assigned.keys()) this.known.delete(keyOf(number, endpointId));
  }
}

const keyOf = (number: number, endpointId: string): string => `${number}/${endpointId}`;
