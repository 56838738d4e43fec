import type { CheckError, CheckResult, Outcome } from '../checker/checker';

/** The result of a check. `durationMs` is `null` for a job run that didn't report its start. */
export type FinishedResult = Omit<CheckResult, 'durationMs'> & { durationMs: number | null };

/** The location of checks that run on instances of the service. */
export const LOCAL = 0;
/** The location of results that the service itself adds when no location checks an endpoint anymore. */
export const NO_LOCATION = -1;

/**
 * A finished check: its result, endpoint, time, and number of attempts. It never changes. Recording it makes a copy if
 * maintenance or other locations affect how it counts.
 */
export interface FinishedCheck {
  /** UUID of the endpoint. */
  readonly endpointId: string;
  /** The endpoint's internal number, a bigint as text. History is stored under this number. */
  readonly endpointKey: string;
  readonly orgId: string;
  /** The location where the check ran: the number of the probe, or 0 for an instance of the service. */
  readonly location: number;
  /**
   * The revision of the endpoint that was checked. If the endpoint's revision has changed in the meantime, the result
   * doesn't count.
   */
  readonly revision: number;
  /**
   * The slot that the check was claimed for, in milliseconds of the database's clock. A slot that isn't newer than the
   * newest recorded one has already been recorded. For a heartbeat, the time of the verdict. `null` for an on-demand
   * check.
   */
  readonly slotMs: number | null;
  /**
   * When the check started, according to the database's clock. Unique for each endpoint, with millisecond precision.
   */
  readonly checkedAt: Date;
  readonly result: FinishedResult;
  /**
   * 2 if a failure was confirmed by a second attempt before it was recorded. `result` is then from the second attempt.
   */
  readonly attempts: 1 | 2;
  /** The first attempt's error, if there were two attempts. */
  readonly firstError: CheckError | null;
  /** Whether the check is covered by a maintenance window that is excluded from uptime. Known when it is recorded. */
  readonly planned: boolean;
  /** Whether the check is covered by a maintenance window that mutes alerts. Known when it is recorded. */
  readonly muted: boolean;
  /**
   * In a recorded check of an endpoint with several locations: the combined verdict of all locations, which
   * counts instead of the outcome. `null` if the check came late and only counts for its location. Absent for an
   * endpoint with one location, where the outcome counts.
   */
  readonly counted?: Readonly<{ outcome: Outcome; degraded: boolean }> | null;
  /**
   * In a recorded check of an endpoint with locations: whether it arrived so late that its location would count
   * as silent. Such a check triggers nothing.
   */
  readonly isLate?: boolean;
  /**
   * Whether a parent was known to be down when the failure was found. Absent if that wasn't looked up, because nothing
   * would trigger.
   */
  readonly isParentDown?: boolean;
}

/** Returns whether the check is up but an assertion with severity `warning` failed. */
export const isDegraded = ({ result }: Pick<FinishedCheck, 'result'>): boolean =>
  result.outcome === 'up' && Boolean(result.warning);
