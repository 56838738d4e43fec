import type { CheckError, CheckReport } from '../checker/checker';
import type { Definition } from './check-definition';

/** A finished check on its way into the database. */
export interface CheckOutcome {
  definition: Definition;
  /** The slot it was claimed for, database time in milliseconds; `null` when somebody asked for it. */
  slotMs: number | null;
  /** When it began, database time in milliseconds. */
  checkedMs: number;
  report: CheckReport;
  attempts: 1 | 2;
  firstError: CheckError | null;
}
