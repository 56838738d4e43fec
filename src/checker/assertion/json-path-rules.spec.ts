import { jsonPathProblem } from './json-path-rules';

describe('A JSONPath', () => {
  it.each([
    '$',
    '$.a.b',
    "$['a b'][0]",
    '$.a[-1]',
    '$.a[1:5:2]',
    '$..id',
    '$[*][*]',
    "$['a','b'].c",
    '$.a[?@.b]',
    '$.a[?@.b == "x" && !(@.c < 3)]',
    '$.a[?count(@.b.c) > 0]',
    '$..[?@.id == 1]',
  ])('%s may be used', (path) => {
    expect(jsonPathProblem(path)).toBeNull();
  });

  it.each([
    ['', 'not a JSONPath'],
    ['a', 'not a JSONPath'],
    ['$.', 'not a JSONPath'],
    ['$[?(@.a = 1)]', 'not a JSONPath'],
    ['$.a[?(@.length-1)]', 'not a JSONPath'],
    ["$[?match(@.a, '(a+)+b')]", 'functions length, count and value'],
    ["$[?!search(@.a, '(a+)+b')]", 'functions length, count and value'],
    ['$..a..b', '.. only once'],
    ['$[?count($..*) > 1]', 'a filter may only refer'],
    ['$[?@..a]', 'a filter may only refer'],
    ['$[?@[?@.a]]', 'a filter may only refer'],
    ['$[0,-1][0,-1]', 'only one list'],
    [`$${'[*,*]'.repeat(50)}`, 'only one list'],
    [`$.${'a'.repeat(300)}`, 'at most 256'],
  ])('%s is refused', (path, why) => {
    expect(jsonPathProblem(path)).toContain(why);
  });
});
