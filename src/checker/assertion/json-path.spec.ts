import fc from 'fast-check';
import { query } from 'jsonpath-rfc9535';
import { JsonContainer, type JsonDocument, JsonReader, TooComplex } from './json-document';
import { JsonNumber } from './json-number';
import { valuesAt } from './json-path';

const documentOf = (value: unknown, steps?: number): JsonDocument => documentIn(JSON.stringify(value), steps);

function documentIn(text: string, steps = 1_000_000): JsonDocument {
  const document = new JsonReader(text).read(Infinity);
  if (!document) throw new Error('the document is read in one piece');
  document.allow(steps);
  return document;
}

/** Returns each value as a string. */
const found = (path: string, value: unknown): string[] => textsAt(documentOf(value), path);

const textsAt = (document: JsonDocument, path: string): string[] =>
  valuesAt(document, path).map((one) => {
    if (one instanceof JsonNumber) return one.text;
    return one instanceof JsonContainer ? one.document.textOf(one.node, Infinity) : JSON.stringify(one);
  });

const BOOKS = {
  store: [
    { id: 1, name: 'one', tags: ['a', 'b'], price: 8.5 },
    { id: 2, name: 'two', tags: [], price: null },
    { id: 3, name: 'thr\u{1f600}', tags: ['b', 'c', 'd'], price: 12, id2: 3 },
  ],
  limit: 9,
  'a b': { c: true, d: { c: false } },
};

const PATHS = [
  ...'$ $.a $..a $[0] $[-1] $[*] $..* $[1:3] $[::-1] $.a[*].b $..[0] $[?@.a] $..[?@.a>0] $[?@==@.a] $[?@.a==$.a]'.split(
    ' ',
  ),
  ..."$['a','b'] $[?@.a==1] $[?@.a<=@.b] $[?@!=null] $[?length(@)>1] $..[?count(@.*)==1] $[?value(@.*)==1]".split(' '),
  '$[?@.a || !@.b]',
];

describe('a JSONPath finds', () => {
  it.each([
    ['$', [JSON.stringify(BOOKS)]],
    ['$.limit', ['9']],
    ["$['a b'].c", ['true']],
    ['$..c', ['true', 'false']],
    ['$.store[0].name', ['"one"']],
    ['$.store[-1].id', ['3']],
    ['$.store[3].id', []],
    ['$.store[*].id', ['1', '2', '3']],
    ['$.store[::-1].id', ['3', '2', '1']],
    ['$.store[1:].id', ['2', '3']],
    ['$.store[-2:-1].id', ['2']],
    ['$.store[5:0:-2].id', ['3']],
    ['$.store[0:3:0].id', []],
    ["$.store[0]['id','name']", ['1', '"one"']],
    ['$.store[?@.id == 2].name', ['"two"']],
    ["$.store[?@.name >= 'thr'].id", ['2', '3']],
    ['$.store[?@.id == @.id2].id', ['3']],
    ['$.store[?@.price < $.limit].id', ['1']],
    ['$.store[?@.id2].id', ['3']],
    ['$.store[?!@.id2 && @.price == null].id', ['2']],
    ['$.store[?@.absent == @.missing].id', ['1', '2', '3']],
    ['$.store[?length(@.tags) > 1].id', ['1', '3']],
    ['$.store[?length(@.name) == 4].id', ['3']],
    ['$.store[?count(@.tags[*]) == 3].id', ['3']],
    ["$.store[?value(@.tags[0:1]) == 'b'].id", ['3']],
    ['$.store[?@.tags == $.store[1].tags].id', ['2']],
    ['$.store[?@.tags[0] == @.tags[-1]].id', ['2']],
    ['$.limit.x', []],
    ['$.limit[0]', []],
    ['$.limit[*]', []],
  ])('%s', (path, values) => {
    expect(found(path, BOOKS)).toEqual(values);
  });

  it.each([
    ['$[?@.id == 12345678901234567890].name', ['"b"']],
    ['$[?12345678901234567891 == @.id].name', ['"c"']],
    ['$[?@.id > 12345678901234567890].name', ['"c"']],
    ['$[?@.id < 12345678901234567890].name', ['"a"']],
    ['$[?@.id == @.same].name', ['"b"']],
    ['$[?@.id == 12345678901234567000].name', []],
    ['$[?@.price == 1.1].name', ['"a"']],
    ['$[?@.price == 1.10].name', ['"a"']],
    ["$[?@.text == '== 12345678901234567890'].name", ['"a"']],
  ])('numbers exactly: %s', (path, names) => {
    const text = `[
      {"name":"a","id":1,"price":1.10,"text":"== 12345678901234567890"},
      {"name":"b","id":12345678901234567890,"same":12345678901234567890.0},
      {"name":"c","id":12345678901234567891,"same":12345678901234567890}]`;
    expect(textsAt(documentIn(text), path)).toEqual(names);
  });

  it('equal containers with any order of their members', () => {
    const value = [
      { a: { x: 1, y: [2, {}] }, b: { y: [2, {}], x: 1 } },
      { a: [1], b: [2] },
      { a: [], b: {} },
    ];
    expect(found('$[?@.a == @.b].a.x', value)).toEqual(['1']);
  });

  it('the same as another implementation of RFC 9535', () => {
    const path = fc.constantFrom(...PATHS);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom(0, 1, 2.5, 'a', 'b', '', true, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(path, value, (text, document) => {
        const plain = JSON.parse(JSON.stringify(document)) as Parameters<typeof query>[0];
        const expected = query(plain, text).map((one) => JSON.stringify(one));
        expect(found(text, plain).toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['$..a', '$..*', '$..[?@.a == 1 || @.b == 1]', '$[?count(@.*) > 1]', '$..[-1]', '$..[?length(@) > 3]'])(
    'nothing if the search takes too long: %s',
    (path) => {
      const many = Array.from({ length: 5_000 }, () => ({ a: [1, 2] }));
      expect(() => valuesAt(documentOf(many, 10_000), path)).toThrow(TooComplex);
    },
  );
});
