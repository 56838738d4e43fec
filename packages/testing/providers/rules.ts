import { isRecord } from '../../../src/platform/text/json';
import { readUrl } from '../../../src/platform/text/read-url';
import { type BrokenRule, recordOf } from '../channel/provider-double';
import type { ReceivedRequest } from '../servers/fake-provider';
import { cut } from '../../../src/platform/text/text-limits';

/** A JSON object of a request. */
export type Data = Readonly<Record<string, unknown>>;

/** How a value breaks a rule, in the terms from which a vendor words its error. */
export interface Fault {
  kind: 'required' | 'type' | 'length' | 'value';
  /** What the value must be, such as `at most 256 characters`. */
  expected: string;
  /** Of a length: the most that is allowed. */
  max?: number;
}

/** How a vendor refuses what breaks one of its rules. */
export type Refusal = Pick<BrokenRule, 'status' | 'error' | 'code'>;

/** A vendor's name, the refusal of most of its rules, and how it words the error of a fault. */
export interface Wording {
  vendor: string;
  status: number;
  code?: number;
  error(path: string, fault: Fault): string;
}

/** Bounds of a text; lengths in UTF-16 units, which no vendor counts more strictly than. */
export interface TextBounds {
  max: number;
  /** Default 1: vendors refuse an empty text where they want one. */
  min?: number;
  required?: boolean;
  pattern?: RegExp;
  /** What `pattern` stands for. */
  form?: string;
}

/** Collects the rules of a vendor that one request breaks. Values that are absent and not required break none. */
export class Rules {
  readonly broken: BrokenRule[] = [];

  constructor(private readonly wording: Wording) {}

  /** Notes a rule unless it holds, and says whether it holds. `path` is empty for the request as a whole. */
  must(holds: boolean, path: string, fault: Fault | string, value: unknown, refusal: Partial<Refusal> = {}): boolean {
    if (holds) return true;
    const { vendor, status, code } = this.wording;
    const known: Fault = typeof fault === 'string' ? { kind: 'value', expected: fault } : fault;
    this.broken.push({
      status,
      ...(code === undefined ? {} : { code }),
      error: this.wording.error(path, known),
      ...refusal,
      path,
      sentence: `${vendor}: ${sentenceOf(path, known, value)}`,
    });
    return false;
  }

  /** The request is JSON by its content type and its body; `null` when it is not. */
  json(request: ReceivedRequest, refusal: Partial<Refusal> = {}): Data | null {
    const type = request.headers['content-type'] ?? '';
    const isJson = /^application\/json(?:; *charset="?utf-8"?)?$/i.test(type);
    if (!this.must(isJson, '', 'sent as application/json', type, refusal)) return null;
    const body = recordOf(request.body);
    this.must(body !== null, '', 'a JSON object', request.body, refusal);
    return body;
  }

  required(path: string, value: unknown, refusal?: Partial<Refusal>): boolean {
    const isThere = value !== undefined && value !== null && value !== '';
    return this.must(isThere, path, { kind: 'required', expected: 'present' }, value, refusal);
  }

  text(path: string, value: unknown, bounds: TextBounds, refusal?: Partial<Refusal>): value is string {
    const { max, min = 1, required = false, pattern = /^/, form = 'of another form' } = bounds;
    const isMissing = value === undefined || (required && (value === null || (value === '' && min > 0)));
    if (isMissing) return required && this.required(path, value, refusal);
    if (typeof value !== 'string') return this.typed(path, 'a string', value, refusal);
    const length: Fault = { kind: 'length', expected: `${min === max ? max : `${min} to ${max}`} characters`, max };
    const fits = value.length >= min && value.length <= max;
    if (!this.must(fits, path, length, value.length, refusal)) return false;
    return this.must(pattern.test(value), path, form, value, refusal);
  }

  choice(path: string, value: unknown, allowed: readonly unknown[], refusal?: Partial<Refusal>): boolean {
    const known = value === undefined || allowed.includes(value);
    return this.must(known, path, `one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`, value, refusal);
  }

  integer(path: string, value: unknown, min: number, max: number, refusal?: Partial<Refusal>): boolean {
    const fits = value === undefined || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max);
    return this.must(fits, path, `an integer from ${min} to ${max}`, value, refusal);
  }

  flag(path: string, value: unknown, refusal?: Partial<Refusal>): boolean {
    const fits = value === undefined || typeof value === 'boolean';
    return fits || this.typed(path, 'true or false', value, refusal);
  }

  /** The elements of a list, none when it is absent, too long or no list. */
  list(path: string, value: unknown, max: number, refusal?: Partial<Refusal>): readonly unknown[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.typed(path, 'a list', value, refusal);
      return [];
    }
    const length: Fault = { kind: 'length', expected: `at most ${max} elements`, max };
    return this.must(value.length <= max, path, length, value.length, refusal) ? (value as unknown[]) : [];
  }

  /** The object that a value is, `null` when it is absent or none. */
  record(path: string, value: unknown, refusal?: Partial<Refusal>): Data | null {
    if (value === undefined || isRecord(value)) return value ?? null;
    this.typed(path, 'an object', value, refusal);
    return null;
  }

  /** The objects of a list, with the path of each. */
  records(path: string, value: unknown, max: number, refusal?: Partial<Refusal>): { at: string; item: Data }[] {
    return this.list(path, value, max, refusal).flatMap((element, index) => {
      const at = `${path}[${index}]`;
      const item = this.record(at, element, refusal);
      return item ? [{ at, item }] : [];
    });
  }

  /** An absolute http or https URL. */
  url(path: string, value: unknown, refusal?: Partial<Refusal>): boolean {
    const fits = value === undefined || (typeof value === 'string' && webUrl(value) !== null);
    return this.must(fits, path, 'an absolute http or https URL', value, refusal);
  }

  private typed(path: string, expected: string, value: unknown, refusal?: Partial<Refusal>): false {
    this.must(false, path, { kind: 'type', expected }, value, refusal);
    return false;
  }
}

/** The http or https URL that a text is, `null` for any other text. */
export function webUrl(text: string): URL | null {
  return /^https?:\/\/[^\s/]/i.test(text) ? readUrl(text) : null;
}

function sentenceOf(path: string, { kind, expected }: Fault, value: unknown): string {
  const what = path === '' ? 'the request' : `"${path}"`;
  return kind === 'required' ? `${what} is required` : `${what} must be ${expected}, not ${shown(value)}`;
}

const MAX_SHOWN = 80;

/** A value on one line, cut. */
function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${cut(text, MAX_SHOWN, '')}…` : text;
}
