import type { FieldProblem } from '../../platform/problem/problem';
import { isLongerThan } from '../../platform/text/text-limits';
import type { Assertion, AssertionComparison, AssertionSource } from './assertion';
import { jsonPathProblem } from './json-path-rules';
import { parseRanges } from './number-ranges';

export const MAX_ASSERTIONS = 20;
const MAX_TARGET = 1024;
const MAX_HEADER_NAME = 256;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NUMBER = /^\s*-?\d{1,15}(\.\d{1,9})?\s*$/;

const TEXT: readonly AssertionComparison[] = ['equals', 'not_equals', 'contains', 'not_contains', 'exists'];
const ORDER: readonly AssertionComparison[] = ['less_than', 'greater_than'];

export const COMPARISONS_OF: Record<AssertionSource, readonly AssertionComparison[]> = {
  status_code: ['equals', 'not_equals', 'in', ...ORDER],
  response_time: ORDER,
  header: [...TEXT, 'in', ...ORDER],
  body: TEXT,
  json: [...TEXT, 'in', ...ORDER],
  certificate_days: ORDER,
  dns_record: [...TEXT, 'in'],
  banner: TEXT,
};

/**
 * Returns all problems in a list of assertions for a checker that supports `sources`. Pointers are relative to the list
 * (`/0/target`).
 */
export function assertionProblems(
  assertions: readonly Assertion[],
  sources: readonly AssertionSource[],
): FieldProblem[] {
  if (assertions.length > MAX_ASSERTIONS) {
    return [problem('', 'out_of_range', `there may be at most ${MAX_ASSERTIONS} assertions`)];
  }
  return assertions.flatMap((assertion, i) =>
    problemsOf(assertion, sources).map((found) => ({ ...found, pointer: `/${i}${found.pointer}` })),
  );
}

function problemsOf(assertion: Assertion, sources: readonly AssertionSource[]): FieldProblem[] {
  const { source, comparison } = assertion;
  if (!sources.includes(source)) {
    const known = sources.join(', ');
    return [problem('/source', 'invalid_format', `this check type supports only the sources ${known}`)];
  }
  const allowed = COMPARISONS_OF[source];
  if (!allowed.includes(comparison)) {
    return [problem('/comparison', 'invalid_format', `${source} supports only the comparisons ${allowed.join(', ')}`)];
  }
  return [propertyProblem(assertion), targetProblem(assertion)].filter((found) => found !== null);
}

function propertyProblem({ source, property }: Assertion): FieldProblem | null {
  const pointer = '/property';
  if (source !== 'header' && source !== 'json') {
    return property === undefined ? null : problem(pointer, 'unknown_field', `${source} has no property`);
  }
  const meaning = source === 'header' ? 'the name of a header' : 'a JSONPath';
  if (property === undefined || property === '') return problem(pointer, 'required', `property must be ${meaning}`);
  if (source === 'header') {
    if (isLongerThan(property, MAX_HEADER_NAME)) {
      return problem(pointer, 'too_long', `a header name may have at most ${MAX_HEADER_NAME} characters`);
    }
    return HEADER_NAME.test(property) ? null : problem(pointer, 'invalid_characters', 'this is not a header name');
  }
  const wrong = jsonPathProblem(property);
  return wrong === null ? null : problem(pointer, 'invalid_format', wrong);
}

function targetProblem({ source, comparison, target }: Assertion): FieldProblem | null {
  const wrong = (message: string) => problem('/target', 'invalid_format', message);
  if (isLongerThan(target, MAX_TARGET)) {
    return problem('/target', 'too_long', `target may have at most ${MAX_TARGET} characters`);
  }
  if (comparison === 'exists') {
    return ['', 'true', 'false'].includes(target) ? null : wrong('target of exists must be true or false');
  }
  if (ORDER.includes(comparison)) return NUMBER.test(target) ? null : wrong('target must be a number');
  if (source === 'status_code') {
    return isStatusList(target) ? null : wrong('target must be status codes and ranges such as 200-299,301');
  }
  return target === '' && comparison !== 'equals' && comparison !== 'not_equals'
    ? problem('/target', 'required', 'target must not be empty')
    : null;
}

function isStatusList(target: string): boolean {
  const ranges = parseRanges(target);
  return ranges !== null && ranges.length <= 50 && ranges.every(([from, to]) => from >= 100 && to <= 599);
}

const problem = (pointer: string, code: FieldProblem['code'], message: string): FieldProblem => ({
  pointer,
  code,
  message,
});
