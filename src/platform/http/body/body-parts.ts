import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isRecord } from '../../text/json';

/** The class of a body or of an object inside a body. */
export type BodyClass = new () => object;

interface Field {
  /** The class of the object, or of each object in a list. `null` for plain values. */
  type: BodyClass | null;
  /** Whether the field is accepted and ignored. */
  isReadOnly: boolean;
  /** The maximum number of items if the field is a list with a limit, otherwise `null`. */
  maxItems: number | null;
}

/**
 * The name of the rule that records a nested object's class. With it, a body can be inspected before any DTO is
 * created.
 */
export const PART_RULE = 'part';

/** The rules that class-validator records for a field that has no rules. */
const WITHOUT_RULE = [ValidationTypes.WHITELIST, ValidationTypes.CONDITIONAL_VALIDATION];

const known = new WeakMap<BodyClass, ReadonlyMap<string, Field>>();

export function fieldsOf(type: BodyClass): ReadonlyMap<string, Field> {
  const before = known.get(type);
  if (before) return before;
  const fields = new Map<string, Field>();
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  for (const { propertyName, name, type: kind, constraints } of rules) {
    const field = fields.get(propertyName) ?? { type: null, isReadOnly: true, maxItems: null };
    fields.set(propertyName, field);
    if (!WITHOUT_RULE.includes(kind)) field.isReadOnly = false;
    const [value] = (constraints ?? []) as unknown[];
    if (name === 'arrayMaxSize' && typeof value === 'number') field.maxItems = value;
    if (name === PART_RULE) field.type = (value as () => BodyClass)();
  }
  known.set(type, fields);
  return fields;
}

/** Returns the names of the fields that a class accepts and doesn't ignore. */
export const settableFields = (type: BodyClass): string[] =>
  [...fieldsOf(type)].flatMap(([name, { isReadOnly }]) => (isReadOnly ? [] : [name]));

/**
 * Returns the body as an instance of its class, with nested objects as instances of their classes. Values that a field
 * can't hold are not converted. A list is cut after the first item above its limit.
 */
export function dtoOf(type: BodyClass, body: Readonly<Record<string, unknown>>): object {
  const fields = fieldsOf(type);
  const plain: Record<string, unknown> = {};
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const { type: part = null, maxItems = null } = fields.get(name) ?? {};
    if (!Array.isArray(value)) (isSimple(value) ? plain : kept)[name] = part ? partOf(part, value) : value;
    else if (maxItems === null) kept[name] = part ? [] : value;
    else {
      const some: readonly unknown[] = value.slice(0, maxItems + 1);
      if (part) kept[name] = some.map((item) => (Array.isArray(item) ? [] : partOf(part, item)));
      else (some.every(isSimple) ? plain : kept)[name] = some;
    }
  }
  return Object.assign(plainToInstance(type, plain), kept);
}

const partOf = (type: BodyClass, value: unknown): unknown => (isRecord(value) ? dtoOf(type, value) : value);
const isSimple = (value: unknown): boolean => typeof value !== 'object' || value === null;
