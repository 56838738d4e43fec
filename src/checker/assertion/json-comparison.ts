import { JsonContainer } from './json-document';
import { compareNumbers, JsonNumber, numberKey } from './json-number';

/** The value that a path inside a filter yields if it finds nothing. */
export const NOTHING = Symbol('nothing');

/**
 * Returns true if two values are equal according to RFC 9535, section 2.3.5.2.2. Spends steps of the document that
 * contains them.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (!(a instanceof JsonContainer && b instanceof JsonContainer)) return isSameScalar(a, b);
  // Uses no recursion, because containers may be nested as deep as the document is long.
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [one, other] = pair;
    if (!(one instanceof JsonContainer && other instanceof JsonContainer)) {
      if (!isSameScalar(one, other)) return false;
    } else if (one.node !== other.node) {
      const inside = pairsInside(one, other);
      if (inside === null) return false;
      for (const next of inside) pairs.push(next);
    }
  }
  return true;
}

/** Compares two numbers or two strings. Other values have no order. */
export function isBefore(a: unknown, b: unknown): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) < 0;
  return typeof a === 'string' && typeof b === 'string' && isTextBefore(a, b);
}

const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber;

const isSameScalar = (a: unknown, b: unknown): boolean =>
  a === b || (isNumber(a) && isNumber(b) && numberKey(a) === numberKey(b));

/** Returns the pairs that must be equal for two containers to be equal, or `null` if the containers cannot be equal. */
function pairsInside(a: JsonContainer, b: JsonContainer): [unknown, unknown][] | null {
  const { document } = a;
  if (document.isObject(a.node) !== document.isObject(b.node)) return null;
  if (document.isObject(a.node)) return pairsOfMembers(membersOf(a), membersOf(b));
  const [one, other] = [document.childrenOf(a.node), document.childrenOf(b.node)];
  if (one.length !== other.length) return null;
  return one.map((child, i) => [document.valueOf(child), document.valueOf(other[i] ?? child)]);
}

function pairsOfMembers(a: Map<string, unknown>, b: Map<string, unknown>): [unknown, unknown][] | null {
  if (a.size !== b.size) return null;
  const pairs: [unknown, unknown][] = [];
  for (const [name, value] of a) {
    if (!b.has(name)) return null;
    pairs.push([value, b.get(name)]);
  }
  return pairs;
}

function membersOf({ document, node }: JsonContainer): Map<string, unknown> {
  const children = document.childrenOf(node);
  // A map entry costs about ten times as much as visiting a node.
  document.spend(8 * children.length);
  return new Map(children.map((child) => [document.stringOf(child - 1), document.valueOf(child)]));
}

/** Compares by code points. The operator `<` compares UTF-16 units, which sorts surrogate pairs differently. */
function isTextBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return isSurrogate(one) === isSurrogate(other) ? one < other : isSurrogate(other);
  }
  return a.length < b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
