import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { isRecord } from '../../text/json';

/** The class of a body, or of an object in one. */
export type BodyClass = new () => object;

interface Field {
  /** Of an object, or of each item of a list of objects; `null` for plain values. */
  type: BodyClass | null;
  /** Of a list that may have only so many. */
  maxItems: number | null;
}

const PART = Symbol('http:body-part');

/** What `Nested` and `ObjectList` note, so that a body can be looked through before anything is made of it. */
export const Part =
  (type: () => BodyClass): PropertyDecorator =>
  (target, field) =>
    Reflect.defineMetadata(PART, type, target, field);

const known = new WeakMap<BodyClass, ReadonlyMap<string, Field>>();

/** The fields that a class takes. */
export function fieldsOf(type: BodyClass): ReadonlyMap<string, Field> {
  const before = known.get(type);
  if (before) return before;
  const fields = new Map<string, Field>();
  for (const { propertyName, name, constraints } of getMetadataStorage().getTargetValidationMetadatas(
    type,
    '',
    false,
    false,
  )) {
    const part = Reflect.getMetadata(PART, type.prototype as object, propertyName) as (() => BodyClass) | undefined;
    const field = fields.get(propertyName) ?? { type: part?.() ?? null, maxItems: null };
    const [most] = (name === 'arrayMaxSize' && (constraints as unknown[] | undefined)) || [];
    fields.set(propertyName, typeof most === 'number' ? { ...field, maxItems: most } : field);
  }
  known.set(type, fields);
  return fields;
}

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
