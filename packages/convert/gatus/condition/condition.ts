import { goDurationMs } from '../go-duration';

export type Operator = '==' | '!=' | '<=' | '>=' | '>' | '<';

/** The subject of a condition. For example, `len([BODY].items)` is the LENGTH of BODY at `items`. */
export interface Subject {
  name: string;
  wrapper: 'len' | 'has' | null;
  /** The path after `[BODY]`, without a leading dot. Empty if the whole body is meant. */
  path: string;
}

/** A condition with its placeholder on the left. */
export interface Condition {
  subject: Subject;
  operator: Operator;
  /** Everything else in the condition, as written. */
  value: string;
}

/** In the order that Gatus looks for them. */
const OPERATORS: readonly Operator[] = ['==', '!=', '<=', '>=', '>', '<'];
const MIRRORED: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<=': '>=',
  '>=': '<=',
  '>': '<',
  '<': '>',
};
const PLACEHOLDER = /^\[([A-Z_]+)\](?:\.?(.*))$/is;

/** Returns `null` if there is no comparison, or if it compares two constants or two placeholders. */
export function readCondition(text: string): Condition | null {
  const operator = OPERATORS.find((sign) => text.includes(` ${sign} `));
  if (operator === undefined) return null;
  const [left = '', right = ''] = text.split(` ${operator} `).map((part) => part.trim());
  const [leftSubject, rightSubject] = [readSubject(left), readSubject(right)];
  if (leftSubject !== null && rightSubject === null) return { subject: leftSubject, operator, value: right };
  if (leftSubject === null && rightSubject !== null)
    return { subject: rightSubject, operator: MIRRORED[operator], value: left };
  return null;
}

function readSubject(text: string): Subject | null {
  const wrapped = /^(len|has)\((.*)\)$/s.exec(text);
  const wrapper = wrapped?.[1] === 'len' || wrapped?.[1] === 'has' ? wrapped[1] : null;
  const placeholder = PLACEHOLDER.exec(wrapped?.[2] ?? text);
  const name = placeholder?.[1]?.toUpperCase();
  if (name === undefined) return null;
  const path = placeholder?.[2] ?? '';
  // If text follows any other placeholder, Gatus treats all of it as plain text.
  return path !== '' && name !== 'BODY' && name !== 'CONTEXT' ? null : { name, wrapper, path };
}

/** Returns the argument of `any(…)` or `pat(…)`, or `null`. */
export const argumentOf = (value: string, call: 'any' | 'pat'): string | null =>
  value.startsWith(`${call}(`) && value.endsWith(')') ? value.slice(call.length + 1, -1) : null;

export const optionsOf = (list: string): string[] => list.split(',').map((option) => option.trim());

/**
 * Returns a number the way Gatus compares it: durations in milliseconds, without fractions. Returns `null` if Gatus
 * would treat the string as 0.
 */
export function readNumber(text: string): number | null {
  const ms = goDurationMs(text);
  const number = ms !== null && ms !== 0 ? ms : /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  return number === null || Math.abs(number) >= 1e15 ? null : Math.trunc(number);
}

/** The API's limit for JSONPath length. */
const MAX_PATH = 256;
/** Matches a dot outside brackets. `MAX_PATH` limits the length of the match. */
const SEPARATOR = /\.(?![^[]{0,256}\])/;

/**
 * Returns the JSONPath (RFC 9535) for a Gatus path such as `data[0].name`, or `null` if Gatus couldn't follow the path.
 */
export function jsonPathOf(path: string): string | null {
  if (path.length > MAX_PATH) return null;
  let found = '$';
  for (const key of path === '' ? [] : path.split(SEPARATOR)) {
    const parts = /^([^[\]]*)((?:\[\d{1,9}\])*)$/s.exec(key);
    if (!parts) return null;
    const [, name = '', indexes = ''] = parts;
    if (name === '' && indexes === '') return null;
    if (name !== '') found += /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`;
    found += indexes;
  }
  return found;
}
