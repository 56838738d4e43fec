import fc from 'fast-check';
import type { OpenApi, Parameter, Schema } from '../../../packages/testing/contract/document/openapi';
import { ID_PREFIXES } from '../../../src/platform/ids/id';

/**
 * Inputs generated from a schema: valid, at the boundary, of the wrong type, and hostile. They are plain JSON values.
 * Two kinds of strings are placeholders that are replaced before sending. `@id:ws` is the ID of an existing website,
 * and `@raw:1e999` is JSON that JavaScript can't represent.
 */
const ID = '@id:';
const RAW = '@raw:';

const ID_EXAMPLE = new RegExp(`^(${Object.values(ID_PREFIXES).join('|')})_[0-9a-z]{26}$`);

const HOSTILE_STRINGS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u202etxt.exe',
  '\u200b\u00ad',
  '\u0085\u009f',
  '\r\nX-Injected: 1',
  'x'.repeat(256),
  'x'.repeat(5000),
  '😀'.repeat(300),
  "' OR 1=1 --",
  '%00%ff%2e%2e',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e999',
  '9007199254740993',
  'http://169.254.169.254/latest/meta-data',
  'http://user:pass@127.0.0.1:9/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://[::1]:9/',
  'http://127.0.0.1:99999/',
  'tcp://127.0.0.1',
  'dns://127.0.0.1:9/a.test?type=ANY',
  'ws_00000000000000000000000000',
  'ws_ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
];

const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -1,
  1.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 + 2,
  1e21,
  1e308,
  -1e308,
  Number.MIN_VALUE,
];

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const RAW_JSON: readonly string[] = [
  '1e999',
  '-1e999',
  '9007199254740993',
  '1'.repeat(400),
  '-0',
  deep(33),
  deep(5000),
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a":1,"a":2}',
  '"\\u0000"',
  '"\\ud800"',
  '{"\\u0000":1}',
];

/** Targets that nothing listens on, in the form used by each check type. */
const TARGETS: Readonly<Record<string, string>> = {
  HTTP: 'http://127.0.0.1:9/',
  HTTPS: 'https://127.0.0.1:9/',
  TCP: 'tcp://127.0.0.1:9',
  SSH: 'ssh://127.0.0.1:9',
  ICMP: 'icmp://127.0.0.1',
  DNS: 'dns://127.0.0.1:9/a.test',
};

const oneOfList = <T>(list: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...list);

/** Generates a hostile string of any kind. */
export const hostileString: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: oneOfList(HOSTILE_STRINGS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
);

const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileString },
  { weight: 3, arbitrary: oneOfList(HOSTILE_NUMBERS) },
  { weight: 2, arbitrary: oneOfList(RAW_JSON).map((text) => `${RAW}${text}`) },
  {
    weight: 3,
    arbitrary: oneOfList<unknown>([null, true, false, [], {}, [[]], [null], ['a'], [{}], { a: 1 }, [1, '1', null]]),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/** Keeps requests on this machine: replaces an example URL's host with a local port that nothing listens on. */
const localized = (example: string): string =>
  ID_EXAMPLE.test(example)
    ? `${ID}${example.slice(0, example.indexOf('_'))}`
    : example.replace(/^(https?:\/\/)[^/]+/, '$1127.0.0.1:9');

/** Generates a value that is valid as far as the schema can express it. */
function good(document: OpenApi, given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const { example } = schema;
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((each) => good(document, each, depth)));
  if (schema.allOf && !schema.properties)
    return fc
      .tuple(...schema.allOf.map((each) => good(document, each, depth)))
      .map((parts) => Object.assign({}, ...parts) as unknown);
  if (schema.enum) return oneOfList(schema.enum);
  if (typeof example === 'string') return fc.constant(localized(example));
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return goodObject(document, schema, depth);
    case 'array':
      return depth > 2 ? fc.constant([]) : fc.array(good(document, schema.items ?? {}, depth + 1), { maxLength: 2 });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 });
    case 'string':
      return fc.string({ unit: 'grapheme-ascii', minLength: Math.max(1, schema.minLength ?? 1), maxLength: 20 });
    default:
      return fc.constant(example ?? null);
  }
}

function goodObject(document: OpenApi, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (!schema.properties) return fc.constant(schema.example ?? {});
  const fields = Object.fromEntries(
    Object.entries(schema.properties).map(([name, each]) => [name, good(document, each, depth + 1)]),
  );
  const requiredKeys = schema.required ?? [];
  const fitting = (object: object): object =>
    'type' in object && 'url' in object ? { ...object, url: TARGETS[String(object.type)] ?? object.url } : object;
  const required = Object.fromEntries(Object.entries(fields).filter(([name]) => requiredKeys.includes(name)));
  // Optional fields may contradict each other even if each is valid.
  return fc.oneof(fc.record(required), fc.record(fields, { requiredKeys })).map(fitting);
}

/** Generates values just inside and just outside the schema's limits. */
function boundary(document: OpenApi, given: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum, minLength, maxLength, maxItems, items, type } = resolve(document, given);
  const edges: unknown[] = [];
  for (const edge of [minimum, maximum]) if (edge !== undefined) edges.push(edge - 1, edge, edge + 1, edge + 0.5);
  for (const edge of [minLength, maxLength])
    if (edge !== undefined) edges.push(...[edge - 1, edge, edge + 1].map((length) => 'x'.repeat(Math.max(0, length))));
  if (maxItems !== undefined) {
    return good(document, items ?? {}).map((item) => Array.from({ length: maxItems + 1 }, () => item));
  }
  if (edges.length > 0) return oneOfList(edges);
  return type === 'boolean' ? oneOfList<unknown>(['true', 1, 0, 'false']) : hostileJson;
}

const bad = (document: OpenApi, schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(hostileJson, boundary(document, schema));

/** Generates a valid value in which one field, at any depth, is replaced or dropped, or an unknown field is added. */
function spoiled(document: OpenApi, given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const inner = schema.oneOf ?? schema.allOf;
  if (inner && !schema.properties) return fc.oneof(...inner.map((each) => spoiled(document, each)));
  if (schema.items)
    return fc.oneof(bad(document, schema), fc.array(spoiled(document, schema.items), { minLength: 1, maxLength: 2 }));
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return bad(document, schema);
  const one = (name: string, each: Schema): fc.Arbitrary<unknown> =>
    fc
      .tuple(good(document, schema), spoiled(document, each))
      .map(([object, value]) => ({ ...(object as object), [name]: value }));
  const dropped = fc
    .tuple(good(document, schema), oneOfList(fields.map(([name]) => name)))
    .map(([object, name]) => Object.fromEntries(Object.entries(object as object).filter(([key]) => key !== name)));
  const unknown = fc
    .tuple(good(document, schema), hostileString, hostileJson)
    .map(([object, name, value]) => ({ ...(object as object), [name]: value }));
  return fc.oneof(
    ...fields.map(([name, each]) => ({ weight: 3, arbitrary: one(name, each) })),
    { weight: 2, arbitrary: dropped },
    { weight: 2, arbitrary: unknown },
    { weight: 1, arbitrary: hostileJson },
  );
}

/** Generates a body for the schema. About half of the bodies are valid. */
export const bodyFor = (document: OpenApi, schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary: good(document, schema) }, { weight: 6, arbitrary: spoiled(document, schema) });

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Generates a path parameter, usually an existing ID. */
export const pathValueFor = ({ schema }: Parameter): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(localized(typeof schema.example === 'string' ? schema.example : 'x')) },
    {
      weight: 1,
      arbitrary: oneOfList(['ws', 'ep', 'al', 'ev', 'dl', 'org', 'key', 'mw']).map((prefix) => `${ID}${prefix}`),
    },
    { weight: 2, arbitrary: hostileString },
    { weight: 1, arbitrary: fc.constant(`ws_${'x'.repeat(10_000)}`) },
  );

/** Generates query parameters: some of the documented ones, sometimes with a duplicate or an unknown one. */
export function queryFor(document: OpenApi, parameters: readonly Parameter[]): fc.Arbitrary<[string, string][]> {
  const known = parameters.map(({ name, schema }) =>
    fc
      .oneof(
        { weight: 4, arbitrary: good(document, schema) },
        { weight: 1, arbitrary: boundary(document, schema) },
        { weight: 1, arbitrary: hostileString },
      )
      .map((value): [string, string] => [name, asText(value)]),
  );
  const none = fc.constant<[string, string][]>([]);
  const unknown = fc.tuple(hostileString, hostileString).map((pair): [string, string][] => [pair]);
  const some = known.length === 0 ? none : fc.array(fc.oneof(...known), { maxLength: 3 });
  return fc.oneof({ weight: 5, arbitrary: none }, { weight: 10, arbitrary: some }, { weight: 1, arbitrary: unknown });
}

/** Returns JSON with its placeholders replaced. `idOf` returns an ID with that prefix. */
export function serialize(value: unknown, idOf: (prefix: string) => string): string {
  const raw: string[] = [];
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'string') return each;
    if (each.startsWith(RAW)) return `\u0001raw${raw.push(each.slice(RAW.length)) - 1}\u0001`;
    return withId(each, idOf);
  });
  return (text ?? 'null').replace(/"\\u0001raw(\d+)\\u0001"/g, (_, index: string) => raw[Number(index)] ?? 'null');
}

/** Returns the string, or the ID that it is a placeholder for. */
export const withId = (text: string, idOf: (prefix: string) => string): string =>
  text.startsWith(ID) ? idOf(text.slice(ID.length)) : text;

/**
 * Encodes a string for a URL. A lone surrogate has no UTF-8 form. It becomes the bytes that a careless client would
 * send.
 */
export function percentEncoded(text: string): string {
  let encoded = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    encoded += isLone
      ? `%ED%${(0x80 | ((code >> 6) & 0x3f)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`
      : encodeURIComponent(character);
  }
  return encoded;
}

function resolve(document: OpenApi, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`${schema.$ref} is not in the document`);
  return found;
}
