import type { CheckError, CheckResult } from '../checker/checker';
import type { CheckDefinition } from './check-definition';

/** A finished check on its way into the database. */
export interface FinishedCheck {
  definition: CheckDefinition;
  /** The slot it was claimed for, database time in milliseconds; `null` when somebody asked for it. */
  slotMs: number | null;
  /** When it began, database time in milliseconds. */
  checkedMs: number;
  result: CheckResult;
  attempts: 1 | 2;
  firstError: CheckError | null;
}
