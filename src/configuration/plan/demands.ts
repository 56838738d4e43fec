import type { FieldProblem, Problem } from '../../platform/problem/problem';
import { problems } from '../../platform/problem/problem';

/** What a plan asks for of something that there may be only so much of. */
export interface Demand {
  /** As in `quota` of a problem, and in words. */
  name: string;
  what: string;
  /** `null`: no limit. */
  limit: number | null;
  /** When it is asked for: without what goes before. */
  used: number;
  asked: readonly { pointer: string; amount: number }[];
}

/** The refusal of the first demand that there is no room for, at the resource that is too much; `null` when there is none. */
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
    const message = `this exceeds the limit of the organization: ${limit} ${what}`;
    const error: FieldProblem = { pointer, line: lineOf(pointer), code: 'over_quota', message };
    return problems.quotaExceeded({ name, limit, used }, what, [error]);
  }
  return null;
}
