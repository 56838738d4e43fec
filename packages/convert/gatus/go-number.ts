/** From this power of ten on, and below this one, Go writes a number with an exponent. */
const EXPONENT = { from: 6, below: -4 };
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * How Gatus writes a JSON number before it compares it as a text (`%v` of Go): 1234567 as 1.234567e+06, 1.10 as 1.1. `null`: the text
 * is not a number.
 */
export function goText(text: string): string | null {
  if (!NUMBER.test(text)) return null;
  const [mantissa = '', exponent = '0'] = Number(text).toExponential().split('e');
  const power = Number(exponent);
  if (power >= EXPONENT.below && power < EXPONENT.from) return String(Number(text));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
