import type { Refusal } from '../../../probe-protocol/protocol';
import { HOUR_MS, SECOND_MS } from '../../../platform/time/time-units';
import type { ReadResult } from './sent-results';

/**
 * How far a slot or a check may be ahead of the service's clock. This allows for network latency and the error in an
 * estimated clock.
 */
const AHEAD_MS = 5 * SECOND_MS;
/** Older checks aren't accepted. No probe keeps results for this long. */
const OLDEST_MS = HOUR_MS;
/** Slots are multiples of this. */
export const RASTER_MS = 20;

/** The endpoint state that one location's results depend on. Times are milliseconds since the epoch. */
export interface AssignedState {
  /** Whether both the endpoint and its website are enabled. */
  active: boolean;
  revision: number;
  intervalMs: number;
  /** The newest slot that was recorded for this location. */
  lastSlotMs: number | null;
}

/** A request that was sent to this probe and doesn't have a result yet. */
export interface GivenAsk {
  /** UUID, or `null` for a test. */
  endpointId: string | null;
}

export type Judgement = 'record' | 'duplicate' | Refusal;

/**
 * Judges one row of a batch. `assigned` is its endpoint, if the endpoint is checked at this location. `ask` is the
 * request that the row refers to, if it was sent to this probe. A slot is judged by its distance from the newest
 * recorded slot, not by the grid, which moves when locations are added or removed.
 */
export function judgeRow(
  row: ReadResult | null,
  assigned: AssignedState | null,
  ask: GivenAsk | null,
  nowMs: number,
): Judgement {
  if (row === null) return 'invalid';
  if (row.ask !== null && (ask === null || ask.endpointId !== row.endpointId)) return 'not_a_slot';
  if (row.endpointId !== null && !assigned?.active) return 'not_assigned';
  if (assigned && row.endpointId !== null && row.revision !== assigned.revision) return 'stale_revision';
  if (Math.max(row.checkedMs, row.slotMs ?? 0) > nowMs + AHEAD_MS) return 'in_future';
  if (row.checkedMs < nowMs - OLDEST_MS) return 'too_old';
  if (row.slotMs === null || !assigned) return 'record';
  if (row.slotMs % RASTER_MS !== 0) return 'not_a_slot';
  if (assigned.lastSlotMs === null) return 'record';
  if (row.slotMs <= assigned.lastSlotMs) return 'duplicate';
  return row.slotMs - assigned.lastSlotMs < assigned.intervalMs / 2 ? 'not_a_slot' : 'record';
}
