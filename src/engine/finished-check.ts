import type { CheckError, CheckResult, Outcome } from '../checker/checker';

/** The result of a check. `durationMs` is `null` for a job run that didn't report its start. */
export type FinishedResult = Omit<CheckResult, 'durationMs'> & { durationMs: number | null };

/** The location of checks that run on instances of the service. */
export const LOCAL = 0;
/** The location of results that the service itself adds when no location checks an endpoint anymore. */
export const NO_LOCATION = -1;

/** A finished check: its result, endpoint, time, and number of attempts. */
export interface FinishedCheck {
  /** UUID of the endpoint. */
  endpointId: string;
  /** The endpoint's internal number, a bigint as text. History is stored under this number. */
  endpointKey: string;
  orgId: string;
  /** The location where the check ran: the number of the probe, or 0 for an instance of the service. */
  location: number;
  /**
   * The revision of the endpoint that was checked. If the endpoint's revision has changed in the meantime, the result
   * doesn't count.
   */
  revision: number;
  /**
   * The slot that the check was claimed for, in milliseconds of the database's clock. A slot that isn't newer than the
   * newest recorded one has already been recorded. For a heartbeat, the time of the verdict. `null` for an on-demand
   * check.
   */
  slotMs: number | null;
  /**
   * When the check started, according to the database's clock. Unique for each endpoint, with millisecond precision.
   */
  checkedAt: Date;
  result: FinishedResult;
  /**
   * 2 if a failure was confirmed by a second attempt before it was recorded. `result` is then from the second attempt.
   */
  attempts: 1 | 2;
  /** The first attempt's error, if there were two attempts. */
  firstError: CheckError | null;
  /** Set when recording: whether the check is covered by a maintenance window that is excluded from uptime. */
  planned: boolean;
  /** Set when recording: whether the check is covered by a maintenance window that mutes alerts. */
  muted: boolean;
  /**
   * Set when recording a check of an endpoint with several locations: the combined verdict of all locations, which
   * counts instead of the outcome. `null` if the check came late and only counts for its location. Absent for an
   * endpoint with one location, where the outcome counts.
   */
  counted?: { outcome: Outcome; degraded: boolean } | null;
  /**
   * Set when recording a check of an endpoint with locations: whether it arrived so late that its location would count
   * as silent. Such a check triggers nothing.
   */
  isLate?: boolean;
  /**
   * Whether a parent was known to be down when the failure was found. Absent if that wasn't looked up, because nothing
   * would trigger.
   */
  isParentDown?: boolean;
}

/** Returns whether the check is up but an assertion with severity `warning` failed. */
export const isDegraded = ({ result }: Pick<FinishedCheck, 'result'>): boolean =>
  result.outcome === 'up' && Boolean(result.warning);
