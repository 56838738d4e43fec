import type { Refusal } from '../../../probe-protocol/protocol';
import { HOUR_MS, SECOND_MS } from '../../../platform/time/time-units';
import type { ReadResult } from './sent-results';

/** How far ahead of the service's clock a slot or a check may be: what a network takes, and an estimate of a clock. */
const AHEAD_MS = 5 * SECOND_MS;
/** What was checked longer ago is not taken: no probe keeps results for so long. */
const OLDEST_MS = HOUR_MS;
/** Slots stand on this raster. */
export const RASTER_MS = 20;

/** An endpoint as far as results of one location depend on it; times are milliseconds since the epoch. */
export interface AssignedState {
  /** Endpoint and website are enabled. */
  active: boolean;
  revision: number;
  intervalMs: number;
  /** The newest slot that was recorded here. */
  lastSlotMs: number | null;
}

/** An ask that this probe was given and that has no result yet. */
export interface GivenAsk {
  /** uuid; `null` for a try-out. */
  endpointId: string | null;
}

/** What is to be done with a row. */
export type Judgement = 'record' | 'duplicate' | Refusal;

/**
 * Judges one row of a batch. `assigned`: its endpoint, when it is checked at this location; `ask`: the ask that it names,
 * when this probe was given it. A slot is judged by its distance from the newest recorded one and not by the grid, which moves
 * when locations come and go.
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
