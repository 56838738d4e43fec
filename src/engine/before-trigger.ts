import type { FinishedCheck } from './finished-check';
import type { CheckDefinition } from './check-definition';

/**
 * Runs a check in the same way as the check that needs it. `checkedAt` is its start time, according to the database's
 * clock. Resolves to `null` if `signal` canceled it.
 */
export type RunCheck = (
  definition: CheckDefinition,
  checkedAt: Date,
  signal: AbortSignal,
) => Promise<FinishedCheck | null>;

/** Whether a failure would trigger an alert, either on its own or if enough other locations fail too. */
export type Near = 'no' | 'alone' | 'with_others';

/** The steps before a failed check is recorded. There are none unless the check may trigger an alert. */
export abstract class BeforeTrigger {
  /** Whether failures are confirmed by a second attempt before they are recorded. */
  abstract get repeats(): boolean;

  /**
   * Returns whether recording the failure would trigger an alert. Only a failure that would do so on its own is
   * confirmed by a second attempt. Otherwise, checks are requested from other locations.
   */
  abstract nearOf(failure: FinishedCheck): Promise<Near>;

  /**
   * Returns whether one of the endpoint's parents is down. Checks the parents now with `run`, unless they have been
   * checked since `foundAt`. Resolves soon after `shutdown` aborts at the latest.
   */
  abstract isParentDown(failure: FinishedCheck, foundAt: Date, run: RunCheck, shutdown: AbortSignal): Promise<boolean>;
}
