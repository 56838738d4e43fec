/** Go uses exponent notation from this power of ten up, and below this one. */
const EXPONENT = { from: 6, below: -4 };
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Formats a JSON number like Gatus does before it compares strings (Go's `%v`): 1234567 becomes 1.234567e+06, and 1.10
 * becomes 1.1. Returns `null` if the string isn't a number.
 */
export function goText(text: string): string | null {
  if (!NUMBER.test(text)) return null;
  const [mantissa = '', exponent = '0'] = Number(text).toExponential().split('e');
  const power = Number(exponent);
  if (power >= EXPONENT.below && power < EXPONENT.from) return String(Number(text));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
