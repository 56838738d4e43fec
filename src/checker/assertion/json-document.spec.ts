import fc from 'fast-check';
import { JsonContainer, type JsonDocument, JsonReader, NotJson, TooComplex } from './json-document';
import { JsonNumber } from './json-number';

const STEPS = 100_000;

/** Reads the text in pieces of a few characters. */
function documentOf(text: string, piece = 7): JsonDocument {
  const reader = new JsonReader(text);
  for (;;) {
    const document = reader.read(piece);
    document?.allow(STEPS);
    if (document) return document;
  }
}

/** Returns the value that `JSON.parse` would return. */
function whole(document: JsonDocument, node = 0): unknown {
  const value = document.valueOf(node);
  if (value instanceof JsonNumber) return value.value;
  if (!(value instanceof JsonContainer)) return value;
  const children = document.childrenOf(node);
  if (document.isArray(node)) return children.map((child) => whole(document, child));
  return Object.fromEntries(children.map((child) => [document.stringOf(child - 1), whole(document, child)]));
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** `JSON.parse` moves keys that look like an index to the front. */
const named = { key: fc.string({ unit: 'grapheme', maxLength: 8 }).filter((name) => !/^\d+$/.test(name)) };

describe('a JSON document', () => {
  it('has the same values as with JSON.parse, with any whitespace, read in any pieces', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('', ' ', '\n\t'),
        fc.integer({ min: 0, max: 50 }),
        (value, indent, piece) => {
          const text = JSON.stringify(value, null, indent);
          expect(whole(documentOf(text, piece))).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('writes its values as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.object(named), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(documentOf(text).textOf(0, Infinity)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('writes not much more of a value than requested', () => {
    const document = documentOf(JSON.stringify({ a: ['x'.repeat(10_000), 1, 2] }));
    expect(document.textOf(0, 10)).toBe('{"a":["xxxx');
    expect(documentOf('[1,[2,{}],[]]').textOf(0, 1000)).toBe('[1,[2,{}],[]]');
  });

  it('is refused exactly when JSON.parse refuses the text', () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\u0e+-.1\n\t ax',
      'true',
      'false',
      'null',
      '"a"',
      '\\n',
      '\u0001',
      '01',
      '1.',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const read = () => documentOf(text);
        if (isJson(text)) expect(whole(read())).toEqual(JSON.parse(text));
        else expect(read).toThrow(NotJson);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    '',
    ' ',
    '[',
    '[1',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '[1,]',
    '"a',
    '"\\u12',
    '1 2',
    '\ufeff1',
    '-',
    '[}',
  ])('is not created from %j', (text) => {
    expect(() => documentOf(text)).toThrow(NotJson);
  });

  it('has the last of the members with the same name, however the name is written', () => {
    const document = documentOf('{"a":1,"\\u0061":2,"b":3}');
    expect(document.valueOf(document.memberOf(0, 'a') ?? 0)).toEqual(new JsonNumber('2'));
    expect(document.memberOf(0, '\\u0061')).toBeNull();
    expect(document.memberOf(0, 'c')).toBeNull();
  });

  it('keeps numbers as they are written', () => {
    const text = '{"id":12345678901234567890,"list":[1.10,-0,1E+2]}';
    expect(documentOf(text).textOf(0, Infinity)).toBe(text);
    const values = '{"id":12345678901234567890,"list":[1.1,0,100]}';
    expect(documentOf(text).textOf(0, Infinity, 'values')).toBe(values);
  });

  it('can be nested as deep as it is long', () => {
    const document = documentOf('['.repeat(200_000) + ']'.repeat(200_000));
    expect(document.textOf(0, 3)).toBe('[[[[');
  });

  it('allows no more steps than the limit', () => {
    const document = documentOf(JSON.stringify(Array.from({ length: 100 }, (_, i) => i)));
    document.allow(100);
    expect(() => document.childrenOf(0)).toThrow(TooComplex);
    document.allow(300);
    expect(document.childrenOf(0)).toHaveLength(100);
  });
});
