import type { FieldProblem } from '../../platform/problem/problem';

export interface ReadDocument {
  value: unknown;
  /** The 1-based line number of each value, in the order of `Object.keys`, outermost first. */
  lines: ArrayLike<number>;
  /** The number of values in each value, including itself, in the same order. */
  sizes: ArrayLike<number>;
}
export type ReadText = { documents: ReadDocument[] } | { problems: FieldProblem[] };

/** Never throws. */
export function read(text: string): ReadText;
