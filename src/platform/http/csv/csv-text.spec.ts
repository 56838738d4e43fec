import { columnName, csvRow, csvValue, valueAt } from './csv-text';

describe('a value in CSV', () => {
  it.each([
    ['Checkout', 'Checkout'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [99.9, '99.9'],
    [-41.5, '-41.5'],
    [true, 'true'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [['a', 'b'], '"[""a"",""b""]"'],
    [{ a: 1 }, '"{""a"":1}"'],
  ])('%j is %s', (value, text) => {
    expect(csvValue(value)).toBe(text);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['  =1', "'  =1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://a.example","x")', '"\'=HYPERLINK(""http://a.example"",""x"")"'],
    ['a=1', 'a=1'],
  ])('%j is never a formula', (value, text) => {
    expect(csvValue(value)).toBe(text);
  });
});

describe('a row in CSV', () => {
  it('ends with CRLF', () => {
    expect(csvRow(['a', 1, null])).toBe('a,1,\r\n');
  });

  it.each([
    [{ error: { code: 'x' } }, 'error.code', 'x'],
    [{ error: null }, 'error.code', undefined],
    [{ error: 'text' }, 'error.code', undefined],
    [{ id: 'a' }, 'id', 'a'],
    [null, 'id', undefined],
  ])('of %j has at %s: %j', (item, path, value) => {
    expect(valueAt(item, path)).toBe(value);
  });

  it('names a nested value after its path', () => {
    expect(columnName('error.code')).toBe('error_code');
  });
});
