import type { ErrorCode, Outcome } from '../checker/checker';

/**
 * A recorded check that counts for streaks, with the endpoint's streaks right after it. An `unknown` result makes none.
 * A batch may hold several updates of one endpoint, in the order in which they count.
 */
export interface StreakUpdate {
  orgId: string;
  endpointId: string;
  outcome: 'up' | 'down';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** Up, but an assertion of severity `warning` failed. */
  degraded: boolean;
  /** Streaks for alerts on `degraded`: bad is down or degraded, good is up and not degraded. */
  consecutiveBad: number;
  consecutiveGood: number;
  /** When the first check of the running failure streak began that no mute covered; `null` without one. */
  failingSince: Date | null;
  /** When the first check of the running streak of bad checks began that no mute covered; `null` without one. */
  badSince: Date | null;
  /** When the first check of the running streak of successes ran, and of that of good ones; `null` without one or where unknown. */
  upSince: Date | null;
  goodSince: Date | null;
  /** What each voting or lost location saw, in their order; absent of an endpoint with one location. */
  locations?: readonly LocationSeen[];
  /** It was found long before it was recorded: it may resolve an alert, and triggers none. */
  isLate?: boolean | undefined;
  /** A maintenance window that mutes covers the check. */
  muted: boolean;
  /** What it depends on was known to be down after the check, and may be up by now. */
  isParentDown?: boolean | undefined;
  checkedAt: Date;
  /** `null` where there is none to tell. */
  durationMs: number | null;
  statusCode: number | null;
  address: string | null;
  error: { code: ErrorCode; message: string } | null;
  /** Set exactly when `degraded`. */
  warning: { code: ErrorCode; message: string } | null;
}

/** What one of several locations saw by its newest result. */
export interface LocationSeen {
  /** Number of the probe, 0 for the service itself. */
  number: number;
  outcome: Outcome;
  /** It has been silent for so long that the others decide without it. */
  isLost: boolean;
  error: { code: ErrorCode; message: string } | null;
}
