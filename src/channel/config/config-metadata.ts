import 'reflect-metadata';

/** A class that declares the config of a channel. */
export type ConfigClass = new () => object;

/** The marks on a property in a config class. See `config-fields.ts` for their meaning. */
export type KeyMark = 'secret' | 'signing' | 'confidential' | 'address' | 'dialed' | 'addressee';

const MARKS: Readonly<Record<KeyMark, symbol>> = {
  secret: Symbol('channel:secret'),
  signing: Symbol('channel:signing'),
  confidential: Symbol('channel:confidential'),
  address: Symbol('channel:address'),
  dialed: Symbol('channel:dialed'),
  addressee: Symbol('channel:addressee'),
};
const NESTED = Symbol('channel:nested');
const ALIAS = Symbol('channel:alias');
const CONNECTION = Symbol('channel:connection');

/** Adds one or more marks to a property. */
export const markedAs =
  (...marks: readonly KeyMark[]): PropertyDecorator =>
  (target, key) => {
    for (const mark of marks) {
      const known: string[] = Reflect.getMetadata(MARKS[mark], target) ?? [];
      Reflect.defineMetadata(MARKS[mark], [...known, String(key)], target);
    }
  };

/** Returns the properties of a config class that have the mark, in declaration order. */
export const markedKeys = (type: ConfigClass, mark: KeyMark): string[] =>
  (Reflect.getMetadata(MARKS[mark], type.prototype) as string[] | undefined) ?? [];

/** Declares a property whose value is an object, or a list of objects, of another class. */
export const nestedAs =
  (type: () => ConfigClass): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, () => ConfigClass> = Reflect.getMetadata(NESTED, target) ?? new Map();
    Reflect.defineMetadata(NESTED, new Map(known).set(String(key), type), target);
  };

/** Returns the class of a nested object or list, or `null` for a plain value. */
export const nestedType = (type: ConfigClass, key: string): ConfigClass | null =>
  (Reflect.getMetadata(NESTED, type.prototype) as Map<string, () => ConfigClass> | undefined)?.get(key)?.() ?? null;

/** Declares a property that affects the connection to the host in the same object. `unsent` is its default. */
export const connectionKey =
  (unsent: string | number | boolean): PropertyDecorator =>
  (target, key) => {
    Reflect.defineMetadata(CONNECTION, { ...connectionOf(target), [String(key)]: unsent }, target);
  };

/** Returns the properties that affect the connection to a config's host, with their defaults. */
export const connectionDefaults = (type: ConfigClass): Readonly<Record<string, unknown>> =>
  connectionOf(type.prototype);

const connectionOf = (prototype: object): Readonly<Record<string, unknown>> =>
  (Reflect.getMetadata(CONNECTION, prototype) as Readonly<Record<string, unknown>> | undefined) ?? {};

/** Declares a property that is a former name of another one. */
export const aliasKey =
  (name: string): PropertyDecorator =>
  (target, key) => {
    Reflect.defineMetadata(ALIAS, { ...aliasesIn(target), [String(key)]: name }, target);
  };

/** Returns the former names in a config class, mapped to the current properties. */
export const aliasesOf = (type: ConfigClass): Readonly<Record<string, string>> => aliasesIn(type.prototype);

const aliasesIn = (prototype: object): Readonly<Record<string, string>> =>
  (Reflect.getMetadata(ALIAS, prototype) as Readonly<Record<string, string>> | undefined) ?? {};
