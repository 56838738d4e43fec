import 'reflect-metadata';

const SECRET = Symbol('channel:secret');
const CONFIDENTIAL = Symbol('channel:confidential');
const DIALED = Symbol('channel:dialed');
const NESTED = Symbol('channel:nested');
const SIGNING = Symbol('channel:signing');

type ConfigClass = new () => object;

const mark = (symbol: symbol) => (): PropertyDecorator => (target, key) => {
  const known: string[] = Reflect.getMetadata(symbol, target) ?? [];
  Reflect.defineMetadata(symbol, [...known, String(key)], target);
};

/** A credential: encrypted at rest, never returned, never logged. A masked value sent back keeps the stored one. */
export const Secret = mark(SECRET);

/** A secret that signs and is itself never sent: it may stay when the config is pointed at another host. */
export const SigningSecret = (): PropertyDecorator => (target, key) => {
  Secret()(target, key);
  mark(SIGNING)()(target, key);
};

/** Returned as stored to write and admin keys, masked for read keys (webhook URLs, addresses); encrypted at rest as well. */
export const Confidential = mark(CONFIDENTIAL);

/** An http(s) URL or a host name that `send` connects to: the egress policy is asked about it when the alert is saved. */
export const Dialed = mark(DIALED);

/** The value is an object, or a list of objects, of a class that carries marks of its own. */
export const NestedConfig =
  (type: () => ConfigClass): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, () => ConfigClass> = Reflect.getMetadata(NESTED, target) ?? new Map();
    Reflect.defineMetadata(NESTED, new Map(known).set(String(key), type), target);
  };

const keysOf = (symbol: symbol, type: ConfigClass): string[] =>
  (Reflect.getMetadata(symbol, type.prototype) as string[] | undefined) ?? [];

export const secretKeys = (type: ConfigClass): string[] => keysOf(SECRET, type);
export const confidentialKeys = (type: ConfigClass): string[] => keysOf(CONFIDENTIAL, type);
export const signingKeys = (type: ConfigClass): string[] => keysOf(SIGNING, type);
export const dialedKeys = (type: ConfigClass): string[] => keysOf(DIALED, type);

/** The class of a nested object or list, or `null` for a plain value. */
export const nestedType = (type: ConfigClass, key: string): ConfigClass | null =>
  (Reflect.getMetadata(NESTED, type.prototype) as Map<string, () => ConfigClass> | undefined)?.get(key)?.() ?? null;
