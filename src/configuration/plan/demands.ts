import type { FieldProblem, Problem } from '../../platform/problem/problem';
import { problems } from '../../platform/problem/problem';

/** How much of a limited resource a plan needs. */
export interface Demand {
  /** The quota's name in a problem's `quota`, and the same in words. */
  name: string;
  what: string;
  /** The limit, or `null` for no limit. */
  limit: number | null;
  /** The amount in use, excluding resources that the plan deletes. */
  used: number;
  asked: readonly { pointer: string; amount: number }[];
}

/**
 * Returns the error for the first demand that exceeds its limit, with the first resource above the limit, or `null` if
 * everything fits.
 */
export function refusalOfDemands(
  demands: readonly Demand[],
  lineOf: (pointer: string) => number | null,
): Problem | null {
  for (const { name, what, limit, used, asked } of demands) {
    const wanted = asked.reduce((sum, { amount }) => sum + amount, 0);
    if (limit === null || wanted <= 0 || used + wanted <= limit) continue;
    let sum = used;
    const found = asked.find(({ amount }) => amount > 0 && (sum += amount) > limit) ?? asked[0];
    const pointer = found?.pointer ?? '';
    const message = `this exceeds the organization's limit: ${limit} ${what}`;
    const error: FieldProblem = { pointer, line: lineOf(pointer), code: 'over_quota', message };
    return problems.quotaExceeded({ name, limit, used }, what, [error]);
  }
  return null;
}
