import type { FinishedCheck } from '../../endpoint/finished-check';

/** `dropped`: the endpoint is deleted, paused or changed by now, the slot was recorded before, or the result was given up. */
export type Recorded = 'recorded' | 'dropped';

/** A result that waits to be written. */
export interface PendingCheck {
  check: FinishedCheck;
  /** Monotonic milliseconds. */
  addedAt: number;
  /** How long it may wait before its batch is written. */
  maxAgeMs: number;
  /** False when it cannot change an alert: it follows on successes only. */
  affectsState: boolean;
  /** A client waits for it: it is recorded for the client when its history is written. */
  isAwaited?: boolean;
  resolve?: (recorded: Recorded) => void;
}
