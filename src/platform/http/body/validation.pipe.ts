import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validate, type ValidationError, validateSync } from 'class-validator';
import { codeOfConstraint, plainly, pointerStep } from '../../problem/constraint-codes';
import { type FieldProblem, type FieldProblemCode, Problem, problems } from '../../problem/problem';
import { isRecord } from '../../text/json';
import { type BodyClass, dtoOf } from './body-parts';
import { earlyProblems, unknownField } from './early-problems';
import { withoutWrong, WrongShape } from './wrong-shape';
import { cut } from '../../text/text-limits';

/** In order of importance. If a field breaks several rules, the first rule in this list explains the others. */
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
    const text = code === 'unknown_field' ? unknownField(error.property) : message;
    // If a value has the wrong type, problems inside it are not reported.
    return [{ pointer, code, message: cut(text, 300, '') }, ...(code === 'wrong_type' ? [] : below)];
  });
}

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };

/** Returns the problems that keep a value from being a DTO of this class. Pointers are relative to the value. */
export function shapeProblems(type: BodyClass, value: Readonly<Record<string, unknown>>): readonly FieldProblem[] {
  const { final } = earlyProblems(type, value);
  return final ?? fieldProblems(validateSync(dtoOf(type, value), RULES));
}

/**
 * Turns a body or query into its DTO. Throws a 400 with all field problems at once, up to the reporting limit. Unknown
 * fields and parameters are rejected, and values are never converted silently. Path parameters have a separate pipe.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    if (type === 'body' && value === undefined)
      throw new Problem('malformed_json', 'The body is empty; send a JSON object.');
    if (!isRecord(value)) throw refusal(type, [{ pointer: '', code: 'wrong_type', message: 'must be a JSON object' }]);
    const of = metatype as BodyClass;
    const { bad, final } = earlyProblems(of, value);
    if (final) throw refusal(type, final);
    const dto = dtoOf(of, value);
    const errors = await validate(dto, RULES);
    const named = new Set(bad.map(({ pointer }) => pointer));
    const found = [...bad, ...fieldProblems(errors).filter(({ pointer }) => !named.has(pointer))];
    if (found.length === 0) return dto;
    throw type === 'body' ? new WrongShape(found, withoutWrong(dto, found)) : refusal(type, found);
  }
}

/** Returns the problem to throw. For a query, pointers have the form `?name`. */
function refusal(type: 'body' | 'query', found: readonly FieldProblem[]): Problem {
  if (type === 'body') return problems.validationFailed(found);
  return problems.invalidQuery(found.map((problem) => ({ ...problem, pointer: problem.pointer.replace('/', '?') })));
}
