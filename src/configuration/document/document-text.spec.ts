import { Problem } from '../../platform/problem/problem';
import { threadMegabytes } from './aside';
import { readDocumentText } from './document-text';
import { readDocumentInWorker } from './read-in-worker';

const SECONDS = 1_000_000;
const ORGANIZATION = '00000000-0000-7000-8000-000000000001';
const OTHER = '00000000-0000-7000-8000-000000000002';

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
      'merge keys of a list, the first one first',
      'a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}',
      { a: { k: 1 }, b: { k: 2, l: 2 }, c: { k: 1, l: 2 } },
    ],
    ['names that mean something to JavaScript', 'constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    ['empty values', 'a:\nb: ~\n', { a: null, b: null }],
  ])('reads %s', (_, text, value) => {
    expect(valuesOf(text)).toEqual([value]);
  });

  it('reads each document of a stream, and no document from an empty text', () => {
    expect(valuesOf('a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(valuesOf('# nothing\n')).toEqual([]);
  });

  it.each([
    ['an open bracket', 'a: [1, 2\n', ['2  invalid_syntax']],
    ['tabs as indentation', 'a:\n\tb: 1\n', ['2  invalid_syntax']],
    ['duplicate keys', 'a: 1\nb:\n  c: 1\n  c: 2\na: 3\n', ['4 /b/c duplicate_key', '5 /a duplicate_key']],
    ['duplicate keys in JSON', '{"a": 1,\n "a": 2}', ['2 /a duplicate_key']],
    ['custom tags', 'a: !run rm\n', ['1  invalid_syntax']],
    ['tags of YAML 1.1', 'a: !!binary aGk=\n', ['1  invalid_syntax']],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes\n', ['2  invalid_syntax']],
    ["keys that aren't text", 'a: 1\n8080: x\n[b]: y\n', ['2  invalid_syntax', '3  invalid_syntax']],
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
    ["a merge of something that isn't a mapping", 'a: {<<: 1}\n', ['1 /a invalid_syntax']],
    ['brackets without end', '['.repeat(100_000), ['1  too_deep']],
    ['lists in lists without end', '- '.repeat(100_000), ['1  too_deep']],
  ])('refuses %s, and reports the line', (_, text, problems) => {
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

  it('names at most twenty problems', () => {
    expect(problemsOf('a: 1\n'.repeat(100))).toHaveLength(20);
    expect(problemsOf('"'.repeat(10_000)).length).toBeLessThanOrEqual(20);
  });

  it('reads many keys of one mapping in linear time', () => {
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
  ])('finds %j on line %j', (pointer, line) => {
    expect(readDocumentText(document)[0]?.lineOf(pointer)).toBe(line);
  });

  it('finds the lines of many values in linear time', () => {
    const [read] = readDocumentText(Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'));
    const before = process.cpuUsage();
    for (let i = 0; i < 20_000; i++) expect(read?.lineOf(`/k${i}`)).toBe(i + 1);
    expect(process.cpuUsage(before).user).toBeLessThan(SECONDS * 5);
  });

  it.each([
    ['a long text once for each alias', `a: &x ${'x'.repeat(1025)}\nb: *x\n`, '2 /b too_large'],
    [
      'many short ones',
      `a: &x [${`${'x'.repeat(1000)}, `.repeat(20)}]\nb: &y [${'*x, '.repeat(10)}]\nc: [${'*y, '.repeat(10)}]`,
      '1 /c/4/5/9 too_large',
    ],
    ['long keys', `a: &x {${'k'.repeat(1000)}: 1}\nb: [${'*x, '.repeat(1200)}]`, '1 /b/1070 too_large'],
    ['many values', `a: &x [${'1, '.repeat(1000)}]\nb: [${'*x, '.repeat(60)}]`, '1 /b/52/145 too_large'],
    ['many members', Array.from({ length: 50_001 }, (_, i) => `${i}:`).join('\n'), '1  too_large'],
  ])('refuses to expand %s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});

describe('readDocumentInWorker', () => {
  const long = `a: |\n${'  text\n'.repeat(5000)}b:\n  - c: 1\n`;

  it('reads long texts in a separate thread, with the same lines', async () => {
    const [aside] = await readDocumentInWorker(long, ORGANIZATION);
    const [here] = readDocumentText(long);
    expect(aside?.value).toEqual(here?.value);
    expect(aside?.lineOf('/b/0/c')).toBe(5003);
  });

  it('refuses the same texts in the thread, and reads the next text', async () => {
    const refused = readDocumentInWorker(`${long}b: 2\n`, ORGANIZATION);
    const next = readDocumentInWorker(long, ORGANIZATION);
    await expect(refused).rejects.toMatchObject({
      code: 'malformed_document',
      errors: [{ line: 5004, pointer: '/b' }],
    });
    expect(await next).toHaveLength(1);
  });

  it('returns a value that arrives in many portions', async () => {
    const value = {
      texts: Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(1000)}`),
      a: { 12: [], b: { c: {} } },
    };
    const [aside] = await readDocumentInWorker(JSON.stringify(value), ORGANIZATION);
    expect(aside?.value).toEqual(value);
  });

  it('refuses a text that aliases expand beyond the memory, and continues', async () => {
    const level = (name: string, below: string): string => `${name}: &${name} [${`*${below}, `.repeat(50)}]\n`;
    const bomb = `a0: &a0 "${'x'.repeat(1000)}"\n${level('a1', 'a0')}${level('a2', 'a1')}${level('a3', 'a2')}`;
    const before = process.memoryUsage().rss;
    await expect(readDocumentInWorker(bomb, ORGANIZATION)).rejects.toMatchObject({
      code: 'malformed_document',
      errors: [{ code: 'too_large' }],
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('reads a short text of one organization while a long one of another is read', async () => {
    const order: string[] = [];
    const longest = `a: |\n${'  text\n'.repeat(100_000)}b: [${'[x, y], '.repeat(20_000)}]\n`;
    await Promise.all([
      readDocumentInWorker(longest, ORGANIZATION).then(() => order.push('long')),
      readDocumentInWorker('a: &x 1\nb: *x\n', OTHER).then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
  });

  it('refuses an organization that has eight texts waiting, and no other organization', async () => {
    const sent = Array.from({ length: 12 }, () => readDocumentInWorker(long, ORGANIZATION));
    const other = readDocumentInWorker(long, OTHER);
    const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    expect(await other).toHaveLength(1);
  });
});

describe('threadMegabytes', () => {
  const MB = 1024 * 1024;
  it.each([
    ['a large machine', 4096 * MB, 0, 128],
    ['a container', 2048 * MB, 384 * MB, 96],
    ['a small heap', 300 * MB, 8192 * MB, 75],
    ['hardly any', 40 * MB, 0, 16],
  ])('gives a thread a share of the memory of %s', (_, heap, memory, megabytes) => {
    expect(threadMegabytes(heap, memory)).toBe(megabytes);
  });
});
