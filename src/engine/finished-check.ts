import type { CheckError, CheckResult, Outcome } from '../checker/checker';

/** What a check found. `durationMs` is `null` for the run of a job that has not told its start. */
export type FinishedResult = Omit<CheckResult, 'durationMs'> & { durationMs: number | null };

/** The location of what the instances of the service check themselves. */
export const LOCAL = 0;
/** Of what the service itself says of an endpoint that no location looks at any more. */
export const NO_LOCATION = -1;

/** A check that is over: what it found, of which endpoint, when, and in how many attempts. */
export interface FinishedCheck {
  /** uuid of the endpoint. */
  endpointId: string;
  /** The endpoint's internal number, a bigint as text: history is stored under it. */
  endpointKey: string;
  orgId: string;
  /** Where it was checked: the number of the probe, 0 for an instance of the service itself. */
  location: number;
  /** The endpoint's revision that was checked; when the endpoint has another one by now, the result does not count. */
  revision: number;
  /**
   * The slot it was claimed for, database time in milliseconds: one that is not newer than the newest recorded is recorded
   * already. Of a heartbeat the time of the verdict; `null` when a client asked for the check.
   */
  slotMs: number | null;
  /** When the check began, database time. Milliseconds count: no two checks of one endpoint share one. */
  checkedAt: Date;
  result: FinishedResult;
  /** 2 when a failure was repeated before it was recorded; `result` is then the repeat's. */
  attempts: 1 | 2;
  /** What the first of two attempts failed with. */
  firstError: CheckError | null;
  /** Set when it is recorded: a maintenance window that is excluded from uptime covers it. */
  planned: boolean;
  /** Set when it is recorded: a maintenance window that mutes covers it. */
  muted: boolean;
  /**
   * Set when it is recorded, of an endpoint with several locations: what counts with it, the verdict of all of them. `null`: it
   * came late, and counts for its location alone. Absent of an endpoint with one location: its own outcome counts.
   */
  counted?: { outcome: Outcome; degraded: boolean } | null;
  /** Set when it is recorded, of an endpoint with locations: it came when its location would be silent already, and wakes nobody. */
  isLate?: boolean;
  /** What it depends on was known to be down when it was found bad; absent: that was not asked, nothing would trigger. */
  isParentDown?: boolean;
}

/** Up, but an assertion of severity `warning` failed. */
export const isDegraded = ({ result }: Pick<FinishedCheck, 'result'>): boolean =>
  result.outcome === 'up' && Boolean(result.warning);
