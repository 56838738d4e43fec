import type { ErrorCode, Outcome } from '../checker/checker';

/**
 * A recorded check that counts toward streaks, with the endpoint's streaks right after it. An `unknown` result has no
 * update. A batch may contain several updates for one endpoint, in the order in which they count.
 */
export interface StreakUpdate {
  orgId: string;
  endpointId: string;
  outcome: 'up' | 'down';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** The endpoint is up, but an assertion with severity `warning` failed. */
  degraded: boolean;
  /** The streaks for alerts on `degraded`. Bad means down or degraded, and good means up and not degraded. */
  consecutiveBad: number;
  consecutiveGood: number;
  /** The start of the first unmuted check of the current failure streak, or `null` if there is no such streak. */
  failingSince: Date | null;
  /** The start of the first unmuted check of the current bad streak, or `null` if there is no such streak. */
  badSince: Date | null;
  /**
   * The start of the first check of the current success streak, and of the current good streak. `null` if there is no
   * such streak or the start is unknown.
   */
  upSince: Date | null;
  goodSince: Date | null;
  /** The result of each voting or lost location, in order. Absent for an endpoint with one location. */
  locations?: readonly LocationSeen[];
  /** The check ran long before its result was recorded. The result may resolve an alert, but not trigger one. */
  isLate?: boolean | undefined;
  /** A maintenance window that mutes alerts covers the check. */
  muted: boolean;
  /** A parent was down after the check. It may be up by now. */
  isParentDown?: boolean | undefined;
  checkedAt: Date;
  /** `null` if unknown. */
  durationMs: number | null;
  statusCode: number | null;
  address: string | null;
  error: { code: ErrorCode; message: string } | null;
  /** Set if and only if `degraded` is true. */
  warning: { code: ErrorCode; message: string } | null;
}

/** The newest result from one of several locations. */
export interface LocationSeen {
  /** The number of the probe, or 0 for the service itself. */
  number: number;
  outcome: Outcome;
  /** The location hasn't responded for so long that the others decide without it. */
  isLost: boolean;
  error: { code: ErrorCode; message: string } | null;
}
