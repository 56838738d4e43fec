import type { ErrorCode } from '../checker/checker';

/**
 * A recorded check that counts for streaks, with the endpoint's streaks right after it. An `unknown` result makes none.
 * A batch may hold several updates of one endpoint, in the order in which they count.
 */
export interface StreakUpdate {
  orgId: string;
  endpointId: string;
  outcome: 'up' | 'down';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** When the first check of the running failure streak began; `null` after a success. */
  failingSince: Date | null;
  checkedAt: Date;
  durationMs: number;
  statusCode: number | null;
  address: string | null;
  error: { code: ErrorCode; message: string } | null;
}
