import type { OpenApi, Operation, Schema } from '../../../packages/testing/contract/document/openapi';
import { exampleOf, resolved } from './worst-shapes';

/**
 * One from each class of characters that a pattern may match. Every fifth run contains characters that end a sentence
 * or a URL.
 */
export const RUNS = [
  '.',
  ',',
  ':',
  '!',
  '?',
  ' ',
  '\n',
  '-',
  '/',
  '=',
  '_',
  ')',
  ']',
  '*',
  "'",
  '#',
  '(',
  '[',
  '<',
  '&',
].concat(['"', '@', '%', '\\', '`', '0', 'a', 'A', 'é', '😀', '\u00a0']);

/** Shorter strings are cheap no matter how often they are shown. A quadratic pattern takes at most 2 ms. */
export const LONG = 2000;
/**
 * A string is stored often enough that a quadratic pattern takes this many steps across all copies, or about 300 ms.
 */
const STEPS = 5e8;
/** The maximum number of items that a list shows. */
const MOST = 100;
/** The combined size of the strings in a list, so that the body isn't too large. */
const MAX_BYTES = 60_000;
const MAX_DEPTH = 5;
const ABSENT = Symbol('absent');
const ID = /^([a-z]{2,3})_[0-9a-z]{26}$/;

/** A value to send in a field. Values that must be unique are functions that take the copy's number. */
type Choice = ((copy: number) => string) | string | number | boolean | object | symbol | null;

/** A field in a body and the values to try. If one is refused, the next one is tried. */
interface Leaf {
  /** `*` means each item in a list of strings. Items in other lists are always at `0`. */
  steps: readonly string[];
  schema: Schema;
  choices: Choice[];
}

/** A field error in a problem response. */
export interface Refusal {
  pointer: string;
  message: string;
}

/** `known` has the IDs of existing resources by prefix. `unique` is appended to strings that must be unique. */
interface Surroundings {
  known: ReadonlyMap<string, string>;
  unique: string;
  turn: number;
}

/** A body that a route accepts, found by trial and error. */
export class StoredTexts {
  private readonly leaves: Leaf[];

  constructor(
    document: OpenApi,
    operation: Operation,
    private readonly run: string,
    private readonly of: Surroundings,
  ) {
    const { turn } = of;
    const media = 'application/json';
    const schema = operation.requestBody?.content[media]?.schema ?? {};
    const leaf = (steps: readonly string[], each: Schema, given: unknown, isNeeded: boolean): Leaf => ({
      steps,
      schema: each,
      choices: choicesOf(each, given, isNeeded, run, of),
    });
    this.leaves = leavesOf(document, schema, exampleOf(operation, media, turn), turn, leaf);
  }

  get copies(): number {
    const longest = Math.max(0, ...this.long.map(({ steps, schema }) => sizeOf(schema) ** 2 * countOf(steps, schema)));
    return longest < LONG ** 2 ? 1 : Math.min(MOST, Math.ceil(STEPS / longest));
  }

  /** The long fields, which are sent at their maximum length. */
  get long(): Leaf[] {
    return this.leaves.filter(
      ({ schema, choices: [choice] }) => typeof choice === 'string' && sizeOf(schema) >= LONG && choice.length >= LONG,
    );
  }

  body(copy: number): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (const { steps, schema, choices } of this.leaves) {
      const [chosen = ABSENT] = choices;
      if (chosen === ABSENT) continue;
      const choice = typeof chosen === 'function' ? chosen(copy) : chosen;
      const text =
        typeof choice === 'string' && copy % 2 === 1 ? choice.replace(this.run.repeat(20), 'http://') : choice;
      const count = typeof text === 'string' && text.length >= LONG ? countOf(steps, schema) : 1;
      put(body, steps, steps.at(-1) === '*' ? Array.from({ length: count }, () => text) : text);
    }
    return body;
  }

  /** Shortens the longest string in a body that is too large for the route. Returns false if there is none. */
  tooLarge(): boolean {
    const size = ({ steps, schema, choices: [choice] }: Leaf): number =>
      typeof choice === 'string' ? choice.length * countOf(steps, schema) : 0;
    const largest = this.leaves.reduce((most, leaf) => (size(leaf) > size(most) ? leaf : most));
    if (size(largest) < LONG) return false;
    largest.choices = largest.choices.filter((choice) => typeof choice !== 'string' || choice.length < LONG);
    return true;
  }

  /** Drops a list of objects if it contains a field that the route never accepts. */
  private drop({ steps }: Leaf): boolean {
    const place = steps.lastIndexOf('0');
    const list =
      place === -1
        ? []
        : this.leaves.filter((leaf) => steps.slice(0, place).every((step, i) => leaf.steps[i] === step));
    const isThere = list.some(({ choices }) => choices[0] !== ABSENT);
    for (const leaf of list) leaf.choices = [ABSENT];
    return isThere;
  }

  /** Handles the fields that the route refused. Returns false if there is nothing else to try. */
  refused(errors: readonly Refusal[]): boolean {
    let isChanged = false;
    for (const leaf of this.leaves) {
      const path = `/${leaf.steps.join('/')}`.replace(/\/\*$/, '');
      const refusal = errors.find(({ pointer }) => {
        const at = pointer.replace(/\/\d+(?=\/|$)/g, '/0');
        return path === at || path.startsWith(`${at}/`) || at.startsWith(`${path}/`);
      });
      if (refusal === undefined) continue;
      if (leaf.choices.length < 2) {
        isChanged ||= this.drop(leaf);
        continue;
      }
      // The error message contains an example of a valid value.
      const id = / such as ([a-z]{2,3})_/.exec(refusal.message)?.[1];
      if (id === undefined || leaf.choices.length === 2) leaf.choices.shift();
      else leaf.choices = [this.of.known.get(id) ?? ABSENT, ABSENT];
      isChanged = true;
    }
    return isChanged;
  }
}

const sizeOf = ({ maxLength = 5000 }: Schema): number => Math.min(maxLength, MAX_BYTES);
const countOf = (steps: readonly string[], schema: Schema): number =>
  steps.at(-1) === '*' ? Math.max(1, Math.min(20, Math.floor(MAX_BYTES / 2 / sizeOf(schema)))) : 1;

/** Returns a string of `size` characters: a run, followed by a different ending. */
function textOf(run: string, size: number, before = ''): string {
  const end = run === 'b' ? 'c' : 'b';
  const units = Math.floor((size - before.length - end.length) / run.length);
  return before + run.repeat(Math.max(0, units)) + end;
}

function choicesOf(
  schema: Schema,
  given: unknown,
  isNeeded: boolean,
  run: string,
  { known, unique, turn }: Surroundings,
): Choice[] {
  const example = (given ?? schema.example ?? schema.default) as Choice | undefined;
  if (isText(schema)) {
    const id = ID.exec(typeof example === 'string' ? example : '')?.[1];
    if (id !== undefined) return [known.get(id) ?? ABSENT, ABSENT];
    const stem = typeof example === 'string' ? example : 'text';
    const before = (copy: number): string => `${unique}${copy}${stem}`;
    const after = (copy: number): string => `${stem}${unique}${copy}`;
    if (schema.pattern !== undefined) return [after, before, example ?? ABSENT, ABSENT];
    const size = sizeOf(schema);
    const texts = [textOf(run, size), textOf(run, size, 'https://a.example/'), textOf('a', size)];
    return [...texts, after, before, example ?? ABSENT, ABSENT];
  }
  if (schema.type === 'boolean') return isNeeded || given !== undefined ? [true, ABSENT] : [ABSENT];
  if (!isNeeded && given === undefined) return [ABSENT];
  const { enum: words = [], minimum } = schema;
  const start = turn % Math.max(1, words.length);
  const others: Choice[] = [...words.slice(start), ...words.slice(0, start)] as Choice[];
  return [...(example === undefined ? [] : [example]), ...others, minimum ?? ABSENT, ABSENT];
}

const isText = (schema: Schema): boolean =>
  [schema.type].flat().includes('string') && schema.enum === undefined && schema.format !== 'date-time';

type MakeLeaf = (steps: readonly string[], schema: Schema, given: unknown, isNeeded: boolean) => Leaf;

function leavesOf(
  document: OpenApi,
  schema: Schema,
  example: unknown,
  turn: number,
  leaf: MakeLeaf,
  steps: readonly string[] = [],
): Leaf[] {
  if (steps.length > MAX_DEPTH) return [];
  const { properties = {}, required = [] } = resolved(document, schema, turn);
  return Object.entries(properties).flatMap(([name, each]): Leaf[] => {
    const field = resolved(document, each, turn);
    const given = memberOf(example, name);
    const at = [...steps, name];
    if ([field.type].flat().includes('array')) {
      const item = resolved(document, field.items ?? {}, turn);
      if (item.properties === undefined)
        return [leaf([...at, '*'], item, firstOf(given ?? field.example), required.includes(name))];
      return leavesOf(document, item, firstOf(given), turn, leaf, [...at, '0']);
    }
    if (field.properties !== undefined) return leavesOf(document, field, given, turn, leaf, at);
    return [leaf(at, field, given, required.includes(name) || steps.length > 0)];
  });
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function put(into: Record<string, unknown>, [step = '', ...rest]: readonly string[], value: unknown): void {
  const [next, ...later] = rest;
  if (next === undefined || next === '*') into[step] = value;
  else if (next === '0') {
    into[step] ??= [{}];
    put((into[step] as [Record<string, unknown>])[0], later, value);
  } else {
    into[step] ??= {};
    put(into[step] as Record<string, unknown>, rest, value);
  }
}
