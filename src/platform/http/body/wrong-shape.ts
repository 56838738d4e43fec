import { type FieldProblem, Problem, problems } from '../../problem/problem';
import { isRecord } from '../../text/json';

/** The problem for a body that isn't a valid DTO for its route. Contains the valid fields. */
export class WrongShape extends Problem {
  constructor(
    readonly shape: readonly FieldProblem[],
    readonly fields: object,
  ) {
    const { code, detail, errors } = problems.validationFailed(shape);
    super(code, detail, errors);
  }
}

const nameOf = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Removes the fields that have these problems. List items are kept, so that the other items keep their positions. */
export function withoutWrong(dto: object, shape: readonly FieldProblem[]): object {
  for (const { pointer } of shape) {
    const steps = pointer.split('/').slice(1).map(nameOf);
    const last = steps.pop();
    const parent = steps.reduce<unknown>(
      (at, step) => (isRecord(at) || Array.isArray(at) ? (at as Record<string, unknown>)[step] : undefined),
      dto,
    );
    if (last !== undefined && isRecord(parent)) Reflect.deleteProperty(parent, last);
  }
  return dto;
}
