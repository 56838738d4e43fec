import 'reflect-metadata';
import type { MetadataStorage, ValidationError } from 'class-validator';
import { codeOfConstraint, pointerStep } from '../../platform/problem/constraint-codes';
import { type FieldProblem, MAX_ERRORS } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import type { ConfigClass } from './config-metadata';

/** Validates one value in a config. An empty result means that it is valid. Pointers are relative to the value. */
export type ValueRule = (value: unknown) => FieldProblem[];

/** The rule of a property. An optional property may be missing. */
interface PropertyRule {
  judge: ValueRule;
  isOptional: boolean;
}

type ValidationMetadata = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];

const RULES = Symbol('channel:rules');
const CONDITION = 'conditionalValidation';

/** Sets the rule of a property. */
export const ruledBy =
  (rule: PropertyRule): PropertyDecorator =>
  (target, key) =>
    Reflect.defineMetadata(RULES, new Map(ownRules(target)).set(String(key), rule), target);

const ownRules = (prototype: object): ReadonlyMap<string, PropertyRule> =>
  (Reflect.getOwnMetadata(RULES, prototype) as ReadonlyMap<string, PropertyRule> | undefined) ?? new Map();

/** Returns the rules of a class, followed by those that it inherits. */
function rulesOf(type: ConfigClass): Map<string, PropertyRule> {
  const rules = new Map<string, PropertyRule>();
  for (let of: object | null = type.prototype as object; of !== null; of = Object.getPrototypeOf(of) as object | null)
    for (const [key, rule] of ownRules(of)) if (!rules.has(key)) rules.set(key, rule);
  return rules;
}

/** Returns the properties that a config class accepts: those with a validation rule. */
export const knownKeys = (type: ConfigClass): string[] => [
  ...new Set([...constraintsOf(type).map(({ propertyName }) => propertyName), ...rulesOf(type).keys()]),
];

/**
 * Returns what the decorators of class-validator require, which a class may also use. The package stores it in this
 * global object. Without that object, no class uses it, and it isn't loaded: a probe needs 8 MiB less.
 */
const constraintsOf = (type: ConfigClass): readonly ValidationMetadata[] =>
  'classValidatorMetadataStorage' in globalThis
    ? classValidator().getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)
    : [];

// oxlint-disable-next-line typescript/no-require-imports -- a probe doesn't load it
const classValidator = () => require('class-validator') as typeof import('class-validator');

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
  const ruled = brokenRules(type, instance as Record<string, unknown>);
  const broken = [...without(brokenConstraints(type, instance), ruled), ...ruled];
  return [...refused, ...without(broken, refused)];
}

/** Returns the problems of properties that aren't among the others. */
const without = (problems: readonly FieldProblem[], others: readonly FieldProblem[]): FieldProblem[] =>
  problems.filter(({ pointer }) => !others.some((one) => one.pointer === pointer));

/** Judges each property by its rule, unless a condition of class-validator, such as `ValidateIf`, skips it. */
function brokenRules(type: ConfigClass, instance: Readonly<Record<string, unknown>>): FieldProblem[] {
  const conditions = constraintsOf(type).filter((one) => one.type === CONDITION);
  return [...rulesOf(type)].flatMap(([key, { judge, isOptional }]) => {
    const value = instance[key];
    if (value === undefined && isOptional) return [];
    const holds = ({ propertyName, constraints }: ValidationMetadata): boolean =>
      propertyName !== key || Boolean((constraints[0] as (of: object, given: unknown) => unknown)(instance, value));
    if (!conditions.every(holds)) return [];
    return judge(value).map((problem) => ({ ...problem, pointer: `/${key}${problem.pointer}` }));
  });
}

const brokenConstraints = (type: ConfigClass, instance: object): FieldProblem[] =>
  constraintsOf(type).length === 0
    ? []
    : classValidator().validateSync(instance, { forbidUnknownValues: false }).flatMap(problemsOf);

function problemsOf(error: ValidationError): FieldProblem[] {
  const nested = (error.children ?? [])
    .flatMap(problemsOf)
    .map((problem) => ({ ...problem, pointer: `/${error.property}${problem.pointer}` }));
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
