import { isDeepStrictEqual } from 'node:util';
import { normalizeHost } from '../../platform/net/egress/host-name';
import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';
import { type ConfigClass, connectionDefaults, markedKeys, nestedType } from './config-metadata';

/** A marked string or number in a config. `path` consists of property names and list indexes. */
export interface MarkedValue {
  path: readonly (string | number)[];
  /** The mark of the value. A signing secret is never sent to the provider, but a `secret` is. */
  mark: 'secret' | 'signing' | 'confidential';
  /** True if the value's rule makes it a URL or an email address, so that its host isn't part of a secret. */
  isAddress: boolean;
  value: string | number;
  /** The object that contains the value. In a list, it identifies the item. */
  holder: object;
}

/**
 * Returns the mask for a value. It shows only the host of a URL or the domain of an email address, so that the owner
 * can recognize it. Only the property's mark matters, never the form of the value, because a password may look like
 * anything.
 */
export function maskOf({ mark, isAddress, value }: Pick<MarkedValue, 'mark' | 'isAddress' | 'value'>): string {
  if (mark !== 'confidential' || !isAddress) return MASK;
  const text = String(value);
  const url = readUrl(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return `${url.protocol}//${url.host}/${MASK}`;
  const domain = /^[^@\s]+@([^@\s]+)$/.exec(text)?.[1];
  return domain === undefined ? MASK : `${MASK}@${domain}`;
}

/** Returns true if the value may be a mask that `maskOf` created. */
export const isMasked = (value: string | number): boolean => String(value).includes(MASK);

/** Returns a copy in which `change` replaces every marked string or number. Other values are copied. */
export function mapMarked(type: ConfigClass, config: object, change: (found: MarkedValue) => unknown): object {
  const secrets = new Set(markedKeys(type, 'secret'));
  const signing = new Set(markedKeys(type, 'signing'));
  const confidential = new Set(markedKeys(type, 'confidential'));
  const addresses = new Set(markedKeys(type, 'address'));
  const visit = (value: unknown, path: (string | number)[], mark: MarkedValue['mark']): unknown => {
    if (typeof value === 'string' || typeof value === 'number')
      return change({ path, mark, value, isAddress: addresses.has(String(path[0])), holder: config });
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index], mark));
    return value;
  };
  const visitNested = (nested: ConfigClass, value: unknown, path: (string | number)[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visitNested(nested, item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return mapMarked(nested, value, (found) => change({ ...found, path: [...path, ...found.path] }));
  };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      if (secrets.has(key)) return [key, visit(value, [key], signing.has(key) ? 'signing' : 'secret')];
      if (confidential.has(key)) return [key, visit(value, [key], 'confidential')];
      const nested = nestedType(type, key);
      return [key, nested ? visitNested(nested, value, [key]) : value];
    }),
  );
}

export function markedValues(type: ConfigClass, config: object): MarkedValue[] {
  const found: MarkedValue[] = [];
  mapMarked(type, config, (value) => {
    found.push(value);
    return value.value;
  });
  return found;
}

/**
 * Returns true if a config has a credential or confidential value at the path. Only the mark matters, not the value.
 */
export function isMarkedAt(type: ConfigClass, [first, ...rest]: MarkedValue['path']): boolean {
  const key = String(first);
  if (markedKeys(type, 'secret').includes(key) || markedKeys(type, 'confidential').includes(key)) return true;
  const nested = nestedType(type, key);
  const inside = typeof rest[0] === 'number' ? rest.slice(1) : rest;
  return nested !== null && inside.length > 0 && isMarkedAt(nested, inside);
}

/** Returns the hosts and URLs in a config, with the pointers of their properties. */
export function dialedValues(type: ConfigClass, config: object): { pointer: string; value: string }[] {
  const dialed = new Set(markedKeys(type, 'dialed'));
  return Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    if (dialed.has(key) && typeof value === 'string') return [{ pointer: `/${key}`, value }];
    const nested = nestedType(type, key);
    if (!nested || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return dialedValues(nested, value).map((found) => ({ ...found, pointer: `/${key}${found.pointer}` }));
  });
}

/**
 * Returns where and how a config connects: scheme, host, and port of its URLs, and its hosts with port and encryption.
 */
function connectionsOf(type: ConfigClass, config: object): string[] {
  const dialed = new Set(markedKeys(type, 'dialed'));
  const how = { ...connectionDefaults(type), ...config } as Readonly<Record<string, unknown>>;
  const own = Object.keys(connectionDefaults(type)).map((key) => `${key}=${String(how[key])}`);
  return Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    if (dialed.has(key) && typeof value === 'string') return [[key, originOf(value), ...own].join(' ')];
    const nested = nestedType(type, key);
    if (!nested || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return connectionsOf(nested, value).map((connection) => `${key}/${connection}`);
  });
}

function originOf(value: string): string {
  const url = readUrl(value);
  return url?.host ? `${url.protocol}//${url.host}` : (normalizeHost(value) ?? value);
}

/** A mask that can't be replaced with a stored value, and the reason. */
export interface RefusedMask {
  path: MarkedValue['path'];
  reason: 'unknown' | 'redirected';
}

/** Returns true if all other properties of the two objects are equal. Masked values are not compared. */
const mayBeSame = (one: object, other: object, key: string | number | undefined): boolean =>
  Object.entries({ ...one, ...other }).every(([name]) => {
    const [a, b] = [one, other].map((item) => (item as Readonly<Record<string, unknown>>)[name]);
    return (
      name === key || [a, b].some((value) => typeof value === 'string' && isMasked(value)) || isDeepStrictEqual(a, b)
    );
  });

/**
 * List items are identified by their other properties, such as a header by its name. Everything else is identified by
 * its position.
 */
const isSameItem = (one: MarkedValue, other: MarkedValue): boolean =>
  typeof one.path.at(-2) !== 'number' || mayBeSame(one.holder, other.holder, one.path.at(-1));

const shape = (path: MarkedValue['path']): string =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');

/**
 * Replaces masks in the input with the stored values. A mask is first compared with the value at the same position.
 * After that it is compared with the other items of the same list, where it must match exactly one. Refuses masks that
 * match no stored value. Also refuses masked credentials if the config now connects to a different host or in a
 * different way. Otherwise a client that may not read a credential could have it sent to its own host or port, or
 * without encryption.
 */
export function unmask(
  type: ConfigClass,
  input: object,
  stored: object | null,
): { config: object; refused: RefusedMask[] } {
  const known = stored ? markedValues(type, stored) : [];
  const unknown: RefusedMask[] = [];
  const secrets: RefusedMask[] = [];
  const config = mapMarked(type, input, (found) => {
    if (!isMasked(found.value)) return found.value;
    const alike = known.filter(
      (one) => shape(one.path) === shape(found.path) && maskOf(one) === found.value && isSameItem(one, found),
    );
    const same =
      alike.find((one) => one.path.join('/') === found.path.join('/')) ?? (alike.length === 1 ? alike[0] : null);
    if (!same) unknown.push({ path: found.path, reason: 'unknown' });
    else if (found.mark === 'secret') secrets.push({ path: found.path, reason: 'redirected' });
    return same ? same.value : found.value;
  });
  const isRedirected =
    stored !== null && !isDeepStrictEqual(connectionsOf(type, config).sort(), connectionsOf(type, stored).sort());
  return { config, refused: isRedirected ? [...unknown, ...secrets] : unknown };
}

/** Returns the credentials that the config contains in plain text instead of as masks. */
export const namedSecrets = (type: ConfigClass, config: object): string[] =>
  markedValues(type, config).flatMap(({ mark, value }) =>
    mark === 'confidential' || isMasked(value) ? [] : [String(value)],
  );

/** Returns the marked values as strings that errors must not contain. */
export const hiddenValues = (type: ConfigClass, config: object): string[] =>
  markedValues(type, config).map(({ value }) => String(value));
