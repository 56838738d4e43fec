import { pointerStep } from '../../problem/constraint-codes';
import { type FieldProblem, type FieldProblemCode, MAX_ERRORS } from '../../problem/problem';
import { type BodyClass, fieldsOf } from './body-parts';
import { cut } from '../../text/text-limits';

/** The problems found in a body before a DTO is created. */
export interface EarlyProblems {
  /** Strings and names that can't be stored. */
  readonly bad: readonly FieldProblem[];
  /**
   * All problems, if it makes no sense to look for more: the limit of reported problems is reached, or a name is
   * reserved. Otherwise `null`.
   */
  readonly final: readonly FieldProblem[] | null;
}

/** Names that have a meaning in JavaScript itself. class-transformer silently drops them or fails. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Lone surrogates would be stored as U+FFFD, and NUL can't be stored. */
const badText = (text: string): boolean => text.includes('\0') || /\p{Surrogate}/u.test(text);

export const unknownField = (name: string): string => `${cut(name, 100, '')} is not a field of this resource`;

/** The position of a value. It is converted to a pointer only if there is a problem, because most values have none. */
interface Place {
  readonly parent: Place | null;
  readonly step: string | number;
}

const pointerOf = (place: Place | null): string =>
  place === null ? '' : `${pointerOf(place.parent)}/${pointerStep(String(place.step))}`;

/**
 * Finds unknown names and invalid strings in a body. Stops at the maximum number of reported problems, so that a body
 * with thousands of them costs no more.
 */
export function earlyProblems(type: BodyClass, body: object): EarlyProblems {
  const walk = new Walk();
  walk.into(body, type, null);
  return { bad: walk.bad, final: walk.isOver || walk.isTrapped ? walk.all : null };
}

class Walk {
  readonly bad: FieldProblem[] = [];
  readonly all: FieldProblem[] = [];
  isTrapped = false;

  get isOver(): boolean {
    return this.all.length >= MAX_ERRORS;
  }

  /** `type` is the expected class of the value or of each list item, or `null` if unknown. */
  into(value: object, type: BodyClass | null, place: Place | null): void {
    if (Array.isArray(value)) {
      for (let step = 0; step < value.length && !this.isOver; step++)
        this.look(value[step], type, { parent: place, step });
      return;
    }
    const fields = type && fieldsOf(type);
    for (const step of Object.keys(value)) {
      if (this.isOver) return;
      const item = (value as Record<string, unknown>)[step];
      const at = { parent: place, step };
      if (RESERVED.has(step)) {
        this.isTrapped = true;
        this.add(at, 'unknown_field', `${step} is not a field`);
      } else if (badText(step)) {
        this.note(place, 'has a key with NUL or lone surrogates');
        // Reserved names may be nested below this key. The key itself is not repeated in pointers.
        this.look(item, null, place);
      } else {
        if (fields && !fields.has(step)) this.add(at, 'unknown_field', unknownField(step));
        this.look(item, fields?.get(step)?.type ?? null, at);
      }
    }
  }

  private look(value: unknown, type: BodyClass | null, place: Place | null): void {
    if (typeof value === 'string' && badText(value)) this.note(place, 'must not contain NUL or lone surrogates');
    else if (typeof value === 'object' && value !== null) this.into(value, type, place);
  }

  private note(place: Place | null, message: string): void {
    this.bad.push(this.add(place, 'invalid_characters', message));
  }

  private add(place: Place | null, code: FieldProblemCode, message: string): FieldProblem {
    const problem = { pointer: pointerOf(place), code, message };
    this.all.push(problem);
    return problem;
  }
}
