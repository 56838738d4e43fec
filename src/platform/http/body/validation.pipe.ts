import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError, validateSync } from 'class-validator';
import { codeOfConstraint, plainly, pointerStep } from '../../problem/constraint-codes';
import { type FieldProblem, type FieldProblemCode, Problem, problems } from '../../problem/problem';
import { withoutWrong, WrongShape } from './wrong-shape';

/** Of several broken rules of one field, the one that explains the others. */
const PRECEDENCE: readonly FieldProblemCode[] = [
  'unknown_field',
  'required',
  'wrong_type',
  'invalid_characters',
  'too_long',
  'out_of_range',
];

const rank = ([code]: [FieldProblemCode, string]): number => (PRECEDENCE.indexOf(code) + 100) % 100;

function fieldProblems(errors: readonly ValidationError[], parent = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const pointer = `${parent}/${pointerStep(error.property)}`;
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]): [FieldProblemCode, string] => [
      codeOfConstraint(rule),
      plainly(message),
    ]);
    const below = fieldProblems(error.children ?? [], pointer);
    if (own.length === 0) return below;
    if (error.value === undefined && own[0]?.[0] !== 'unknown_field') {
      return [{ pointer, code: 'required' as const, message: `${error.property} is required` }];
    }
    const [code, message] = own.sort((a, b) => rank(a) - rank(b))[0] ?? ['invalid_format', 'is not valid'];
    const text = code === 'unknown_field' ? `${error.property.slice(0, 100)} is not a field of this resource` : message;
    // Of what is no object, or no list of objects, nothing inside it is worth a word.
    return [{ pointer, code, message: text.slice(0, 300) }, ...(code === 'wrong_type' ? [] : below)];
  });
}

/** Names that mean something to JavaScript itself; class-transformer drops them silently, or trips over them. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Lone surrogates would be stored as U+FFFD, NUL not at all. */
const badText = (text: string): boolean => text.includes('\0') || /\p{Surrogate}/u.test(text);

function textProblems(value: unknown, pointer: string): FieldProblem[] {
  if (typeof value === 'string') {
    return badText(value)
      ? [{ pointer, code: 'invalid_characters', message: 'must not contain NUL or lone surrogates' }]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]): FieldProblem[] => {
    const at = `${pointer}/${pointerStep(key)}`;
    if (RESERVED.has(key)) return [{ pointer: at, code: 'unknown_field', message: `${key} is not a field` }];
    if (badText(key)) {
      // What is below it may still be a reserved name; the key itself is not repeated.
      const below = textProblems(item, pointer);
      return [{ pointer, code: 'invalid_characters', message: 'has a key with NUL or lone surrogates' }, ...below];
    }
    return textProblems(item, at);
  });
}

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };

/** What keeps a value from being a dto of this class; pointers begin at the value. */
export const shapeProblems = (type: new () => object, value: Readonly<Record<string, unknown>>): FieldProblem[] =>
  fieldProblems(validateSync(plainToInstance(type, value), RULES));

/**
 * Turns a body or a query into its dto, or throws a 400 with every field problem at once. Unknown fields and parameters
 * are refused, values are never converted silently. Path parameters have their own pipe.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    if (type === 'body' && value === undefined)
      throw new Problem('malformed_json', 'The body is empty; send a JSON object.');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refusal(type, [{ pointer: '', code: 'wrong_type', message: 'must be a JSON object' }]);
    }
    const bad = textProblems(value, '');
    if (bad.some(({ code }) => code === 'unknown_field')) throw refusal(type, bad);
    const dto = plainToInstance(metatype as new () => object, value);
    const errors = await validate(dto, RULES);
    const found = [...bad, ...fieldProblems(errors).filter(({ pointer }) => !isIn(bad, pointer))];
    if (found.length === 0) return dto;
    throw type === 'body' ? new WrongShape(found, withoutWrong(dto, found)) : refusal(type, found);
  }
}

/** Of a query the pointers are written `?name`. */
function refusal(type: 'body' | 'query', found: readonly FieldProblem[]): Problem {
  if (type === 'body') return problems.validationFailed(found);
  return problems.invalidQuery(found.map((problem) => ({ ...problem, pointer: problem.pointer.replace('/', '?') })));
}

const isIn = (found: readonly FieldProblem[], at: string): boolean => found.some(({ pointer }) => pointer === at);
