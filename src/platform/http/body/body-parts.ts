import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isRecord } from '../../text/json';

/** The class of a body, or of an object in one. */
export type BodyClass = new () => object;

interface Field {
  /** Of an object, or of each item of a list of objects; `null` for plain values. */
  type: BodyClass | null;
  /** Taken and ignored. */
  isReadOnly: boolean;
  /** Of a list that may have only so many. */
  maxItems: number | null;
}

/** The rule that notes the class of a part, so that a body can be looked through before anything is made of it. */
export const PART_RULE = 'part';

/** What is noted of a field that has no rule. */
const WITHOUT_RULE = [ValidationTypes.WHITELIST, ValidationTypes.CONDITIONAL_VALIDATION];

const known = new WeakMap<BodyClass, ReadonlyMap<string, Field>>();

/** The fields that a class takes. */
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

/** The names of the fields that a class takes and does not ignore. */
export const settableFields = (type: BodyClass): string[] =>
  [...fieldsOf(type)].flatMap(([name, { isReadOnly }]) => (isReadOnly ? [] : [name]));

/**
 * The body as an instance of its class, parts of it as instances of theirs. What a field cannot hold is not gone through: a
 * list is cut after the first item too many, what is no list or no object of its class is not made into one.
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
