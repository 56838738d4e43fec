import type { Assertion, AssertionComparison } from '../../../../src/checker/assertion/assertion';
import { DAY_MS } from '../../../../src/platform/time/time-units';
import { argumentOf, type Condition, type Operator, optionsOf, readNumber } from './condition';
import { globTest } from './glob';
import { type Judged, lost } from './judged';

const FIRST_STATUS = 100;
const LAST_STATUS = 599;

/** Converts conditions on `[STATUS]` to the matching status codes. */
export function statusAssertions({ operator, value }: Condition): Judged {
  const holds = statusTest(operator, value);
  if (holds === null) return lost('it compares the status with a value that is not a status code');
  const codes = Array.from({ length: LAST_STATUS - FIRST_STATUS + 1 }, (_, i) => FIRST_STATUS + i).filter(holds);
  if (codes.length === 0) return { assertions: [], isContrary: true };
  const assertion = (comparison: AssertionComparison, target: string): Judged => ({
    assertions: [{ source: 'status_code', comparison, target }],
  });
  const number = readNumber(value);
  if (number !== null && codes.length <= LAST_STATUS - FIRST_STATUS) {
    if (operator === '==') return assertion('equals', String(number));
    if (operator === '!=') return assertion('not_equals', String(number));
    if (operator === '<' || operator === '<=')
      return assertion('less_than', String(operator === '<' ? number : number + 1));
    return assertion('greater_than', String(operator === '>' ? number : number - 1));
  }
  return assertion('in', rangesOf(codes));
}

function statusTest(operator: Operator, value: string): ((code: number) => boolean) | null {
  const isEqual = operator === '==';
  if (isEqual || operator === '!=') {
    const pattern = argumentOf(value, 'pat');
    const test = pattern === null ? null : globTest(pattern.replaceAll('/', ''));
    if (pattern !== null) return test && ((code) => test(String(code)) === isEqual);
    const options = new Set(optionsOf(argumentOf(value, 'any') ?? value).map((option) => readNumber(option)));
    return options.has(null) ? null : (code) => options.has(code) === isEqual;
  }
  const number = readNumber(value);
  if (number === null) return null;
  return (code) => compare(code, operator, number);
}

function compare(code: number, operator: Operator, number: number): boolean {
  if (operator === '<') return code < number;
  if (operator === '<=') return code <= number;
  return operator === '>' ? code > number : code >= number;
}

/** Returns ranges such as `200-299,301`. There can be at most 50, which digit patterns rarely exceed. */
function rangesOf(codes: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

/** Converts `[RESPONSE_TIME]`, which is in milliseconds. */
export function ageAssertions({ operator, value }: Condition): Judged {
  const ms = readNumber(value);
  if (ms === null) return lost('it compares the time with a value that is not a number or a duration');
  const assertions = ordered({ source: 'response_time' }, operator, ms);
  return assertions === null ? lost('a time can only be compared with less than or greater than') : { assertions };
}

/** In Gatus, a certificate that expires soon means down. Our endpoint becomes degraded. */
export function certificateAssertions({ operator, value }: Condition): Judged {
  const ms = readNumber(value);
  if (ms === null || ms < 0 || (operator !== '>' && operator !== '>='))
    return lost('for a certificate, only the shortest remaining validity can be asserted');
  const target = String(Math.round((ms / DAY_MS) * 1e6) / 1e6);
  return {
    assertions: [{ source: 'certificate_days', comparison: 'greater_than', target, severity: 'warning' }],
    difference: 'becomes a warning: the endpoint is degraded, not down, and its alerts also trigger for that',
  };
}

/**
 * Converts a less-than or greater-than comparison of integers. Gatus drops fractions. Returns `null` for other
 * operators.
 */
export function ordered(
  of: Pick<Assertion, 'source' | 'property'>,
  operator: Operator,
  number: number,
): Assertion[] | null {
  if (operator === '<') return [{ ...of, comparison: 'less_than', target: String(number) }];
  if (operator === '<=') return [{ ...of, comparison: 'less_than', target: String(number + 1) }];
  if (operator === '>') return [{ ...of, comparison: 'greater_than', target: String(number) }];
  return operator === '>=' ? [{ ...of, comparison: 'greater_than', target: justBelow(number) }] : null;
}

function justBelow(number: number): string {
  if (number > 0) return `${number - 1}.999999999`;
  return number === 0 ? '-0.000000001' : `${number}.000000001`;
}
