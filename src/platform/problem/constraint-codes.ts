import type { FieldProblemCode } from './problem';

/** What a broken class-validator rule means to a client. */
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
};

/** The public code of a class-validator rule by its name. A rule that is not listed is a matter of format. */
export const codeOfConstraint = (rule: string): FieldProblemCode => CODES[rule] ?? 'invalid_format';

/** A name as one step of a JSON pointer (RFC 6901), cut to what a message should repeat of it. */
export const pointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 100);
