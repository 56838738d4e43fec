import { MAX_ASSERTIONS } from '../../../../src/checker/assertion/assertion-rules';
import type { Assertion, AssertionComparison } from '../../../../src/checker/assertion/assertion';
import { goText } from '../go-number';
import { argumentOf, type Condition, jsonPathOf, type Operator, optionsOf, readNumber } from './condition';
import { readGlob } from './glob';
import { ordered } from './number-assertions';
import { type Judged, lost } from './judged';

type Place = Pick<Assertion, 'source' | 'property'>;

const JSON_LIST = 'a list';

/** Converts conditions on `[BODY]` and `[BODY].path`, optionally wrapped in `len()` or `has()`. */
export function bodyAssertions({ subject: { wrapper, path }, operator, value }: Condition): Judged {
  const jsonPath = jsonPathOf(path);
  if (jsonPath === null) return lost(`${path} is not a path of names and indexes`);
  const place: Place = path === '' ? { source: 'body' } : { source: 'json', property: jsonPath };
  if (wrapper === 'has') return presence(place, operator, value);
  if (wrapper === 'len') return lengthAssertions(place, jsonPath, operator, value);
  if (operator === '==' || operator === '!=') return textAssertions(place, operator === '==', value);
  const number = readNumber(value);
  const assertions = number === null || place.source === 'body' ? null : ordered(place, operator, number);
  return assertions === null ? lost('less than and greater than need a number inside a JSON body') : { assertions };
}

const one = (place: Place, comparison: AssertionComparison, target: string): Assertion => ({
  ...place,
  comparison,
  target,
});

function presence(place: Place, operator: Operator, value: string): Judged {
  if ((operator !== '==' && operator !== '!=') || !/^(true|false)$/.test(value))
    return lost('has() can only be true or false');
  return { assertions: [one(place, 'exists', String((value === 'true') === (operator === '==')))] };
}

/** Converts comparisons with a string, `any(…)`, or `pat(…)`. Also used for DNS records. */
export function textAssertions(place: Place, isEqual: boolean, value: string): Judged {
  const pattern = argumentOf(value, 'pat');
  if (pattern !== null) return patternAssertions(place, isEqual, pattern);
  const list = argumentOf(value, 'any');
  const options = list === null ? [value] : optionsOf(list);
  if (!isEqual && options.length > MAX_ASSERTIONS) return lost(`it lists more than ${MAX_ASSERTIONS} strings`);
  const inGo = place.source === 'json' ? differenceOfNumbers(options) : {};
  if (!isEqual) return { assertions: options.map((option) => one(place, 'not_equals', option)), ...inGo };
  if (list !== null && options.length > 1)
    return place.source === 'body'
      ? lost('a whole body cannot be compared with several strings')
      : { assertions: [one(place, 'in', options.join(','))], ...inGo };
  if (place.source === 'json' && /^\[.*\]$/s.test(value) && /\s/.test(value))
    return lost('it compares a list in Go notation');
  const isWholeBody = place.source === 'body' && value !== '';
  return {
    assertions: [one(place, 'equals', options[0] ?? '')],
    ...(isWholeBody ? { difference: 'also compares spaces and line breaks around the body' } : inGo),
  };
}

/** Gatus compares numbers in the format that Go prints. Our checks compare the number as written and numerically. */
function differenceOfNumbers(options: readonly string[]): Pick<Judged, 'difference'> {
  const other = options.find((option) => (goText(option) ?? option) !== option);
  return other === undefined
    ? {}
    : { difference: `compares numbers. Gatus writes ${other} as ${goText(other)} and compares that as a string` };
}

function patternAssertions(place: Place, isEqual: boolean, pattern: string): Judged {
  const glob = readGlob(pattern);
  if (glob === null) return lost('its pattern cannot be read');
  const { literals, isExact, isPlain } = glob;
  if (literals.length > MAX_ASSERTIONS) return lost(`its pattern has more than ${MAX_ASSERTIONS} parts`);
  if (isPlain) return { assertions: [one(place, isEqual ? 'equals' : 'not_equals', literals.join(''))] };
  if (!isEqual)
    return isExact && literals[0] !== undefined
      ? { assertions: [one(place, 'not_contains', literals[0])] }
      : lost('only the pattern *text* can be asserted with !=');
  if (isExact && literals.length === 0) return { assertions: [] };
  const assertions = literals.map((literal) => one(place, 'contains', literal));
  if (isExact) return { assertions };
  const words =
    literals.length === 0 ? 'only asserts that there is a value' : 'only asserts which strings are contained';
  return { assertions: literals.length === 0 ? [one(place, 'exists', 'true')] : assertions, difference: words };
}

/** Converts `len()` of a string, list, or object. The type isn't known until there is a response. */
function lengthAssertions(place: Place, jsonPath: string, operator: Operator, value: string): Judged {
  const number = readNumber(value);
  if (number === null || number < 0) return lost('a length must be a number');
  const bounds = lengthBounds(operator, number);
  if (bounds === null) return lost('there is no assertion that a length differs from a number');
  const { least, most } = bounds;
  if (least === 1 && most === null) return { assertions: notEmpty(place) };
  if (most === 0)
    return {
      assertions: place.source === 'body' ? [one(place, 'equals', '')] : [one(place, 'in', '[],')],
    };
  if (place.source === 'body')
    return {
      assertions: least > 0 ? notEmpty(place) : [],
      difference: `is not counted${least > 0 ? ': the body must only not be empty' : ''}`,
    };
  const item = (index: number, exists: boolean): Assertion =>
    one({ source: 'json', property: `${jsonPath}[${index}]` }, 'exists', String(exists));
  return {
    assertions: [...(least > 0 ? [item(least - 1, true)] : []), ...(most === null ? [] : [item(most, false)])],
    difference: `counts the items of ${JSON_LIST}. A string there does not pass`,
  };
}

/** Asserts that the value exists and is neither an empty string nor an empty list. */
const notEmpty = (place: Place): Assertion[] => [one(place, 'exists', 'true'), one(place, 'not_equals', '[]')];

/** Returns `null` if the condition isn't a range. `most` is `null` if there is no upper limit. */
function lengthBounds(operator: Operator, number: number): { least: number; most: number | null } | null {
  if (operator === '==') return { least: number, most: number };
  if (operator === '!=') return number === 0 ? { least: 1, most: null } : null;
  if (operator === '>') return { least: number + 1, most: null };
  if (operator === '>=') return { least: number, most: null };
  const most = operator === '<' ? number - 1 : number;
  return most < 0 ? null : { least: 0, most };
}
