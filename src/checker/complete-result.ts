import type { CheckError, CheckResult } from './checker';

/** What a checker of another package may return: one that was made before there were warnings says nothing of them. */
type ReturnedResult = Omit<CheckResult, 'warning'> & { warning?: CheckError | null | undefined };

const MAX_MESSAGE = 300;

/**
 * The result of a checker as everything behind it may rely on: `warning` is there, `null` unless the outcome is `up`, and
 * no longer than an error. Every result passes here once, where it comes in.
 */
export function completeResult(result: ReturnedResult): CheckResult {
  const { warning, outcome } = result;
  // What the built-in checkers return is taken as it is: this is on the way of every check.
  if (warning === null) return result as CheckResult;
  if (warning === undefined || outcome !== 'up') return { ...result, warning: null };
  if (warning.message.length <= MAX_MESSAGE) return result as CheckResult;
  return { ...result, warning: { ...warning, message: warning.message.slice(0, MAX_MESSAGE) } };
}
