import type { FieldProblem } from '../../platform/problem/problem';

export interface ReadDocument {
  value: unknown;
  /** Of each value in the order of `Object.keys`, the outermost first. 1-based. */
  lines: ArrayLike<number>;
  /** In the same order: how many values it is with all that are in it. */
  sizes: ArrayLike<number>;
}
export type ReadText = { documents: ReadDocument[] } | { problems: FieldProblem[] };

/** Never throws. */
export function read(text: string): ReadText;
