import { query } from 'jsonpath-rfc9535';
import type { Assertion } from './assertion';
import { holdsNumber, parseRanges } from './number-ranges';
import { isSensitiveHeader } from '../request-headers';

/** What a check learned about its target. Absent: this type of check does not have it. */
export interface AssertionFacts {
  statusCode?: number;
  /** Sum of the phases. */
  durationMs: number;
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  /** The part of the body that was read, as UTF-8; `complete` is false when there was more. */
  body?: { text: string; complete: boolean };
  /** Full and part days until the certificate expires; negative when it has. */
  certificateDays?: number;
  records?: readonly string[];
  banner?: string;
}

/** The first assertion that does not hold, in words for the person on call. */
export interface FailedAssertion {
  /** Its place in the list. */
  index: number;
  /** What was expected, e.g. `status_code to be one of 200-299`. */
  expected: string;
  /** What was found, at most 100 characters, never the value of a credential. */
  seen: string;
}

const MAX_SHOWN = 100;

/** The first assertion that does not hold, or `null` when all do. Never throws, whatever the target sent. */
export function firstFailure(assertions: readonly Assertion[], facts: AssertionFacts): FailedAssertion | null {
  for (const [index, assertion] of assertions.entries()) {
    const found = read(assertion, facts);
    if (!holds(assertion, found)) return { index, expected: expectation(assertion), seen: seenText(assertion, found) };
  }
  return null;
}

/** One sentence about a failed assertion, at most 300 characters. */
export const failureSentence = ({ expected, seen }: FailedAssertion): string =>
  `Expected ${expected}, but it was ${seen}.`.slice(0, 300);

/** The values an assertion looks at: none, one, or (JSON, DNS) many. `problem` says why there is none. */
interface Reading {
  values: readonly unknown[];
  problem?: string;
}

const single = (value: unknown): Reading => ({ values: value === undefined ? [] : [value] });

function read({ source, property }: Assertion, facts: AssertionFacts): Reading {
  switch (source) {
    case 'status_code':
      return single(facts.statusCode);
    case 'response_time':
      return single(Math.round(facts.durationMs * 1000) / 1000);
    case 'header':
      return single(facts.headers?.[(property ?? '').toLowerCase()]);
    case 'body':
      return single(facts.body?.text);
    case 'json':
      return readJson(property ?? '$', facts.body);
    case 'certificate_days':
      return single(facts.certificateDays);
    case 'dns_record':
      return { values: facts.records ?? [] };
    case 'banner':
      return single(facts.banner);
    default:
      return source satisfies never;
  }
}

function readJson(path: string, body: AssertionFacts['body']): Reading {
  if (body === undefined || body.text === '') return { values: [], problem: 'an empty body' };
  try {
    return { values: query(JSON.parse(body.text), path) };
  } catch {
    return { values: [], problem: body.complete ? 'a body that is not JSON' : 'a JSON body larger than 1 MiB' };
  }
}

function holds({ source, comparison, target }: Assertion, { values, problem }: Reading): boolean {
  if (problem !== undefined) return false;
  switch (comparison) {
    case 'exists':
      return values.some((value) => value !== '') === (target !== 'false');
    case 'equals':
      return equals(source, values, target);
    case 'not_equals':
      return !equals(source, values, target);
    case 'in':
      return values.length > 0 && isIn(source, values, target);
    case 'contains':
      return values.some((value) => contains(source, value, target));
    case 'not_contains':
      return !values.some((value) => contains(source, value, target));
    case 'less_than':
      return values.length > 0 && values.every((value) => numberOf(value) < Number(target));
    case 'greater_than':
      return values.length > 0 && values.every((value) => numberOf(value) > Number(target));
    default:
      return comparison satisfies never;
  }
}

/** Status codes equal a list or range that holds them; records equal a list as a set; of several JSON values one is enough. */
function equals(source: Assertion['source'], values: readonly unknown[], target: string): boolean {
  if (source === 'status_code') return values.length > 0 && isIn(source, values, target);
  if (source !== 'dns_record') return values.some((value) => textOf(value) === target);
  const records = values.map(recordForm);
  const wanted = new Set(listOf(target).map(recordForm));
  const sameSet = records.length > 0 && records.every((record) => wanted.has(record));
  return (
    (sameSet && new Set(records).size === wanted.size) || (records.length === 1 && records[0] === recordForm(target))
  );
}

function isIn(source: Assertion['source'], values: readonly unknown[], target: string): boolean {
  if (source === 'status_code') {
    const ranges = parseRanges(target) ?? [];
    return values.every((value) => holdsNumber(ranges, numberOf(value)));
  }
  const form = source === 'dns_record' ? recordForm : textOf;
  const wanted = new Set(listOf(target).map(form));
  return values.every((value) => wanted.has(form(value)));
}

function contains(source: Assertion['source'], value: unknown, target: string): boolean {
  if (source === 'dns_record') return recordForm(value).includes(recordForm(target));
  if (Array.isArray(value)) return value.some((member) => textOf(member) === target);
  return textOf(value).includes(target);
}

const listOf = (target: string): string[] => target.split(',').map((part) => part.trim());

/** DNS names differ neither by case nor by the final dot. */
const recordForm = (value: unknown): string => textOf(value).toLowerCase().replace(/\.$/, '');

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Text that is not a number is neither less nor greater than anything. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

const WORDS: Record<Exclude<Assertion['comparison'], 'exists'>, string> = {
  equals: 'to equal',
  not_equals: 'not to equal',
  contains: 'to contain',
  not_contains: 'not to contain',
  less_than: 'to be less than',
  greater_than: 'to be greater than',
  in: 'to be one of',
};

function expectation({ source, property, comparison, target }: Assertion): string {
  const subject = property === undefined ? source : `${source} ${shorten(property, 60)}`;
  if (comparison === 'exists') return `${subject} to ${target === 'false' ? 'be absent' : 'exist'}`;
  const shown = source === 'header' && isSensitiveHeader(property ?? '') ? '(hidden)' : shorten(target, 60);
  return `${subject} ${WORDS[comparison]} ${shown}`;
}

/** A body may contain anything: only its size is shown. */
function seenText({ source, property }: Assertion, { values, problem }: Reading): string {
  if (problem !== undefined) return problem;
  if (values.length === 0) return 'absent';
  if (source === 'header' && isSensitiveHeader(property ?? '')) return 'another value (hidden)';
  if (source === 'body') return `a body of ${textOf(values[0]).length} characters`;
  if (source === 'response_time') return `${String(values[0])} ms`;
  const shown = shorten(values.slice(0, 10).map(textOf).join(', '), MAX_SHOWN);
  return shown === '' ? 'empty' : shown;
}

/** At most `length` characters on one line. */
function shorten(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
