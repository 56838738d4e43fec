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

/** What a check learned about its target. Absent: this type of check does not have it. */
export interface AssertionFacts {
  statusCode?: number;
  /** Sum of the phases. */
  durationMs: number;
  /** Lower-case names; values as they came, byte by byte (Latin-1). */
  headers?: Readonly<Record<string, string>>;
  /**
   * The part of the body that was read, as UTF-8; `complete` is false when there was more. `problem` says in a few words why
   * it cannot be read: then nothing about it holds.
   */
  body?: { text: string; complete: boolean; problem?: string };
  /** Full and part days until the certificate expires; negative when it has. */
  certificateDays?: number;
  /** A text alone is compared as a name is. */
  records?: readonly (RecordFact | string)[];
  banner?: string;
  /** What was connected to: of what is no public address nothing is quoted. */
  address?: string | null;
}

/** An assertion that does not hold, in words for the person on call. */
export interface FailedAssertion {
  /** Its place in the list. */
  index: number;
  severity: AssertionSeverity;
  /** What was expected, e.g. `status_code to be one of 200-299`. */
  expected: string;
  /** What was found, at most 100 characters, never the value of a credential. */
  seen: string;
}

const MAX_SHOWN = 100;

/**
 * Steps that the JSON assertions of one check may take: 10 to 40 ns each, so that one assertion takes 16 ms at most.
 * A filter takes about ten for each member of a list.
 */
const STEPS_PER_ASSERTION = 400_000;
const STEPS_PER_CHECK = 5 * STEPS_PER_ASSERTION;
/** What may be judged at once, without letting others pass: a millisecond or two. */
const QUICK_STEPS = 40_000;
export const QUICK_BODY = 32 * 1024;
/** Characters of a body that are read in one piece: at most 4 ms. */
const PIECE = 128 * 1024;

/**
 * The first critical assertion that does not hold, or else the first warning; `null` when all hold. So no warning takes the
 * work that one check may make from what is critical. `undefined` when judging takes longer than a moment and is for
 * `firstFailureInPieces`. Never throws, whatever the target sent.
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

/** As `firstFailure`, for bodies of any size: `pause` lets others pass between pieces of at most 25 ms. */
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

/** True for an assertion about what is in the body. */
export const looksIntoBody = ({ source }: Assertion): boolean => source === 'body' || source === 'json';

/** Judges the assertions of one check. The body is read as JSON once, when the first assertion asks for it. */
class Judge {
  private reader: JsonReader | null = null;
  private document: JsonDocument | null = null;
  /** Why there is no document. */
  private obstacle: string | null = null;

  constructor(
    private readonly assertions: readonly Assertion[],
    private readonly facts: AssertionFacts,
    private steps: number,
  ) {}

  /** One piece of the body, as JSON; returns whether that was all. */
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

  /** Throws `TooComplex`. */
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
    // What is quoted is short, and must not make a simple assertion too complex.
    this.document?.allow(STEPS_PER_ASSERTION);
    const seen = seenText(assertion, reading, this.facts.address ?? null);
    return { index, severity: severityOf(assertion), expected: expectation(assertion), seen };
  }
}

/** One sentence about a failed assertion, at most 300 characters. */
export const failureSentence = ({ expected, seen }: FailedAssertion): string =>
  cut(`Expected ${expected}, but it was ${seen}.`, 300, '');

/** The values an assertion looks at: none, one, or (JSON, DNS) many. `problem` says why there is none. */
interface Reading {
  values: readonly unknown[];
  problem?: string;
  /** Counts work on values of a document. */
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

/** Status codes equal a list or range that holds them; records equal a list as a set; of several JSON values one is enough. */
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

/** An array contains a value of its own; an object, as text, a part of what `JSON.stringify` writes for it. */
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

/** What values are compared with: by the text as it is written; numbers also by their value. */
class Wanted {
  private readonly texts: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<number | string>;
  private readonly longest: number;

  /** `list`: a text in which the wanted values stand between commas, of which one may hold commas. */
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

/** Of an object or array not much more than `limit` characters are written; the other values are whole. */
function textOf(value: unknown, limit = Infinity): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (isRecordFact(value)) return value.value;
  return value instanceof JsonContainer ? value.document.textOf(value.node, limit) : String(value);
}

/** Whether a value is less (-1) or greater (1) than a number. Text that is not a number is neither. */
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
 * A body may contain anything: only its size is shown. What came from an address that is not public is not shown at all: who
 * may set up a check must not read the network of the monitor with it.
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

/** In whole days where that shows that it failed: a warning lasts for days, and each new sentence is stored. */
function daysText(assertion: Assertion, days: number): string {
  const whole = Math.floor(days);
  return `${holds(assertion, single(whole)) ? days.toFixed(3) : whole} days`;
}

const CONTENT: ReadonlySet<Assertion['source']> = new Set(['header', 'body', 'json']);

/** At most `length` characters on one line. */
function shorten(text: string, length: number): string {
  const line = cut(text, length * 4, '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return cut(line, length);
}
