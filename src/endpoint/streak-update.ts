import type { ErrorCode, Outcome } from '../checker/checker';

/**
 * A recorded check that counts for streaks, with the endpoint's streaks right after it. An `unknown` result has no
 * update. A batch may contain several updates of one endpoint, in the order in which they count.
 */
export interface StreakUpdate {
  orgId: string;
  endpointId: string;
  outcome: 'up' | 'down';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** The endpoint is up, but an assertion with severity `warning` failed. */
  degraded: boolean;
  /** Streaks for alerts on `degraded`. Bad means down or degraded, and good means up and not degraded. */
  consecutiveBad: number;
  consecutiveGood: number;
  /** The start of the first unmuted check of the current failure streak, or `null` without a streak. */
  failingSince: Date | null;
  /** The start of the first unmuted check of the current bad streak, or `null` without a streak. */
  badSince: Date | null;
  /**
   * When the first check of the current success streak ran, and of the current good streak. `null` without a streak or
   * if unknown.
   */
  upSince: Date | null;
  goodSince: Date | null;
  /** The results of each voting or lost location, in order. Absent for an endpoint with one location. */
  locations?: readonly LocationSeen[];
  /** The result is much older than its record: it may resolve an alert, but not trigger one. */
  isLate?: boolean | undefined;
  /** A muting maintenance window covers the check. */
  muted: boolean;
  /** A parent was down after the check. It may be up by now. */
  isParentDown?: boolean | undefined;
  checkedAt: Date;
  /** `null` if unknown. */
  durationMs: number | null;
  statusCode: number | null;
  address: string | null;
  error: { code: ErrorCode; message: string } | null;
  /** Set exactly if `degraded` is true. */
  warning: { code: ErrorCode; message: string } | null;
}

/** The newest result of one of several locations. */
export interface LocationSeen {
  /** The number of the probe, or 0 for the service itself. */
  number: number;
  outcome: Outcome;
  /** The location has not responded for so long that the others decide without it. */
  isLost: boolean;
  error: { code: ErrorCode; message: string } | null;
}
