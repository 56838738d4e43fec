import type { CheckError, CheckResult } from '../checker/checker';

/** One finished check as it goes into history. */
export interface RecordedCheck {
  /** The endpoint's internal number, a bigint as text: what its history is stored under. */
  endpointKey: string;
  /** uuid of the endpoint. */
  endpointId: string;
  /** When the check began; milliseconds count, and no two checks of one endpoint share one. */
  checkedAt: Date;
  result: CheckResult;
  /** 2 when a failure was repeated before it was recorded; `report` is then the repeat's. */
  attempts: 1 | 2;
  /** What the first attempt failed with, when there were two. */
  firstError: CheckError | null;
}
