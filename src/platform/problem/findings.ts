import { type FieldProblem, type Problem, problems } from './problem';

/** What a check of a body found: fields that are wrong, and targets that the egress policy refuses. */
export interface Findings {
  readonly invalid: readonly FieldProblem[];
  readonly forbidden: readonly FieldProblem[];
}

export const NO_FINDINGS: Findings = { invalid: [], forbidden: [] };

/** Those of several parts of a body. */
export const together = (parts: readonly Findings[]): Findings => ({
  invalid: parts.flatMap(({ invalid }) => invalid),
  forbidden: parts.flatMap(({ forbidden }) => forbidden),
});

/** Those of a part, under the pointer of the part. */
export const under = (parent: string, { invalid, forbidden }: Findings): Findings => {
  const moved = (problem: FieldProblem): FieldProblem => ({ ...problem, pointer: `${parent}${problem.pointer}` });
  return { invalid: invalid.map(moved), forbidden: forbidden.map(moved) };
};

/** Throws `validation_failed` with all of it, or `target_not_allowed` when the policy is all that is in the way. */
export function refuse({ invalid, forbidden }: Findings): void {
  if (invalid.length > 0) throw problems.validationFailed([...invalid, ...forbidden]);
  if (forbidden.length > 0) throw problems.targetNotAllowed(forbidden);
}

const touches = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** What the shape of a body has wrong, completed by what was found in its other fields: one problem for each field. */
export function completed(shape: readonly FieldProblem[], { invalid, forbidden }: Findings): Problem {
  const others = [...invalid, ...forbidden].filter(
    ({ pointer }) => !shape.some((problem) => touches(problem.pointer, pointer)),
  );
  return problems.validationFailed([...shape, ...others]);
}
