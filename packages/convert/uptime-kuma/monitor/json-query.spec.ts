import { jsonCondition, jsonPathOf } from './json-query';

describe('a JSON query', () => {
  it.each([
    ['status', '$.status'],
    ['$.data.items[0].name', '$.data.items[0].name'],
    ['items[-1]', '$.items[-1]'],
    ['$[0].id', '$[0].id'],
    ['`a b`.c', '$["a b"].c'],
    ['$count(items)', null],
    ['items[x=1].y', null],
    ['$.a & "b"', null],
    ['a b', null],
    ['$$.a', null],
    ['a.*', null],
  ])('%s becomes the JSONPath %s', (query, path) => {
    expect(jsonPathOf(query)).toBe(path);
  });

  it.each([
    ['', 'ok', { comparison: 'equals', target: 'ok' }],
    ['!=', 'ok', { comparison: 'not_equals', target: 'ok' }],
    ['contains', 'o', { comparison: 'contains', target: 'o' }],
    ['>', '3', { comparison: 'greater_than', target: '3' }],
    ['>=', '3', { comparison: 'greater_than', target: '2.999999' }],
    ['<=', '-1.5', { comparison: 'less_than', target: '-1.499999' }],
  ])('that compares by "%s" with %s becomes an assertion', (operator, expected, assertion) => {
    expect(jsonCondition('a', operator, expected)).toEqual({
      assertion: { source: 'json', property: '$.a', ...assertion },
      difference: null,
    });
  });

  it.each([
    ['>', 'many'],
    ['~', '1'],
    ['contains', ''],
  ])('that compares by "%s" with "%s" is left out with a reason', (operator, expected) => {
    expect(jsonCondition('a', operator, expected)).toMatchObject({ assertion: null });
  });

  it.each([
    ['==', '3', false],
    ['==', '1.5', false],
    ['==', 'v1.10', false],
    ['==', '1.10', true],
    ['!=', '1e3', true],
    ['==', '12345678901234567000', true],
    ['>', '1.10', false],
  ])('that compares by "%s" with %s compares numbers differently: %s', (operator, expected, differs) => {
    expect(jsonCondition('a', operator, expected).difference !== null).toBe(differs);
  });

  it('without a path checks the body', () => {
    expect(jsonCondition('$', '==', 'ok').assertion).toEqual({ source: 'body', comparison: 'equals', target: 'ok' });
  });
});
