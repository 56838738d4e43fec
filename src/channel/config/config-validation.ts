import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { codeOfConstraint, pointerStep } from '../../platform/problem/constraint-codes';
import { type FieldProblem, MAX_ERRORS } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import type { ConfigClass } from './config-metadata';

/** Validates one value in a config. An empty result means that it is valid. Pointers are relative to the value. */
export type ValueRule = (value: unknown) => FieldProblem[];

/** The name under which class-validator reports a failed rule. */
export const RULE_CONTEXT = 'configRule';

/** The context attached to a class-validator rule, for finding the rule when a failure is reported. */
export interface RuleContext {
  judged: ValueRule;
}

/** Returns the properties that a config class accepts: those with a validation rule. */
export const knownKeys = (type: ConfigClass): string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(type, '', false, false)
      .map((metadata) => metadata.propertyName),
  ),
];

/** Returns all problems of a config. Pointers are relative to it. Unknown properties are also problems. */
export function configProblems(type: ConfigClass, input: unknown): FieldProblem[] {
  if (!isRecord(input)) return [{ pointer: '', code: 'wrong_type', message: 'must be an object' }];
  const known = knownKeys(type);
  const instance = new type();
  const refused: FieldProblem[] = [];
  for (const [key, value] of Object.entries(input)) {
    if (refused.length === MAX_ERRORS) return refused;
    const pointer = `/${pointerStep(key)}`;
    if (!known.includes(key))
      refused.push({
        pointer,
        code: 'unknown_field',
        message: `is not a known key; known keys are: ${known.join(', ')}`,
      });
    else if (value === null)
      refused.push({ pointer, code: 'wrong_type', message: 'must not be null; leave the key out instead' });
    else Object.assign(instance, { [key]: value });
  }
  const broken = validateSync(instance, { forbidUnknownValues: false }).flatMap(problemsOf);
  return [...refused, ...broken.filter(({ pointer }) => !refused.some((one) => one.pointer === pointer))];
}

function problemsOf(error: ValidationError): FieldProblem[] {
  const at = (problem: FieldProblem) => ({ ...problem, pointer: `/${error.property}${problem.pointer}` });
  const rule = error.contexts?.[RULE_CONTEXT] as RuleContext | undefined;
  const own = rule?.judged(error.value).map(at) ?? [];
  if (own.length > 0) return own;
  const nested = (error.children ?? []).flatMap(problemsOf).map(at);
  const constraint = mostTelling(error);
  return constraint ? [{ pointer: `/${error.property}`, ...constraint }, ...nested] : nested;
}

/**
 * Returns the one constraint to report. A missing property takes precedence over a wrong type, and a wrong type over
 * everything else.
 */
function mostTelling({ property, value, constraints }: ValidationError): Omit<FieldProblem, 'pointer'> | null {
  const broken = Object.entries(constraints ?? {}).map(([name, message]) => ({
    code: codeOfConstraint(name),
    message: message.startsWith(`${property} `) ? message.slice(property.length + 1) : message,
  }));
  const [first] = broken;
  if (first && value === undefined) return { code: 'required', message: 'is required' };
  return broken.find(({ code }) => code === 'wrong_type') ?? first ?? null;
}
