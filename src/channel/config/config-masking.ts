import { isDeepStrictEqual } from 'node:util';
import { normalizeHost } from '../../platform/net/egress/host-name';
import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';
import { type ConfigClass, connectionDefaults, markedKeys, nestedType } from './config-metadata';

/** One marked string or number of a config. `path` leads to it: keys and list positions. */
export interface MarkedValue {
  path: readonly (string | number)[];
  /** A signing secret is never sent, a secret is. */
  mark: 'secret' | 'signing' | 'confidential';
  /** The value is a URL or a mail address by the rule of its key, so that its host is no part of a secret. */
  isAddress: boolean;
  value: string | number;
  /** The object that holds the value: in a list it tells which item this is. */
  holder: object;
}

/**
 * What is shown in place of a value: nothing of it, but the host of a URL and the domain of a mail address, by which its
 * owner recognises it. The mark of the key decides, never the look of the value: a password may look like anything.
 */
export function maskOf({ mark, isAddress, value }: Pick<MarkedValue, 'mark' | 'isAddress' | 'value'>): string {
  if (mark !== 'confidential' || !isAddress) return MASK;
  const text = String(value);
  const url = readUrl(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return `${url.protocol}//${url.host}/${MASK}`;
  const domain = /^[^@\s]+@([^@\s]+)$/.exec(text)?.[1];
  return domain === undefined ? MASK : `${MASK}@${domain}`;
}

/** True when a client may have got the text from `maskOf`. */
export const isMasked = (value: string | number): boolean => String(value).includes(MASK);

/** A copy with every marked string or number replaced by `change`. Unmarked values are kept. */
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

/** Every marked value of a config. */
export function markedValues(type: ConfigClass, config: object): MarkedValue[] {
  const found: MarkedValue[] = [];
  mapMarked(type, config, (value) => {
    found.push(value);
    return value.value;
  });
  return found;
}

/** True where a config has a credential, or what read keys are not shown: at keys with a mark, of whatever value. */
export function isMarkedAt(type: ConfigClass, [first, ...rest]: MarkedValue['path']): boolean {
  const key = String(first);
  if (markedKeys(type, 'secret').includes(key) || markedKeys(type, 'confidential').includes(key)) return true;
  const nested = nestedType(type, key);
  const inside = typeof rest[0] === 'number' ? rest.slice(1) : rest;
  return nested !== null && inside.length > 0 && isMarkedAt(nested, inside);
}

/** The hosts and URLs that a config names, with the pointers of their keys. */
export function dialedValues(type: ConfigClass, config: object): { pointer: string; value: string }[] {
  const dialed = new Set(markedKeys(type, 'dialed'));
  return Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    if (dialed.has(key) && typeof value === 'string') return [{ pointer: `/${key}`, value }];
    const nested = nestedType(type, key);
    if (!nested || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return dialedValues(nested, value).map((found) => ({ ...found, pointer: `/${key}${found.pointer}` }));
  });
}

/** Where a config connects to, and how: scheme, host and port of its URLs, its hosts with their port and encryption. */
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

/** A mask that cannot be replaced by a stored value, and why. */
export interface RefusedMask {
  path: MarkedValue['path'];
  reason: 'unknown' | 'redirected';
}

/** True unless another key of the two objects differs: masked ones are not compared. */
const mayBeSame = (one: object, other: object, key: string | number | undefined): boolean =>
  Object.entries({ ...one, ...other }).every(([name]) => {
    const [a, b] = [one, other].map((item) => (item as Readonly<Record<string, unknown>>)[name]);
    return (
      name === key || [a, b].some((value) => typeof value === 'string' && isMasked(value)) || isDeepStrictEqual(a, b)
    );
  });

/** Items of a list are told apart by their other keys: a header by its name. Everything else has its place. */
const isSameItem = (one: MarkedValue, other: MarkedValue): boolean =>
  typeof one.path.at(-2) !== 'number' || mayBeSame(one.holder, other.holder, one.path.at(-1));

const shape = (path: MarkedValue['path']): string =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');

/**
 * Replaces masks in the input by the stored values. A mask is compared with the value at its own position first, then with
 * the other items of the same list, where it must match exactly one. Refused are masks that match no stored value, and
 * masked credentials of a config that now connects elsewhere or otherwise: a client that may not read a credential must
 * not be able to have it sent to a host or port of its own, nor without encryption.
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

/** Credentials of the config that are there themselves and not as masks. */
export const namedSecrets = (type: ConfigClass, config: object): string[] =>
  markedValues(type, config).flatMap(({ mark, value }) =>
    mark === 'confidential' || isMasked(value) ? [] : [String(value)],
  );

/** The marked values as texts that no error may repeat. */
export const hiddenValues = (type: ConfigClass, config: object): string[] =>
  markedValues(type, config).map(({ value }) => String(value));
