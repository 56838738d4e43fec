import { jsonPathProblem } from '../../../../src/checker/assertion/json-path-rules';
import { numberIn, numberKey } from '../../../../src/checker/assertion/json-number';
import type { DeclaredAssertion } from '../../../../src/configuration/document/document';
import { cut } from '../../../../src/platform/text/text-limits';

/** The condition in a JSON query, or why there is none. */
export type JsonCondition =
  { assertion: DeclaredAssertion; difference: string | null } | { assertion: null; difference: string };

/**
 * Kuma compares with `<=` and `>=`, and our checks with `<` and `>`. The bound is therefore shifted by a negligible
 * amount.
 */
const STEP_DIGITS = 6;
const LARGEST = 1e9;

/**
 * Converts a Kuma query, which is JSONata, to an assertion. Only paths made of names and indexes mean the same in
 * JSONPath. Other queries have no assertion.
 */
export function jsonCondition(query: string, operator: string, expected: string): JsonCondition {
  const comparison = comparisonOf(operator, expected);
  if (comparison === null)
    return {
      assertion: null,
      difference: `the condition ${operator} ${quoted(expected)} of the JSON query is left out`,
    };
  if (/^\$?$/.test(query.trim())) return wholeBody(comparison);
  const path = jsonPathOf(query);
  if (path === null)
    return {
      assertion: null,
      difference: `the JSON query ${quoted(query)} is left out because JSONPath cannot express this JSONata; only the status code is checked`,
    };
  return { assertion: { source: 'json', property: path, ...comparison }, difference: numberDifference(comparison) };
}

/** Kuma compares numbers in the format that JavaScript prints. Our checks compare the number as written and exactly. */
function numberDifference({ comparison, target }: Comparison): string | null {
  const isEquality = comparison === 'equals' || comparison === 'not_equals';
  const number = isEquality ? numberIn(target) : null;
  const isPlain = String(Number(target)) === target && typeof numberKey(number ?? 0) === 'number';
  if (number === null || isPlain) return null;
  return `the number ${target} is compared exactly; Kuma rounds numbers like JavaScript and compares ${String(Number(target))} as a string`;
}

interface Comparison {
  comparison: string;
  target: string;
}

/** Without a path, Kuma compares the whole response, whether or not it is JSON. */
function wholeBody(comparison: Comparison): JsonCondition {
  const isOrder = comparison.comparison === 'less_than' || comparison.comparison === 'greater_than';
  if (isOrder) return { assertion: { source: 'json', property: '$', ...comparison }, difference: null };
  return {
    assertion: { source: 'body', ...comparison },
    difference: 'the JSON query has no path, so the body is compared as text, with quotes and line breaks',
  };
}

function comparisonOf(operator: string, expected: string): Comparison | null {
  switch (operator) {
    case '':
    case '==':
      return { comparison: 'equals', target: expected };
    case '!=':
      return { comparison: 'not_equals', target: expected };
    case 'contains':
      return expected === '' ? null : { comparison: 'contains', target: expected };
    case '<':
    case '<=':
      return ordered('less_than', expected, operator === '<=' ? 1 : 0);
    case '>':
    case '>=':
      return ordered('greater_than', expected, operator === '>=' ? -1 : 0);
    default:
      return null;
  }
}

/** `shift` is the direction to move the bound, so that the bound itself is included. */
function ordered(comparison: string, expected: string, shift: -1 | 0 | 1): Comparison | null {
  const bound = Number(expected);
  if (expected.trim() === '' || !Number.isFinite(bound) || Math.abs(bound) > LARGEST) return null;
  const shifted = bound + shift * 10 ** -STEP_DIGITS;
  return { comparison, target: shift === 0 ? plainNumber(bound) : shifted.toFixed(STEP_DIGITS) };
}

const plainNumber = (number: number): string =>
  Number.isInteger(number) ? String(number) : number.toFixed(9).replace(/(?<!0)0+$/, '');

const STEP = /^(?:\.?([A-Za-z_][A-Za-z0-9_]*)|\.?`([^`]+)`|\.?"([^"\\]+)"|\[(-?\d{1,9})\])/;

/**
 * Converts `data.items[0].name` to `$.data.items[0].name`. Returns `null` if the query has more than names and indexes.
 */
export function jsonPathOf(query: string): string | null {
  let rest = query.trim().replace(/^\$(?=[.[])/, '');
  if (rest.startsWith('$')) return null;
  let path = '$';
  while (rest !== '') {
    const step = STEP.exec(rest);
    if (!step) return null;
    const [text, name, quotedName, otherName, place] = step;
    const special = quotedName ?? otherName;
    if (special !== undefined) path += `[${JSON.stringify(special)}]`;
    else path += place === undefined ? `.${name}` : `[${Number(place)}]`;
    rest = rest.slice(text.length);
    if (/^[A-Za-z_`"]/.test(rest)) return null;
  }
  return path === '$' || jsonPathProblem(path) !== null ? null : path;
}

const quoted = (text: string): string => `"${text.length > 60 ? `${cut(text, 60, '')}…` : text}"`;
