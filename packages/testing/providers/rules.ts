import { isRecord } from '../../../src/platform/text/json';
import { readUrl } from '../../../src/platform/text/read-url';
import { type BrokenRule, recordOf } from '../channel/provider-double';
import type { ReceivedRequest } from '../servers/fake-provider';
import { cut } from '../../../src/platform/text/text-limits';

/** A JSON object in a request. */
export type Data = Readonly<Record<string, unknown>>;

/** How a value breaks a rule. Each vendor turns it into its own error message. */
export interface Fault {
  kind: 'required' | 'type' | 'length' | 'value';
  /** The requirement, such as `at most 256 characters`. */
  expected: string;
  /** The maximum length, if the value is too long. */
  max?: number;
}

/** How a vendor responds to a broken rule. */
export type Refusal = Pick<BrokenRule, 'status' | 'error' | 'code'>;

/** A vendor's name, its usual error response, and the wording of its errors. */
export interface Wording {
  vendor: string;
  status: number;
  code?: number;
  error(path: string, fault: Fault): string;
}

/** The limits for a string. Lengths are in UTF-16 units. No vendor is stricter than that. */
export interface TextBounds {
  max: number;
  /** Default: 1, because vendors reject an empty string if a string is required. */
  min?: number;
  required?: boolean;
  pattern?: RegExp;
  /** A description of `pattern`. */
  form?: string;
}

/** Collects the vendor rules that one request breaks. A missing optional value breaks no rule. */
export class Rules {
  readonly broken: BrokenRule[] = [];

  constructor(private readonly wording: Wording) {}

  /** Records a broken rule, and returns whether the rule was followed. `path` is empty for the request as a whole. */
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

  /** Returns the JSON object in a request, or `null` if its content type or body isn't JSON. */
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

  /** Returns the items of a list. Empty if the value is missing, too long, or not a list. */
  list(path: string, value: unknown, max: number, refusal?: Partial<Refusal>): readonly unknown[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.typed(path, 'a list', value, refusal);
      return [];
    }
    const length: Fault = { kind: 'length', expected: `at most ${max} elements`, max };
    return this.must(value.length <= max, path, length, value.length, refusal) ? (value as unknown[]) : [];
  }

  /** Returns the value if it is an object. Otherwise returns `null`. */
  record(path: string, value: unknown, refusal?: Partial<Refusal>): Data | null {
    if (value === undefined || isRecord(value)) return value ?? null;
    this.typed(path, 'an object', value, refusal);
    return null;
  }

  /** Returns the objects in a list, each with its path. */
  records(path: string, value: unknown, max: number, refusal?: Partial<Refusal>): { at: string; item: Data }[] {
    return this.list(path, value, max, refusal).flatMap((element, index) => {
      const at = `${path}[${index}]`;
      const item = this.record(at, element, refusal);
      return item ? [{ at, item }] : [];
    });
  }

  url(path: string, value: unknown, refusal?: Partial<Refusal>): boolean {
    const fits = value === undefined || (typeof value === 'string' && webUrl(value) !== null);
    return this.must(fits, path, 'an absolute http or https URL', value, refusal);
  }

  private typed(path: string, expected: string, value: unknown, refusal?: Partial<Refusal>): false {
    this.must(false, path, { kind: 'type', expected }, value, refusal);
    return false;
  }
}

/** Parses a string as an HTTP or HTTPS URL. Returns `null` for any other string. */
export function webUrl(text: string): URL | null {
  return /^https?:\/\/[^\s/]/i.test(text) ? readUrl(text) : null;
}

function sentenceOf(path: string, { kind, expected }: Fault, value: unknown): string {
  const what = path === '' ? 'the request' : `"${path}"`;
  return kind === 'required' ? `${what} is required` : `${what} must be ${expected}, not ${shown(value)}`;
}

const MAX_SHOWN = 80;

/** Returns a value on one line, cut to the maximum length. */
function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${cut(text, MAX_SHOWN, '')}…` : text;
}
