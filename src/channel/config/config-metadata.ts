import 'reflect-metadata';

/** A class that declares the config of a channel. */
export type ConfigClass = new () => object;

/** What a key of a config class can be marked as; `config-fields.ts` says what each mark means. */
export type KeyMark = 'secret' | 'signing' | 'confidential' | 'dialed';

const MARKS: Readonly<Record<KeyMark, symbol>> = {
  secret: Symbol('channel:secret'),
  signing: Symbol('channel:signing'),
  confidential: Symbol('channel:confidential'),
  dialed: Symbol('channel:dialed'),
};
const NESTED = Symbol('channel:nested');

/** Decorates a key with one or several marks. */
export const markedAs =
  (...marks: readonly KeyMark[]): PropertyDecorator =>
  (target, key) => {
    for (const mark of marks) {
      const known: string[] = Reflect.getMetadata(MARKS[mark], target) ?? [];
      Reflect.defineMetadata(MARKS[mark], [...known, String(key)], target);
    }
  };

/** The keys of a config class that carry the mark, in the order of their declaration. */
export const markedKeys = (type: ConfigClass, mark: KeyMark): string[] =>
  (Reflect.getMetadata(MARKS[mark], type.prototype) as string[] | undefined) ?? [];

/** Decorates a key whose value is an object, or a list of objects, of another class. */
export const nestedAs =
  (type: () => ConfigClass): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, () => ConfigClass> = Reflect.getMetadata(NESTED, target) ?? new Map();
    Reflect.defineMetadata(NESTED, new Map(known).set(String(key), type), target);
  };

/** The class of a nested object or list, or `null` for a plain value. */
export const nestedType = (type: ConfigClass, key: string): ConfigClass | null =>
  (Reflect.getMetadata(NESTED, type.prototype) as Map<string, () => ConfigClass> | undefined)?.get(key)?.() ?? null;
