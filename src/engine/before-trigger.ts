import type { FinishedCheck } from './finished-check';
import type { CheckDefinition } from './check-definition';

/** Runs a check as the one that asks is run, at `checkedAt` by the database's clock; `null` when `signal` ended it. */
export type RunCheck = (
  definition: CheckDefinition,
  checkedAt: Date,
  signal: AbortSignal,
) => Promise<FinishedCheck | null>;

/** Whether a failure would trigger an alert: by itself, or when enough other locations see the same. */
export type Near = 'no' | 'alone' | 'with_others';

/** What a bad check has to go through before it is recorded: nothing, unless it may trigger an alert. */
export abstract class BeforeTrigger {
  /** Whether failures are repeated before they are recorded. */
  abstract get repeats(): boolean;

  /** Whether recording the failure would trigger an alert. Only one that would by itself is repeated: else others are asked. */
  abstract nearOf(failure: FinishedCheck): Promise<Near>;

  /**
   * Whether one of the endpoints that this one depends on is down; they are checked now with `run`, unless they were since
   * `foundAt`. Resolves at the latest soon after `shutdown` aborts.
   */
  abstract isParentDown(failure: FinishedCheck, foundAt: Date, run: RunCheck, shutdown: AbortSignal): Promise<boolean>;
}
