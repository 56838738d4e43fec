import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Assertion } from '../../../src/checker/assertion/assertion';

/** A response from a target that tries to keep its reader busy, and the assertions that make it the most expensive. */
export interface HostileCase {
  /** A description that, together with the seed, is precise enough to find the case again. */
  name: string;
  assertions: Assertion[];
  /** How the connection ends after the last byte. */
  end: 'close' | 'reset' | 'silence';
  response: () => Buffer;
}

const MIB = 1024 * 1024;

/** A repeatable source of random numbers. */
export class Dice {
  constructor(private state: number) {}

  /** Returns an integer from 0 up to but not including `limit`. */
  next(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(choices: readonly T[]): T {
    const choice = choices[this.next(choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }
}

const filled = (size: number, piece: (i: number) => string): string => {
  const pieces: string[] = [];
  for (let length = 0, i = 0; length < size; i++) length += pieces[pieces.push(piece(i)) - 1]?.length ?? 0;
  return pieces.join('');
};
const listOf = (size: number, piece: (i: number) => string) => `[${filled(size, (i) => `${piece(i)},`)}0]`;
const membersOf = (size: number, piece: (i: number) => string) => `{${filled(size, (i) => `${piece(i)},`)}"z":0}`;
const nested = (size: number, open: string, close: string) => {
  const depth = Math.floor(size / (open.length + close.length));
  return `${open.repeat(depth)}0${close.repeat(depth)}`;
};
const key = (i: number) => i.toString(36);

/** Documents of roughly the given size, each with a shape that some parser handles badly. */
const JSON_SHAPES: Record<string, (size: number) => string> = {
  'empty objects': (size) => listOf(size, () => '{}'),
  'empty arrays': (size) => listOf(size, () => '[]'),
  numbers: (size) => listOf(size, () => '0'),
  'long numbers': (size) => listOf(size, (i) => `${i}.${'7'.repeat(600)}e-300`),
  'one number': (size) => '9'.repeat(size),
  strings: (size) => listOf(size, (i) => `"${key(i)}"`),
  'one string of escapes': (size) => `"${'\\u12ab'.repeat(size / 6)}"`,
  'objects that all differ': (size) => listOf(size, (i) => `{"${key(i)}":0}`),
  'objects of eight members that all differ': (size) =>
    listOf(size, (i) => membersOf(60, (k) => `"${key(8 * i + k)}":0`)),
  'one object': (size) => membersOf(size, (i) => `"${key(i)}":0`),
  'one object of indices': (size) => membersOf(size, (i) => `"${4_000_000_000 - 3001 * i}":0`),
  'one object of one name': (size) => membersOf(size, () => '"a":{}'),
  'escaped names': (size) => membersOf(size, (i) => `"\\u0061${key(i)}":0`),
  'arrays inside each other': (size) => nested(size, '[', ']'),
  'objects inside each other': (size) => nested(size, '{"a":', '}'),
  'lists inside each other': (size) => nested(size, '[1,{"a":[', ']},{}]'),
  'a long string inside two thousand objects': (size) =>
    `${'{"a":'.repeat(2000)}"${'x'.repeat(size)}"${'}'.repeat(2000)}`,
  'an ordinary list': (size) =>
    listOf(size, (i) => JSON.stringify({ id: i, name: `name ${i}`, a: i % 7, tags: ['x', 'y'] })),
  blanks: (size) => `[${' '.repeat(size)}0]`,
};

/** Most of these hold for any value, so that all of them are evaluated. */
const JSON_COMPARISONS: readonly [Assertion['comparison'], string][] = [
  ['not_equals', 'x'],
  ['not_contains', `"a":${'{"a":'.repeat(100)}`],
  ['exists', 'true'],
  ['contains', 'x'],
  ['in', '1,2,3'],
  ['less_than', '1'],
];
const PATHS = [
  '$',
  '$..a',
  '$..*',
  '$[*]',
  '$..[-1]',
  '$..[::-1]',
  '$[?@.a == 1]',
  `$..[?${Array.from({ length: 14 }, (_, i) => `@.a == ${i}`).join(' || ')}]`,
  '$..[?@.a == $]',
  '$..[?@ == $[0]]',
  '$[?count(@.*) > 1]',
  '$..[?length(@) > 1]',
  `$[${'0,'.repeat(100)}0]`,
  `$['a',${'*,'.repeat(60)}'b']`,
  '$.a.a.a.a.a.a.a.a',
];
const CHARSETS = ['utf-8', 'windows-1252', 'shift_jis', 'gb18030', 'iso-2022-jp', 'utf-16be', 'euc-kr', 'nonsense'];
/** A string that almost matches at every position. */
const NEARLY = `${'a'.repeat(511)}b${'a'.repeat(512)}`;

export function hostileCase(seed: number, index: number): HostileCase {
  const dice = new Dice((seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0);
  const kind = dice.of(['json', 'json', 'json', 'json', 'text', 'encoded', 'headers', 'redirect', 'framing', 'noise']);
  switch (kind) {
    case 'json':
      return jsonCase(dice);
    case 'text':
      return textCase(dice);
    case 'encoded':
      return encodedCase(dice);
    case 'headers':
      return headersCase(dice);
    case 'redirect':
      return redirectCase(dice);
    case 'framing':
      return framingCase(dice);
    default:
      return noiseCase(dice);
  }
}

const repeated = (times: number, assertion: () => Assertion): Assertion[] => Array.from({ length: times }, assertion);
const sizeBy = (dice: Dice): number => dice.of([300, 4_000, 16_000, 33_000, 200_000, MIB - 3000]);

function jsonAssertions(dice: Dice): Assertion[] {
  const [comparison, target] = dice.of(JSON_COMPARISONS);
  const path = dice.of(PATHS);
  return repeated(dice.of([1, 1, 1, 20]), () => ({ source: 'json', property: path, comparison, target }));
}

function jsonCase(dice: Dice): HostileCase {
  const shape = dice.of(Object.keys(JSON_SHAPES));
  const size = sizeBy(dice);
  const assertions = jsonAssertions(dice);
  const name = `${size} bytes of JSON, ${shape}: ${describe(assertions)}`;
  return { name, assertions, end: 'close', response: () => plain(Buffer.from(JSON_SHAPES[shape]?.(size) ?? '')) };
}

function textCase(dice: Dice): HostileCase {
  const content = dice.of(['bytes at random', 'bytes 255', 'halves of characters', 'one letter']);
  const charset = dice.of(CHARSETS);
  const size = sizeBy(dice);
  const near = (): Assertion => ({ source: 'body', comparison: 'not_contains', target: NEARLY });
  const assertions = repeated(dice.of([1, 1, 1, 20]), near);
  const name = `${size} bytes of text in ${charset}, ${content}: ${describe(assertions)}`;
  const head = `Content-Type: text/html; charset=${charset}\r\n`;
  return { name, assertions, end: 'close', response: () => plain(bytesOf(content, size, dice), head) };
}

function bytesOf(content: string, size: number, dice: Dice): Buffer {
  if (content === 'bytes 255') return Buffer.alloc(size, 0xff);
  if (content === 'one letter') return Buffer.alloc(size, 'a');
  if (content === 'halves of characters') return Buffer.alloc(size, Buffer.from([0xe4, 0xb8, 0x61]));
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = dice.next(256);
  return bytes;
}

function encodedCase(dice: Dice): HostileCase {
  const encoding = dice.of(['gzip', 'x-gzip', 'deflate', 'br', 'gzip, gzip', 'constructor']);
  const content = dice.of(['a bomb', 'damaged', 'cut', ...Object.keys(JSON_SHAPES)]);
  const assertions = jsonAssertions(dice);
  const size = sizeBy(dice);
  const response = () => {
    const text =
      content === 'a bomb' ? Buffer.alloc(30 * MIB) : Buffer.from(JSON_SHAPES[content]?.(size) ?? 'x'.repeat(size));
    const compress = encoding === 'br' ? brotliQuickly : encoding === 'deflate' ? deflateSync : gzipSync;
    const packed = compress(text);
    if (content === 'damaged') packed.fill(0xaa, packed.length >> 1);
    const sent = content === 'cut' ? packed.subarray(0, packed.length >> 1) : packed;
    return plain(sent, `Content-Encoding: ${encoding}\r\n`);
  };
  return {
    name: `${encoding}, ${content} of ${size} bytes: ${describe(assertions)}`,
    assertions,
    end: 'close',
    response,
  };
}

const brotliQuickly = (data: Buffer) => brotliCompressSync(data, { params: { 1: 1 } });

function headersCase(dice: Dice): HostileCase {
  const shape = dice.of(['many names', 'one name', 'folded', 'one long', 'too many', 'interim responses']);
  const size = shape === 'too many' ? 300_000 : 63_000;
  const assertions = repeated(20, () => ({
    source: 'header',
    property: 'X-A',
    comparison: 'not_contains',
    target: NEARLY,
  }));
  const lines: Record<string, (i: number) => string> = {
    'many names': (i) => `X-${key(i)}:\r\n`,
    'one name': () => 'X-A: a\n',
    folded: (i) => (i === 0 ? 'X-A: a\r\n' : ' a\r\n'),
    'one long': (i) => (i === 0 ? `X-A: ${'a'.repeat(size - 20)}\r\n` : 'x:\r\n'),
    'too many': () => 'X-A: a\r\n',
    'interim responses': () => 'HTTP/1.1 102 Processing\r\n\r\n',
  };
  const response = () => {
    const text = filled(size, lines[shape] ?? key);
    const status = 'HTTP/1.1 200 OK\r\n';
    const head = shape === 'interim responses' ? text + status : status + text;
    return Buffer.from(`${head}Content-Length: 0\r\n\r\n`);
  };
  return { name: `headers: ${shape}`, assertions, end: 'close', response };
}

function redirectCase(dice: Dice): HostileCase {
  const size = dice.of([100, 7_000, 8_190, 9_000, 60_000]);
  const content = dice.of(['letters', 'umlauts', 'dots', 'slashes', 'the token again and again', 'a host', 'a query']);
  const location: Record<string, () => Buffer> = {
    letters: () => Buffer.alloc(size, 'ab'),
    umlauts: () => Buffer.alloc(size, 0xe4),
    dots: () => Buffer.alloc(size, '/a/..'),
    slashes: () => Buffer.alloc(size, '/x/'),
    'the token again and again': () => Buffer.alloc(size, 'aaaaaa'),
    'a host': () => Buffer.concat([Buffer.from('http://'), Buffer.alloc(size, 'a.')]),
    'a query': () => Buffer.concat([Buffer.from('?'), Buffer.alloc(size, '&a=1')]),
  };
  const response = () => {
    const head = `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ${content === 'a host' ? '' : '%CASE%'}`;
    return Buffer.concat([Buffer.from(head), location[content]?.() ?? Buffer.alloc(0), Buffer.from('\r\n\r\n')]);
  };
  return { name: `a redirect of ${size} bytes, ${content}`, assertions: [], end: 'close', response };
}

function framingCase(dice: Dice): HostileCase {
  const chunk = dice.of([1, 7, 4096]);
  const extension = dice.of(['', ';x=y', `;${'e'.repeat(3000)}`]);
  const end = dice.of(['close', 'reset', 'silence'] as const);
  const size = dice.of([16_000, 200_000]);
  const assertions = jsonAssertions(dice);
  const text = () => JSON_SHAPES['an ordinary list']?.(size) ?? '';
  const response = () => {
    const body = text();
    const chunks = filled(body.length, (i) => {
      const part = body.slice(i * chunk, (i + 1) * chunk);
      return `${part.length.toString(16)}${extension}\r\n${part}\r\n`;
    }).slice(0, 2 * MIB);
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
    return end === 'close' ? Buffer.concat([bytes, Buffer.from('0\r\n\r\n')]) : bytes;
  };
  return {
    name: `${size} bytes in chunks of ${chunk} with ${extension.length} bytes of extension, then ${end}`,
    assertions,
    end,
    response,
  };
}

function noiseCase(dice: Dice): HostileCase {
  const end = dice.of(['close', 'reset', 'silence'] as const);
  const begins = dice.of(['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nX: y\r\n\r\n']);
  const size = dice.of([10, 5000, 100_000]);
  const response = () => Buffer.concat([Buffer.from(begins), bytesOf('random', size, dice)]);
  return { name: `${size} bytes at random, then ${end}`, assertions: jsonAssertions(dice), end, response };
}

const plain = (body: Buffer, headers = ''): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n`), body]);

const describe = (assertions: readonly Assertion[]): string =>
  `${assertions.length} × ${assertions[0]?.property ?? assertions[0]?.source} ${assertions[0]?.comparison}`;
