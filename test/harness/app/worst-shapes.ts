import type { OpenApi, Operation, Schema } from '../../../packages/testing/contract/document/openapi';

/** A body or query string that is as expensive to validate as its size allows. */
export interface Shape {
  name: string;
  text: string;
}

/** The path to a value in a body. Items in lists are always at `0`. */
interface Field {
  steps: readonly string[];
  kind: 'text' | 'list' | 'object' | 'other';
}

const HOLE = '@hole@';
/** Strings that, when repeated, may slow down rules and regular expressions. */
const BAITS = [
  'a',
  'a.',
  'a-',
  ' ',
  '1',
  ':',
  '0.',
  '@a',
  '((',
  '[',
  '%00',
  'é',
  '😀',
  '\\u0000',
  '\\ud800',
  '\\"',
  '{{',
  '1,',
];
const WRONG = ['{}', 'null', '"x"', '1', '[]', '{"name":1}', '{"type":"x","url":1}', '{"key":1,"value":1}'];
const MAX_DEPTH = 3;

const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const one = <T>(list: readonly T[], turn: number): T | undefined => list[turn % Math.max(1, list.length)];

/**
 * Returns `before`, as many items as fit, and `after`: at most `limit` bytes, if all characters are ASCII or counted as
 * ASCII.
 */
function filled(limit: number, before: string, item: (i: number) => string, after: string, most = Infinity): string {
  const items: string[] = [];
  let left = limit - Buffer.byteLength(before) - Buffer.byteLength(after);
  for (let i = 0; i < most; i++) {
    const next = item(i);
    left -= Buffer.byteLength(next);
    if (left < 0) break;
    items.push(next);
  }
  return `${before}${items.join('')}${after}`;
}

const list = (limit: number, item: (i: number) => string, most = Infinity): string =>
  filled(limit, '[', (i) => (i === 0 ? item(i) : `,${item(i)}`), ']', most);
const members = (limit: number, name: (i: number) => string, value: string, most = Infinity): string =>
  filled(limit, '{', (i) => `${i === 0 ? '' : ','}"${name(i)}":${value}`, '}', most);

export function exampleOf({ requestBody }: Operation, media: string, turn: number): unknown {
  const { example, examples } = requestBody?.content[media] ?? {};
  return example ?? one(Object.values(examples ?? {}), turn)?.value ?? {};
}

export function resolved(document: OpenApi, schema: Schema, turn: number): Schema {
  if (schema.$ref !== undefined)
    return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, turn);
  const parts = schema.allOf ?? (schema.oneOf && [one(schema.oneOf, turn) ?? {}]) ?? [];
  if (parts.length === 0) return schema;
  const inner = parts.map((part) => resolved(document, part, turn));
  return {
    ...Object.assign({}, ...inner, schema),
    properties: Object.assign({}, ...inner.map((part) => part.properties)),
  };
}

/** Returns every field in a body, including fields in nested objects and list items. */
function fieldsOf(document: OpenApi, given: Schema, turn: number, steps: readonly string[] = []): Field[] {
  if (steps.length > MAX_DEPTH) return [];
  const { properties } = resolved(document, given, turn);
  return Object.entries(properties ?? {}).flatMap(([name, each]): Field[] => {
    const schema = resolved(document, each, turn);
    const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
    const at = [...steps, name];
    if (type === 'array')
      return [{ steps: at, kind: 'list' }, ...fieldsOf(document, schema.items ?? {}, turn, [...at, '0'])];
    if (type === 'object' || schema.properties)
      return [{ steps: at, kind: 'object' }, ...fieldsOf(document, schema, turn, at)];
    return [{ steps: at, kind: type === 'string' ? 'text' : 'other' }];
  });
}

/** Returns the example as JSON with a hole in place of the field. */
function withHole(example: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return HOLE;
  if (step === '0') return [withHole(Array.isArray(example) ? example[0] : {}, rest)];
  const object = typeof example === 'object' && example !== null && !Array.isArray(example) ? example : {};
  return { ...object, [step]: withHole((object as Record<string, unknown>)[step], rest) };
}

/**
 * Returns the worst bodies for a schema, each at most `limit` bytes: wide, deep, long, repeated, aliased, or with
 * nulls. The same numbers produce the same bodies. Higher numbers continue with other fields.
 */
export function worstBodies(
  { document, operation, media, limit }: { document: OpenApi; operation: Operation; media: string; limit: number },
  first: number,
  count: number,
): Shape[] {
  const schema = operation.requestBody?.content[media]?.schema ?? {};
  const isForm = media === 'application/x-www-form-urlencoded';
  const make = isForm ? formShape : media.includes('yaml') ? yamlShape : jsonShape;
  return times(count)
    .map((turn) => first + turn)
    .map((turn) => make({ document, schema, example: exampleOf(operation, media, turn), limit, turn }));
}

interface Wanted {
  document: OpenApi;
  schema: Schema;
  example: unknown;
  limit: number;
  turn: number;
}

function jsonShape({ document, schema, example, limit, turn }: Wanted): Shape {
  const round = Math.floor(turn / 10);
  const fields = fieldsOf(document, schema, round);
  const nowhere: Field = { steps: ['name'], kind: 'other' };
  const among = (kind?: Field['kind']): Field =>
    one(
      fields.filter((field) => kind === undefined || field.kind === kind),
      round * 7 + turn,
    ) ??
    one(fields, turn) ??
    nowhere;
  const inside = (what: string, { steps }: Field, value: (room: number) => string): Shape => {
    const [before = '', after = ''] = JSON.stringify(withHole(example, steps)).split(`"${HOLE}"`);
    const text = `${before}${value(limit - Buffer.byteLength(before) - Buffer.byteLength(after))}${after}`;
    return { name: `${what} in ${steps.join('/')}`, text };
  };
  const bait = one(BAITS, round * 5 + turn) ?? 'a';
  switch (turn % 10) {
    case 0:
      return { name: 'unknown fields with NUL', text: members(limit, (i) => `${i}`, '"\\u0000"') };
    case 1:
      return inside('unknown fields', among('object'), (room) => members(room, (i) => `f${i}`, '0'));
    case 2:
      return inside('depth', among(), (room) => '['.repeat(Math.floor(room / 2)) + ']'.repeat(Math.floor(room / 2)));
    case 3:
      return inside('thirty levels, again and again', among(), (room) =>
        list(room, () => `${'['.repeat(25)}${']'.repeat(25)}`),
      );
    case 4:
      return inside(`a text of ${bait}`, among('text'), (room) => filled(room, '"', () => bait, '"'));
    case 5:
      return inside('the same wrong item, 1,000 times,', among('list'), (room) =>
        list(room, () => one(WRONG, round + turn) ?? 'null', round === 0 ? 1000 : Infinity),
      );
    case 6:
      return { name: 'the same field again and again', text: members(limit, () => among().steps[0] ?? 'name', '"a"') };
    case 7:
      return inside('nulls', among('list'), (room) => list(room, () => 'null'));
    case 8:
      return inside('items of the example', among('list'), (room) =>
        list(room, (i) => itemOf(example, among('list'), i)),
      );
    default:
      return inside('names with NUL', among('object'), (room) =>
        members(room, (i) => `\\u0000${i}`, '{"constructor":1}'),
      );
  }
}

/**
 * Returns an item like those in the example. Without an example, it is a string that could be an ID, a tag, or a name.
 */
function itemOf(example: unknown, { steps }: Field, i: number): string {
  let at = example;
  for (const step of steps)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  const item: unknown = Array.isArray(at) ? at[i % at.length] : undefined;
  return JSON.stringify(typeof item === 'object' ? item : `${typeof item === 'string' ? item : 'ws_'}${i}`);
}

function formShape({ limit, turn }: Wanted): Shape {
  const bait = encodeURIComponent(one(['😀', '\0', 'a', '<', '\n', '\ud7ff'], turn) ?? 'a');
  switch (turn % 4) {
    case 0:
      return { name: `a note of ${bait}`, text: filled(limit, 'note=', () => bait, '') };
    case 1:
      return { name: 'fields', text: filled(limit, '', (i) => `${i}=&`, '') };
    case 2:
      return { name: 'the same field again and again', text: filled(limit, '', () => 'note=a&', '') };
    default:
      return { name: 'separators', text: filled(limit, '', () => one(['&', '=', '%', '+'], turn) ?? '&', '') };
  }
}

/**
 * Documents may also be YAML. This returns aliases, indentation, and strings that make it slow to find line numbers.
 */
function yamlShape(wanted: Wanted): Shape {
  const { limit, turn } = wanted;
  const aliases = (long: number, wide: number): string =>
    [
      `a0: &a0 "${'x'.repeat(long)}"`,
      ...times(6).map((i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(wide)}]`),
    ].join('\n');
  switch (turn % 10) {
    case 0:
      return { name: 'aliases of a long text', text: aliases(3700, 50) };
    case 1:
      return { name: 'aliases of aliases', text: aliases(3, 500) };
    case 2:
      return { name: 'unknown fields', text: filled(limit, 'version: 1\n', (i) => `f${i}: 0\n`, '') };
    case 3:
      return { name: 'websites that are none', text: filled(limit, 'version: 1\nwebsites:\n', () => '  - {}\n', '') };
    case 4:
      return { name: 'depth', text: filled(limit, '', () => '[', '') };
    case 5:
      return { name: 'indentation', text: filled(Math.min(limit, 1 << 20), '', (i) => `${' '.repeat(i)}a:\n`, '') };
    default:
      return jsonShape(wanted);
  }
}

/** Returns the worst query strings for a route, each at most `limit` bytes, without the question mark. */
export function worstQueries({ parameters = [] }: Operation, limit: number, count: number): Shape[] {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => encodeURIComponent(name));
  return times(count).map((turn): Shape => {
    const name = one(names, Math.floor(turn / 5)) ?? 'q';
    const bait = encodeURIComponent(one(BAITS.slice(0, 13), turn) ?? 'a');
    switch (turn % 5) {
      case 0:
        return { name: 'unknown parameters', text: filled(limit, '', (i) => `${i}=%00&`, '') };
      case 1:
        return { name: `${name} again and again`, text: filled(limit, '', () => `${name}=1&`, '') };
      case 2:
        return { name: `${name} of ${bait}`, text: filled(limit, `${name}=`, () => bait, '') };
      case 3:
        return { name: `members of ${name}`, text: filled(limit, '', (i) => `${name}[${i}]=1&`, '') };
      default:
        return { name: `a list of ${bait} in ${name}`, text: filled(limit, `${name}=`, () => `${bait},`, '') };
    }
  });
}
