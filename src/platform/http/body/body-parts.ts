import { getMetadataStorage } from 'class-validator';
import { isRecord } from '../../text/json';

/** The class of a body, or of an object in one. */
export type BodyClass = new () => object;

/** A field that is an object of one class, or a list of such objects. */
export interface BodyPart {
  type: () => BodyClass;
  /** `null` for one object. */
  maxItems: number | null;
}

const PART = Symbol('http:body-part');

/** What `Nested` and `ObjectList` note, so that a body can be looked through before anything is made of it. */
export const Part =
  (part: BodyPart): PropertyDecorator =>
  (target, field) =>
    Reflect.defineMetadata(PART, part, target, field);

const known = new WeakMap<BodyClass, ReadonlyMap<string, BodyPart | null>>();

/** The fields that a class takes, with what each is made of; `null` for plain values. */
export function fieldsOf(type: BodyClass): ReadonlyMap<string, BodyPart | null> {
  const before = known.get(type);
  if (before) return before;
  const partOf = (field: string) =>
    (Reflect.getMetadata(PART, type.prototype as object, field) as BodyPart | undefined) ?? null;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = new Map(rules.map(({ propertyName }) => [propertyName, partOf(propertyName)]));
  known.set(type, fields);
  return fields;
}

/**
 * A copy with lists of objects cut after the first item too many: that they are too long is found without judging the rest.
 */
export function withCutLists(type: BodyClass, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cut: Record<string, unknown> = { ...value };
  for (const [field, part] of fieldsOf(type)) {
    const sent = value[field];
    if (part === null || sent === undefined) continue;
    const inner = (item: unknown): unknown => (isRecord(item) ? withCutLists(part.type(), item) : item);
    cut[field] = Array.isArray(sent) ? sent.slice(0, (part.maxItems ?? sent.length) + 1).map(inner) : inner(sent);
  }
  return cut;
}
