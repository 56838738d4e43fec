import { isPublicAddress } from '../../platform/net/egress/address-class';
import { textFromLatin1 } from '../../platform/text/bytes-as-text';
import { type Assertion, ASSERTION_SEVERITIES, type AssertionSeverity, severityOf } from './assertion';
import { JsonContainer, type JsonDocument, JsonReader, NotJson, TooComplex } from './json-document';
import { compareNumbers, JsonNumber, numberIn, numberKey } from './json-number';
import { valuesAt } from './json-path';
import { holdsNumber, parseRanges } from './number-ranges';
import { isMember, membersOf, type RecordFact, recordForm, recordsAreIn, recordsEqual } from './record-text';
import { includesText } from './text-search';
import { isSensitiveHeader } from '../request-headers';
import { cut } from '../../platform/text/text-limits';

/** The facts that a check learned about its target. A field is absent if this type of check doesn't have it. */
export interface AssertionFacts {
  statusCode?: number;
  /** The sum of all phases. */
  durationMs: number;
  /** Headers by lowercase name. The values are the raw bytes (Latin-1). */
  headers?: Readonly<Record<string, string>>;
  /**
   * The part of the body that was read, as UTF-8. `complete` is false if there was more. `problem` briefly says why the
   * body cannot be read. If it is set, every assertion about the body fails.
   */
  body?: { text: string; complete: boolean; problem?: string };
  /** The days until the certificate expires, including fractions. Negative if it has expired. */
  certificateDays?: number;
  /** A plain string is compared like a name. */
  records?: readonly (RecordFact | string)[];
  banner?: string;
  /** The remote address of the connection. Content from a non-public address is never quoted. */
  address?: string | null;
}

/** A failed assertion, described for the person on call. */
export interface FailedAssertion {
  index: number;
  severity: AssertionSeverity;
  /** The expected result, e.g. `status_code to be one of 200-299`. */
  expected: string;
  /** The actual result, at most 100 characters long. It is never the value of a credential. */
  seen: string;
}

const MAX_SHOWN = 100;

/**
 * The number of steps per JSON assertion that one check may take. A step takes 10 to 40 ns, so one assertion takes at
 * most 16 ms. A filter takes about ten steps per list element.
 */
const STEPS_PER_ASSERTION = 400_000;
const STEPS_PER_CHECK = 5 * STEPS_PER_ASSERTION;
/** The number of steps that may run without yielding to other work: a millisecond or two. */
const QUICK_STEPS = 40_000;
export const QUICK_BODY = 32 * 1024;
/** The number of body characters to read in one piece, which takes at most 4 ms. */
const PIECE = 128 * 1024;

/**
 * Returns the first failed critical assertion. If there is none, returns the first failed warning, or `null` if all
 * assertions hold. Critical assertions come first, so warnings cannot use up the steps of the check. Returns
 * `undefined` if judging takes too long and needs `firstFailureInPieces`. Never throws, even for hostile data.
 */
export function firstFailure(
  assertions: readonly Assertion[],
  facts: AssertionFacts,
): FailedAssertion | null | undefined {
  if (facts.body && facts.body.text.length > QUICK_BODY) return undefined;
  const judge = new Judge(assertions, facts, QUICK_STEPS);
  try {
    for (const severity of ASSERTION_SEVERITIES) {
      for (const [index, assertion] of assertions.entries()) {
        const failed = severityOf(assertion) === severity ? judge.failureOf(index) : null;
        if (failed) return failed;
      }
    }
    return null;
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}

/**
 * Works like `firstFailure`, but for bodies of any size. `pause` yields to other work between pieces of at most 25 ms.
 */
export async function firstFailureInPieces(
  assertions: readonly Assertion[],
  facts: AssertionFacts,
  pause: () => Promise<void>,
): Promise<FailedAssertion | null> {
  const judge = new Judge(assertions, facts, STEPS_PER_CHECK);
  if (assertions.some(({ source }) => source === 'json')) while (!judge.readPiece()) await pause();
  for (const severity of ASSERTION_SEVERITIES) {
    for (const [index, assertion] of assertions.entries()) {
      if (severityOf(assertion) !== severity) continue;
      if (looksIntoBody(assertion)) await pause();
      const failed = judge.failureInTime(index);
      if (failed) return failed;
    }
  }
  return null;
}

/** Returns true for an assertion about the content of the body. */
export const looksIntoBody = ({ source }: Assertion): boolean => source === 'body' || source === 'json';

/** Judges the assertions of one check. Parses the body as JSON once, when the first assertion needs it. */
class Judge {
  private reader: JsonReader | null = null;
  private document: JsonDocument | null = null;
  /** The reason why there is no parsed document. */
  private obstacle: string | null = null;

  constructor(
    private readonly assertions: readonly Assertion[],
    private readonly facts: AssertionFacts,
    private steps: number,
  ) {}

  /** Parses one piece of the body as JSON. Returns true at the end. */
  readPiece(): boolean {
    const { body } = this.facts;
    if (body === undefined || body.text === '') this.obstacle = body?.problem ?? 'an empty body';
    if (this.document !== null || this.obstacle !== null || body === undefined) return true;
    try {
      this.reader ??= new JsonReader(body.text);
      this.document = this.reader.read(PIECE);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      this.obstacle = body.complete ? 'a body that is not JSON' : 'a JSON body larger than 1 MiB';
    }
    return this.document !== null || this.obstacle !== null;
  }

  /** Throws: `TooComplex`. */
  failureOf(index: number): FailedAssertion | null {
    const assertion = this.assertions[index];
    if (!assertion) return null;
    const reading = this.read(assertion);
    return holds(assertion, reading) ? null : this.failed(index, assertion, reading);
  }

  failureInTime(index: number): FailedAssertion | null {
    const allowed = Math.min(this.steps, STEPS_PER_ASSERTION);
    this.document?.allow(allowed);
    try {
      const failed = this.failureOf(index);
      this.steps -= allowed - (this.document?.left ?? allowed);
      return failed;
    } catch (error) {
      const assertion = this.assertions[index];
      if (!(error instanceof TooComplex) || !assertion) throw error;
      return this.failed(index, assertion, unreadable(TOO_COMPLEX));
    }
  }

  private read({ source, property }: Assertion): Reading {
    const { facts } = this;
    switch (source) {
      case 'status_code':
        return single(facts.statusCode);
      case 'response_time':
        return single(Math.round(facts.durationMs * 1000) / 1000);
      case 'header':
        return single(headerText(facts.headers?.[(property ?? '').toLowerCase()]));
      case 'body':
        return facts.body?.problem === undefined ? single(facts.body?.text) : unreadable(facts.body.problem);
      case 'json':
        return this.readJson(property ?? '$');
      case 'certificate_days':
        return single(facts.certificateDays);
      case 'dns_record':
        return { values: (facts.records ?? []).map(recordFactOf) };
      case 'banner':
        return single(facts.banner);
      default:
        return source satisfies never;
    }
  }

  private readJson(path: string): Reading {
    if (this.document === null && this.obstacle === null) {
      while (!this.readPiece());
      (this.document as JsonDocument | null)?.allow(this.steps);
    }
    const { document } = this;
    if (document === null) return unreadable(this.obstacle ?? 'an empty body');
    return { values: valuesAt(document, path), spend: (steps) => document.spend(steps) };
  }

  private failed(index: number, assertion: Assertion, reading: Reading): FailedAssertion {
    // The quoted text is short, and quoting it must not make a simple assertion too complex.
    this.document?.allow(STEPS_PER_ASSERTION);
    const seen = seenText(assertion, reading, this.facts.address ?? null);
    return { index, severity: severityOf(assertion), expected: expectation(assertion), seen };
  }
}

/** Returns one sentence about a failed assertion, at most 300 characters. */
export const failureSentence = ({ expected, seen }: FailedAssertion): string =>
  cut(`Expected ${expected}, but it was ${seen}.`, 300, '');

/** The values that an assertion tests: none, one, or several (JSON and DNS). `problem` says why there are none. */
interface Reading {
  values: readonly unknown[];
  problem?: string;
  /** Counts steps for work on values of a document. */
  spend?: (steps: number) => void;
}

const TOO_COMPLEX =
  'a body too complex for this JSONPath: use one without .. and filters, or let the endpoint return less';

const unreadable = (problem: string): Reading => ({ values: [], problem });

const headerText = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : textFromLatin1(value);

const recordFactOf = (record: RecordFact | string): RecordFact =>
  typeof record === 'string' ? { type: '', value: record } : record;

const isRecordFact = (value: unknown): value is RecordFact =>
  typeof value === 'object' && value !== null && 'type' in value && 'value' in value;

const single = (value: unknown): Reading => ({ values: value === undefined ? [] : [value] });

function holds({ source, comparison, target }: Assertion, reading: Reading): boolean {
  const { values, problem } = reading;
  if (problem !== undefined) return false;
  switch (comparison) {
    case 'exists':
      return (
        values.some((value) => value !== '' && !(isRecordFact(value) && value.value === '')) === (target !== 'false')
      );
    case 'equals':
      return equals(source, reading, target);
    case 'not_equals':
      return !equals(source, reading, target);
    case 'in':
      return values.length > 0 && isIn(source, reading, target);
    case 'contains':
      return contains(values, target);
    case 'not_contains':
      return !contains(values, target);
    case 'less_than':
      return values.length > 0 && values.every((value) => isOrdered(value, target, -1));
    case 'greater_than':
      return values.length > 0 && values.every((value) => isOrdered(value, target, 1));
    default:
      return comparison satisfies never;
  }
}

/**
 * A status code equals a list or range that contains it. Records equal a list if both are equal as sets. For several
 * JSON values, one match is enough.
 */
function equals(source: Assertion['source'], { values, spend }: Reading, target: string): boolean {
  if (source === 'status_code') return values.length > 0 && isIn(source, { values }, target);
  if (source === 'dns_record') return recordsEqual(values.filter(isRecordFact), target);
  const wanted = new Wanted([target], spend);
  return values.some((value) => wanted.has(value));
}

function isIn(source: Assertion['source'], { values, spend }: Reading, target: string): boolean {
  if (source === 'status_code') {
    const ranges = parseRanges(target) ?? [];
    return values.every((value) => holdsNumber(ranges, numberOf(value)));
  }
  if (source === 'dns_record') return recordsAreIn(values.filter(isRecordFact), target);
  const wanted = new Wanted(membersOf(target), spend, target);
  return values.every((value) => wanted.has(value));
}

/** An array contains the target if one of its elements does. For an object, its `JSON.stringify` output is searched. */
function contains(values: readonly unknown[], target: string): boolean {
  const wanted = new Wanted([target]);
  return values.some((value) => {
    if (isRecordFact(value)) return includesText(recordForm(value.type, value.value), recordForm(value.type, target));
    if (!(value instanceof JsonContainer)) return includesText(textOf(value), target);
    const { document, node } = value;
    if (document.isArray(node)) return document.childrenOf(node).some((child) => wanted.has(document.valueOf(child)));
    const text = textOf(value);
    document.spend(text.length >> 3);
    return includesText(text, target);
  });
}

/** The values to compare with. Strings are compared as written, and numbers are also compared by value. */
class Wanted {
  private readonly texts: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<number | string>;
  private readonly longest: number;

  /** `list` is a string with comma-separated values, which may themselves contain commas. */
  constructor(
    texts: readonly string[],
    private readonly spend: (steps: number) => void = () => {},
    private readonly list: string | null = null,
  ) {
    this.texts = new Set(texts);
    const numbers = texts.map(numberIn).filter((number) => number !== null);
    this.numbers = new Set(numbers.map(numberKey));
    this.longest = Math.max(...texts.map(({ length }) => length), list?.length ?? 0);
  }

  has(value: unknown): boolean {
    const text = textOf(value, this.longest);
    if (this.texts.has(text)) return true;
    if (value instanceof JsonNumber) return this.numbers.size > 0 && this.numbers.has(numberKey(value));
    if (this.list !== null && text.includes(',') && text.length <= this.longest) {
      this.spend(this.longest >> 4);
      return isMember(this.list, text);
    }
    return value instanceof JsonContainer && this.texts.has(value.document.textOf(value.node, this.longest, 'values'));
  }
}

/** Truncates objects and arrays after about `limit` characters. Returns other values in full. */
function textOf(value: unknown, limit = Infinity): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (isRecordFact(value)) return value.value;
  return value instanceof JsonContainer ? value.document.textOf(value.node, limit) : String(value);
}

/** Returns true if a value is less than (-1) or greater than (1) a number. Text that isn't a number is neither. */
function isOrdered(value: unknown, target: string, order: -1 | 1): boolean {
  const bound = numberIn(target);
  const exact = value instanceof JsonNumber && bound !== null ? compareNumbers(value, bound) : null;
  const difference = exact ?? numberOf(value) - Number(target);
  return order < 0 ? difference < 0 : difference > 0;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof JsonNumber) return value.value;
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

/**
 * Shows only the size of a body, because it may contain anything. Shows nothing that came from a non-public address, so
 * that users who can create checks cannot read the monitor's network with them.
 */
function seenText(assertion: Assertion, { values, problem }: Reading, address: string | null): string {
  const { source, property } = assertion;
  if (problem !== undefined) return problem;
  if (values.length === 0) return 'absent';
  if (source === 'header' && isSensitiveHeader(property ?? '')) return 'another value (hidden)';
  if (CONTENT.has(source) && address !== null && !isPublicAddress(address)) return 'another value';
  if (source === 'body') return `a body of ${String(values[0]).length} characters`;
  if (source === 'response_time') return `${String(values[0])} ms`;
  if (source === 'certificate_days') return daysText(assertion, numberOf(values[0]));
  const quoted = values.slice(0, 10).map((value) => textOf(value, 4 * MAX_SHOWN));
  const shown = shorten(quoted.join(', '), MAX_SHOWN);
  return shown === '' ? 'empty' : shown;
}

/**
 * Shows whole days if that is enough to explain the failure. A warning lasts for days, and each new sentence is stored.
 */
function daysText(assertion: Assertion, days: number): string {
  const whole = Math.floor(days);
  return `${holds(assertion, single(whole)) ? days.toFixed(3) : whole} days`;
}

const CONTENT: ReadonlySet<Assertion['source']> = new Set(['header', 'body', 'json']);

/** Truncates the text to `length` characters on one line. */
function shorten(text: string, length: number): string {
  const line = cut(text, length * 4, '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return cut(line, length);
}
