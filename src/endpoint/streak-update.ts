import type { ErrorCode } from '../checker/checker';

/**
 * One recorded result that counts for streaks, with the endpoint's streaks right after it. `unknown` results make none.
 * A batch may hold several steps of one endpoint; they are in the order in which they count.
 */
export interface StreakUpdate {
  orgId: string;
  endpointId: string;
  outcome: 'up' | 'down';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** When the first check of the running (or just ended) failure streak ran. */
  failingSince: Date | null;
  checkedAt: Date;
  durationMs: number;
  statusCode: number | null;
  address: string | null;
  error: { code: ErrorCode; message: string } | null;
}
