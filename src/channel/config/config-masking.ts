import { readUrl } from '../../platform/text/read-url';
import { type ConfigClass, markedKeys, nestedType } from './config-metadata';

/** What is put in the place of a hidden value. No accepted value contains it, so a mask is recognised when it is sent back. */
export const MASK = '********';

const TAIL = 4;
/** Below this length the last characters would give too much of the value away. */
const LONG_ENOUGH_FOR_TAIL = 16;

/** One marked string or number of a config. `path` leads to it: keys and list positions. */
export interface MarkedValue {
  path: readonly (string | number)[];
  /** A signing secret is never sent, a secret is. */
  mark: 'secret' | 'signing' | 'confidential';
  value: string | number;
}

/** A stand-in that lets its owner recognise the value: the host of a URL, the domain of an address, the end of a long token. */
export function maskOf(shown: string | number): string {
  const value = String(shown);
  const url = /^(https?:\/\/)(?:[^/?#@]*@)?([^/?#]+)/i.exec(value);
  if (url) return `${url[1]}${url[2]}/${MASK}`;
  const domain = /^[^@\s]+@([^@\s]+)$/.exec(value);
  if (domain) return `${MASK}@${domain[1]}`;
  return value.length >= LONG_ENOUGH_FOR_TAIL ? MASK + value.slice(-TAIL) : MASK;
}

/** True when the text came out of `maskOf`, whatever the value behind it. */
export const isMasked = (value: string | number): boolean => String(value).includes(MASK);

/** A copy in which every marked string or number went through `change`. Unmarked values are kept. */
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

/** The hosts and URLs a config is pointed at, with the pointers of their keys. */
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

/** A mask that cannot stand for anything, and why. */
export interface RefusedMask {
  path: MarkedValue['path'];
  reason: 'unknown' | 'redirected';
}

const shape = (path: MarkedValue['path']): string =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');

/**
 * Puts the stored values back where the input repeats their masks. A mask is looked for at its own place first, then
 * among the other items of the same list, where it must be the only one. Refused are masks that no stored value has, and
 * masked credentials of a config that is pointed at another host: whoever may not read one must not have it sent to them.
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
