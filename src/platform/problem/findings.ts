import { type FieldProblem, type Problem, problems } from './problem';

/** The findings from checking a body: invalid fields, and targets that the egress policy refuses. */
export interface Findings {
  readonly invalid: readonly FieldProblem[];
  readonly forbidden: readonly FieldProblem[];
}

export const NO_FINDINGS: Findings = { invalid: [], forbidden: [] };

export const together = (parts: readonly Findings[]): Findings => ({
  invalid: parts.flatMap(({ invalid }) => invalid),
  forbidden: parts.flatMap(({ forbidden }) => forbidden),
});

/** Moves the findings for a nested object below its pointer. */
export const under = (parent: string, { invalid, forbidden }: Findings): Findings => {
  const moved = (problem: FieldProblem): FieldProblem => ({ ...problem, pointer: `${parent}${problem.pointer}` });
  return { invalid: invalid.map(moved), forbidden: forbidden.map(moved) };
};

/** Throws `validation_failed` with all findings, or `target_not_allowed` if there are only egress refusals. */
export function refuse({ invalid, forbidden }: Findings): void {
  if (invalid.length > 0) throw problems.validationFailed([...invalid, ...forbidden]);
  if (forbidden.length > 0) throw problems.targetNotAllowed(forbidden);
}

const touches = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** Returns the problems with a body's shape together with the findings for its other fields, at most one per field. */
export function completed(shape: readonly FieldProblem[], { invalid, forbidden }: Findings): Problem {
  const others = [...invalid, ...forbidden].filter(
    ({ pointer }) => !shape.some((problem) => touches(problem.pointer, pointer)),
  );
  return problems.validationFailed([...shape, ...others]);
}
