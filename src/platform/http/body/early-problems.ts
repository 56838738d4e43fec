import { pointerStep } from '../../problem/constraint-codes';
import { type FieldProblem, type FieldProblemCode, MAX_ERRORS } from '../../problem/problem';
import { type BodyClass, fieldsOf } from './body-parts';
import { cut } from '../../text/text-limits';

/** What is found in a body before anything is made of it. */
export interface EarlyProblems {
  /** Texts and names that nothing can hold. */
  readonly bad: readonly FieldProblem[];
  /** All of them, when it is useless to look further: there are as many as are answered, or one of them is a trap. */
  readonly final: readonly FieldProblem[] | null;
}

/** Names that mean something to JavaScript itself; class-transformer drops them silently, or trips over them. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Lone surrogates would be stored as U+FFFD, NUL not at all. */
const badText = (text: string): boolean => text.includes('\0') || /\p{Surrogate}/u.test(text);

/** What a name is called in the message about it. */
export const unknownField = (name: string): string => `${cut(name, 100, '')} is not a field of this resource`;

/** Where a value stands; made into a pointer only for a problem, because most values have none. */
interface Place {
  readonly parent: Place | null;
  readonly step: string | number;
}

const pointerOf = (place: Place | null): string =>
  place === null ? '' : `${pointerOf(place.parent)}/${pointerStep(String(place.step))}`;

/**
 * Looks through a body for unknown names and bad texts, and stops where there are as many as are answered: the rest of a
 * body of thousands of them is not looked at.
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

  /** `type`: what the value, or each item of it, should be; `null` where that is not known. */
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
        // What is below it may still be a reserved name; the key itself is not repeated.
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
