/** Numbers with at most this many significant digits can always be distinguished as doubles. */
const EXACT_DIGITS = 15;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO = 0x30;

/** A number as written in a JSON text. It may be more precise than a double (RFC 8259, section 6). */
export class JsonNumber {
  constructor(
    /** The original spelling. */
    readonly text: string,
  ) {}

  /** The nearest double. */
  get value(): number {
    return Number(this.text);
  }
}

/** Parses a text as a JSON number. Returns `null` for other texts. */
export const numberIn = (text: string): JsonNumber | null =>
  NUMBER.test(text.trim()) ? new JsonNumber(text.trim()) : null;

/** Returns a key that is the same for two numbers if and only if they are equal. */
export function numberKey(number: number | JsonNumber): number | string {
  if (typeof number === 'number') return number;
  if (isShort(number.text)) return number.value;
  const { sign, digits, place } = decimalOf(number);
  // Use the same key as for the short spelling, without the zeros that make this one long.
  if (digits.length <= EXACT_DIGITS && Math.abs(place) < EXACT_DIGITS) return number.value;
  return `${sign} ${digits} ${place}`;
}

/** Compares two numbers exactly. Returns a negative number, 0, or a positive number. */
export function compareNumbers(one: number | JsonNumber, other: number | JsonNumber): number {
  const [key, otherKey] = [numberKey(one), numberKey(other)];
  if (typeof key === 'number' && typeof otherKey === 'number') return key - otherKey;
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.place !== b.place) return a.place > b.place ? a.sign : -a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits > b.digits ? a.sign : -a.sign;
}

/** Returns true for a short text. Two short texts are the same number if and only if their doubles are equal. */
const isShort = (text: string): boolean => text.length <= EXACT_DIGITS && !/e/i.test(text);

/** The number 0.digits × 10^place. The digits neither start nor end with a zero, so they sort like strings. */
interface Decimal {
  sign: -1 | 0 | 1;
  digits: string;
  place: number;
}

function decimalOf(number: number | JsonNumber): Decimal {
  const [, minus = '', whole = '0', fraction = '', exponent = '0'] =
    NUMBER.exec(typeof number === 'number' ? String(number) : number.text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all.charCodeAt(start) === ZERO) start++;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--;
  if (start === end) return { sign: 0, digits: '', place: 0 };
  return { sign: minus === '' ? 1 : -1, digits: all.slice(start, end), place: whole.length - start + Number(exponent) };
}
