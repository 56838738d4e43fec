import { Problem } from '../../platform/problem/problem';
import { readDocumentText } from './document-text';
import { readDocumentTextAside } from './read-aside';

const valuesOf = (text: string): unknown[] => readDocumentText(text).map(({ value }) => value);

function problemsOf(text: string): unknown[] {
  try {
    readDocumentText(text);
  } catch (error) {
    if (error instanceof Problem && error.code === 'malformed_document')
      return error.errors.map(({ line, pointer, code }) => `${line} ${pointer} ${code}`);
    throw error;
  }
  return [];
}

describe('readDocumentText', () => {
  it.each([
    ['JSON', '{"a": [1, null, true, "x"]}', { a: [1, null, true, 'x'] }],
    ['block style', 'a:\n  - b: 1\n    c: |\n      x\n      y\n', { a: [{ b: 1, c: 'x\ny\n' }] }],
    ['dates as text', 'at: 2026-11-23\n', { at: '2026-11-23' }],
    ['words of YAML 1.1 as text', 'a: yes\nb: off\nc: 012\n', { a: 'yes', b: 'off', c: 12 }],
    ['a byte order mark', '\uFEFFa: 1', { a: 1 }],
    ['Windows lines', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['anchors', 'a: &x {k: 1}\nb: *x\nc: [*x]', { a: { k: 1 }, b: { k: 1 }, c: [{ k: 1 }] }],
    ['an anchor that is set again', 'a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['merge keys', 'a: &x {k: 1, l: 1}\nb: {<<: *x, l: 2}', { a: { k: 1, l: 1 }, b: { l: 2, k: 1 } }],
    [
      'merge keys of a list, the first first',
      'a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}',
      { a: { k: 1 }, b: { k: 2, l: 2 }, c: { k: 1, l: 2 } },
    ],
    ['names that mean something to JavaScript', 'constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    ['empty values', 'a:\nb: ~\n', { a: null, b: null }],
  ])('reads %s', (_, text, value) => {
    expect(valuesOf(text)).toEqual([value]);
  });

  it('reads each document of a stream, and none of an empty text', () => {
    expect(valuesOf('a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(valuesOf('# nothing\n')).toEqual([]);
  });

  it.each([
    ['an open bracket', 'a: [1, 2\n', ['2  invalid_syntax']],
    ['tabs as indentation', 'a:\n\tb: 1\n', ['2  invalid_syntax']],
    ['keys that are there twice', 'a: 1\nb:\n  c: 1\n  c: 2\na: 3\n', ['4 /b/c duplicate_key', '5 /a duplicate_key']],
    ['keys that are there twice, in JSON', '{"a": 1,\n "a": 2}', ['2 /a duplicate_key']],
    ['tags of its own', 'a: !run rm\n', ['1  invalid_syntax']],
    ['tags of YAML 1.1', 'a: !!binary aGk=\n', ['1  invalid_syntax']],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes\n', ['2  invalid_syntax']],
    ['keys that are no text', 'a: 1\n8080: x\n[b]: y\n', ['2  invalid_syntax', '3  invalid_syntax']],
    ['__proto__', 'a:\n  __proto__: {admin: true}\n', ['2 /a unknown_field']],
    ['__proto__ in JSON', '{"__proto__": {"admin": true}}', ['1  unknown_field']],
    [
      'numbers without end',
      'a: .inf\nb: .nan\nc: 1e999\n',
      ['1 /a out_of_range', '2 /b out_of_range', '3 /c out_of_range'],
    ],
    ['numbers that would be rounded', 'a: 12345678901234567890\n', ['1 /a out_of_range']],
    ['NUL', 'a: "x\\0"\n', ['1 /a invalid_characters']],
    ['an alias without its anchor', 'a: *x\nb: &x 1\n', ['1 /a invalid_syntax']],
    ['an alias inside of itself', 'a: &x\n  b: *x\n', ['2 /a/b invalid_syntax']],
    ['a merge of what is no mapping', 'a: {<<: 1}\n', ['1 /a invalid_syntax']],
    ['brackets without end', '['.repeat(100_000), ['1  too_deep']],
    ['lists in lists without end', '- '.repeat(100_000), ['1  too_deep']],
  ])('refuses %s, with the line', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('refuses an alias bomb', () => {
    const levels = ['a: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 10; i++)
      levels.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const [problem] = problemsOf(levels.join('\n'));
    expect(problem).toMatch(/^\d \/a\d\S* too_large$/);
  });

  it('refuses a bomb of merge keys', () => {
    const levels = ['a0: &a0 {}'];
    for (let i = 1; i < 40; i++) levels.push(`a${i}: &a${i} {<<: [*a${i - 1}, *a${i - 1}]}`);
    expect(problemsOf(levels.join('\n'))).toHaveLength(1);
  });

  it('names no more than twenty problems', () => {
    expect(problemsOf('a: 1\n'.repeat(100))).toHaveLength(20);
    expect(problemsOf('"'.repeat(10_000)).length).toBeLessThanOrEqual(20);
  });

  it('reads many keys of one mapping in a time that grows with their number', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
    expect(Object.keys(valuesOf(keys.join('\n'))[0] as object)).toHaveLength(20_000);
  });

  const document = 'version: 1\nwebsites:\n  - key: a\n    "10": x\n    "b/c": [1,\n      2]\n  # of b\n  - key: b\n';
  it.each([
    ['', 1],
    ['/version', 1],
    ['/websites', 2],
    ['/websites/0', 3],
    ['/websites/0/key', 3],
    ['/websites/0/10', 4],
    ['/websites/0/b~1c', 5],
    ['/websites/0/b~1c/1', 6],
    ['/websites/1', 8],
    ['/websites/1/key', 8],
    ['/websites/1/missing/deeper', 8],
    ['/nothing', 1],
    ['?owner', null],
  ])('knows that %j stands on line %j', (pointer, line) => {
    expect(readDocumentText(document)[0]?.lineOf(pointer)).toBe(line);
  });

  it('knows the lines still when the value was changed', () => {
    const [read] = readDocumentText('a: {c: 1}\nb: 2\n');
    Object.assign(read?.value as object, { a: 1 });
    expect(read?.lineOf('/b')).toBe(2);
  });
});

describe('readDocumentTextAside', () => {
  const long = `a: |\n${'  text\n'.repeat(5000)}b:\n  - c: 1\n`;

  it('reads long texts in a thread of its own, with the same lines', async () => {
    const [aside] = await readDocumentTextAside(long);
    const [here] = readDocumentText(long);
    expect(aside?.value).toEqual(here?.value);
    expect(aside?.lineOf('/b/0/c')).toBe(5003);
  });

  it('refuses there what is refused here, and reads the next text', async () => {
    const refused = readDocumentTextAside(`${long}b: 2\n`);
    const next = readDocumentTextAside(long);
    await expect(refused).rejects.toMatchObject({
      code: 'malformed_document',
      errors: [{ line: 5004, pointer: '/b' }],
    });
    expect(await next).toHaveLength(1);
  });
});
