import { type AssertionFacts, failureSentence, firstFailure } from './assertion-evaluator';
import type { Assertion } from './assertion';
import { type CheckFailure, down } from '../check-failure';

/** What the first assertion that does not hold means for a check; `null` when all hold. */
export function assertionFailure(assertions: readonly Assertion[], facts: AssertionFacts): CheckFailure | null {
  const failed = firstFailure(assertions, facts);
  return failed && down('assertion_failed', 'assertion', failureSentence(failed));
}
