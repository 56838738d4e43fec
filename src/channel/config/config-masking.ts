import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';
import { type ConfigClass, markedKeys, nestedType } from './config-metadata';

const TAIL = 4;
/** Below this length the last characters would reveal too much of the value. */
const LONG_ENOUGH_FOR_TAIL = 16;

/** One marked string or number of a config. `path` leads to it: keys and list positions. */
export interface MarkedValue {
  path: readonly (string | number)[];
  /** A signing secret is never sent, a secret is. */
  mark: 'secret' | 'signing' | 'confidential';
  value: string | number;
}

/** A mask by which the owner recognises the value: the host of a URL, the domain of an address, the end of a long token. */
export function maskOf(shown: string | number): string {
  const value = String(shown);
  const url = /^(https?:\/\/)(?:[^/?#@]*@)?([^/?#]+)/i.exec(value);
  if (url) return `${url[1]}${url[2]}/${MASK}`;
  const domain = /^[^@\s]+@([^@\s]+)$/.exec(value);
  if (domain) return `${MASK}@${domain[1]}`;
  return value.length >= LONG_ENOUGH_FOR_TAIL ? MASK + value.slice(-TAIL) : MASK;
}

/** True when `maskOf` has made the text, whatever the value. */
export const isMasked = (value: string | number): boolean => String(value).includes(MASK);

/** A copy with every marked string or number replaced by `change`. Unmarked values are kept. */
export function mapMarked(type: ConfigClass, config: object, change: (found: MarkedValue) => string | number): object {
  const secrets = new Set(markedKeys(type, 'secret'));
  const signing = new Set(markedKeys(type, 'signing'));
  const confidential = new Set(markedKeys(type, 'confidential'));
  const visit = (value: unknown, path: (string | number)[], mark: MarkedValue['mark']): unknown => {
    if (typeof value === 'string' || typeof value === 'number') return change({ path, mark, value });
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

const hostsOf = (type: ConfigClass, config: object): string =>
  dialedValues(type, config)
    .map(({ pointer, value }) => `${pointer} ${readUrl(value)?.host || value}`)
    .join('\n');

/** A mask that cannot be replaced by a stored value, and why. */
export interface RefusedMask {
  path: MarkedValue['path'];
  reason: 'unknown' | 'redirected';
}

const shape = (path: MarkedValue['path']): string =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');

/**
 * Replaces masks in the input by the stored values. A mask is compared with the value at its own position first, then with
 * the other items of the same list, where it must match exactly one. Refused are masks that match no stored value, and
 * masked credentials of a config that now names another host: a client that may not read a credential must not be able to
 * have it sent to a host of its own.
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
    const alike = known.filter((one) => shape(one.path) === shape(found.path) && maskOf(one.value) === found.value);
    const same =
      alike.find((one) => one.path.join('/') === found.path.join('/')) ?? (alike.length === 1 ? alike[0] : null);
    if (!same) unknown.push({ path: found.path, reason: 'unknown' });
    else if (found.mark === 'secret') secrets.push({ path: found.path, reason: 'redirected' });
    return same ? same.value : found.value;
  });
  const isRedirected = stored !== null && hostsOf(type, config) !== hostsOf(type, stored);
  return { config, refused: isRedirected ? [...unknown, ...secrets] : unknown };
}

/** The marked values as texts that no error may repeat. */
export const hiddenValues = (type: ConfigClass, config: object): string[] =>
  markedValues(type, config).map(({ value }) => String(value));
