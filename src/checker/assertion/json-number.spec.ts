import fc from 'fast-check';
import { compareNumbers, JsonNumber, numberIn } from './json-number';

const number = (text: string) => new JsonNumber(text);

describe('numbers as JSON writes them', () => {
  it.each([
    ['1.10', '=', '1.1'],
    ['-0', '=', '0.000'],
    ['1e3', '=', '1000'],
    ['1E+3', '=', '1000.0'],
    ['12345678901234567890', '>', '12345678901234567000'],
    ['12345678901234567890', '<', '12345678901234567891'],
    ['-12345678901234567890', '>', '-12345678901234567891'],
    ['0.1234567890123456789', '<', '0.12345678901234567891'],
    ['1e400', '<', '1e401'],
    ['-1e400', '<', '1'],
    ['0.00000000000000000001', '<', '0.1'],
    ['100000000000000000000', '=', '1e20'],
    ['10', '>', '9'],
  ])('%s %s %s', (one, sign, other) => {
    const order = (difference: number) => (difference === 0 ? '=' : difference < 0 ? '<' : '>');
    expect(order(compareNumbers(number(one), number(other)))).toBe(sign);
    expect(order(-compareNumbers(number(other), number(one)))).toBe(sign);
  });

  it('sort correctly as integers of any length', () => {
    const integer = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(integer, integer, (one, other) => {
        const expected = one === other ? 0 : one < other ? -1 : 1;
        expect(Math.sign(compareNumbers(number(String(one)), number(String(other))))).toBe(expected);
      }),
    );
  });

  it('equal the doubles that they represent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(compareNumbers(number(JSON.stringify(double)), double)).toBe(0);
      }),
    );
  });

  it.each(['', 'x', '1.', '.5', '+1', '0x10', '1_000', 'NaN', 'Infinity', '1 2'])('do not include %j', (text) => {
    expect(numberIn(text)).toBeNull();
  });

  it('are compared in time linear in their length', () => {
    const long = `${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`;
    expect(compareNumbers(number(`1.${long}1`), number(`1.${long}2`))).toBeLessThan(0);
  });
});
