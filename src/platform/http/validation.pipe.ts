import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { codeOfConstraint, pointerStep } from '../problem/constraint-codes';
import { type FieldProblem, type FieldProblemCode, Problem, problems } from '../problem/problem';

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

function fieldProblems(errors: readonly ValidationError[], parent: string, separator: string): FieldProblem[] {
  return errors.flatMap((error) => {
    const pointer = `${parent}${separator}${pointerStep(error.property)}`;
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]): [FieldProblemCode, string] => [
      codeOfConstraint(rule),
      message,
    ]);
    const below = fieldProblems(error.children ?? [], pointer, '/');
    if (own.length === 0) return below;
    if (error.value === undefined && own[0]?.[0] !== 'unknown_field') {
      return [{ pointer, code: 'required' as const, message: `${error.property} is required` }];
    }
    const [code, message] = own.sort((a, b) => rank(a) - rank(b))[0] ?? ['invalid_format', 'is not valid'];
    const text = code === 'unknown_field' ? `${error.property.slice(0, 100)} is not a field of this resource` : message;
    return [{ pointer, code, message: text.slice(0, 300) }, ...below];
  });
}

/** Names that mean something to JavaScript itself; class-transformer would drop them silently. */
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
      return [{ pointer, code: 'invalid_characters', message: 'has a key with NUL or lone surrogates' }];
    }
    return textProblems(item, at);
  });
}

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
    const failed = type === 'body' ? problems.validationFailed : problems.invalidQuery;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw failed([{ pointer: '', code: 'wrong_type', message: 'must be a JSON object' }]);
    }
    const separator = type === 'body' ? '/' : '?';
    const bad = textProblems(value, '').map((problem) =>
      type === 'body' ? problem : { ...problem, pointer: problem.pointer.replace('/', '?') },
    );
    if (bad.length > 0) throw failed(bad);
    const dto = plainToInstance(metatype as new () => object, value);
    const errors = await validate(dto, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    if (errors.length > 0) throw failed(fieldProblems(errors, '', separator));
    return dto;
  }
}
