import type { FieldProblemCode } from './problem';
import { cut } from '../text/text-limits';

const CODES: Readonly<Record<string, FieldProblemCode>> = {
  whitelistValidation: 'unknown_field',
  isDefined: 'required',
  isNotEmpty: 'required',
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isNumber: 'wrong_type',
  isBoolean: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  objectList: 'wrong_type',
  nestedValidation: 'wrong_type',
  min: 'out_of_range',
  max: 'out_of_range',
  arrayMaxSize: 'out_of_range',
  arrayMinSize: 'out_of_range',
  maxLength: 'too_long',
  isLength: 'too_long',
  invalidCharacters: 'invalid_characters',
  matches: 'invalid_format',
  isIn: 'invalid_format',
  isUrl: 'invalid_format',
  isEmail: 'invalid_format',
  reserved: 'reserved',
};

/** Returns the public code for a class-validator rule. Rules that are not listed check the format. */
export const codeOfConstraint = (rule: string): FieldProblemCode => CODES[rule] ?? 'invalid_format';

/** class-validator's phrases and their plain equivalents. */
const PLAIN: readonly [RegExp, string][] = [
  [/must be an integer number$/, 'must be a whole number'],
  [/must be a boolean value$/, 'must be true or false'],
  [/must not be less than (-?\d+)$/, 'must be at least $1'],
  [/must not be greater than (-?\d+)$/, 'must be at most $1'],
  [/must be shorter than or equal to (\d+) characters$/, 'must have at most $1 characters'],
  [/must be longer than or equal to (\d+) characters$/, 'must have at least $1 characters'],
  [/must be one of the following values: /, 'must be one of '],
];

/** Returns the message for a broken rule in plain words. */
export const plainly = (message: string): string =>
  PLAIN.reduce((text, [pattern, words]) => text.replace(pattern, words), message);

/** Returns a name as a step in a JSON pointer (RFC 6901), truncated to a length that messages may repeat. */
export const pointerStep = (name: string): string => cut(name.replaceAll('~', '~0').replaceAll('/', '~1'), 100, '');
