import type { FinishedCheck } from './finished-check';
import type { CheckDefinition } from './check-definition';

/**
 * Runs a check in the same way as the check that needs it, at `checkedAt` by the database's clock. Resolves to `null`
 * if `signal` ended it.
 */
export type RunCheck = (
  definition: CheckDefinition,
  checkedAt: Date,
  signal: AbortSignal,
) => Promise<FinishedCheck | null>;

/** Whether a failure would trigger an alert: on its own, or if enough other locations see the same. */
export type Near = 'no' | 'alone' | 'with_others';

/** The steps before a failed check is recorded. There are none, unless it may trigger an alert. */
export abstract class BeforeTrigger {
  /** Whether failures are repeated before they are recorded. */
  abstract get repeats(): boolean;

  /**
   * Returns whether recording the failure would trigger an alert. Only a failure that would do so on its own is
   * repeated. Otherwise other locations are asked.
   */
  abstract nearOf(failure: FinishedCheck): Promise<Near>;

  /**
   * Returns whether a parent of the endpoint is down. Checks the parents now with `run`, unless they were checked since
   * `foundAt`. Resolves soon after `shutdown` aborts at the latest.
   */
  abstract isParentDown(failure: FinishedCheck, foundAt: Date, run: RunCheck, shutdown: AbortSignal): Promise<boolean>;
}
