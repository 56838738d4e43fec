import { performance } from 'node:perf_hooks';
import { exampleOf, PREVIEWED_KINDS } from '../kind/examples';
import { notificationText } from '../notification-text';
import { WEBHOOK_PLACEHOLDERS, webhookValues } from '../vendor/webhook-placeholders';
import { type JsonValue, valueAt } from './json-value';
import { MAX_RENDERED, renderBody } from './render-template';
import { formProblems, MAX_TEMPLATE, templateProblems } from './template-problems';
import { templateParts } from './template-text';
import { renderUrl } from './url-template';

const PATHS = [...WEBHOOK_PLACEHOLDERS];

/** Text that would break out of a value, if it were ever part of a template or of markup. */
const AWKWARD = [
  'a "quoted" name',
  "it's \\ backslash",
  'two\nlines\r\nand\ttabs',
  '{{title}}',
  '{{',
  '}}{"$switch": "type"}',
  '🔥🔥 emoji 👩‍👩‍👧',
  '\u0000\u0001\u001b[31m\u007f',
  '\ud800 half a pair',
  'a=b&c=d;e',
  '../../etc/passwd',
  '..',
  '%2e%2e%2f',
  '__proto__',
  'x'.repeat(10_000),
];

/** A small generator of numbers, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<T>(items: readonly T[], next: (below: number) => number): T {
  const item = items.at(next(items.length));
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Returns values for all placeholders, each an awkward text. */
function valuesOf(next: (below: number) => number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const path of PATHS) {
    const steps = path.split('.');
    let at = values;
    for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
    const last = steps.at(-1) ?? '';
    if (typeof at === 'object' && at[last] === undefined && !PATHS.some((other) => other.startsWith(`${path}.`)))
      at[last] = pick(AWKWARD, next);
  }
  return values;
}

const textWith = (next: (below: number) => number): string =>
  Array.from({ length: 1 + next(3) }, () => `${pick(['', 'at ', '"', '\\'], next)}{{${pick(PATHS, next)}}}`).join(' ');

function templateOf(next: (below: number) => number, depth: number): JsonValue {
  const kind = next(depth > 3 ? 3 : 6);
  if (kind === 0) return next(1000);
  if (kind === 1) return next(2) === 0;
  if (kind === 2) return textWith(next);
  if (kind === 3) return Array.from({ length: next(4) }, () => templateOf(next, depth + 1));
  if (kind === 4)
    return { $switch: pick(PATHS, next), 'alert.triggered': textWith(next), default: templateOf(next, depth + 1) };
  return Object.fromEntries(
    Array.from({ length: next(5) }, (_, index) => [`key${index}`, templateOf(next, depth + 1)]),
  );
}

/** Returns all keys of a value, with their paths. */
const keysIn = (value: unknown, prefix = ''): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) => [`${prefix}/${key}`, ...keysIn(each, `${prefix}/${key}`)]);

/** Returns the keys that a template can have after a choice. */
function possibleKeys(template: JsonValue, prefix = ''): string[] {
  if (typeof template !== 'object' || template === null) return [];
  if (!Array.isArray(template) && '$switch' in template)
    return Object.entries(template).flatMap(([key, each]) => (key === '$switch' ? [] : possibleKeys(each, prefix)));
  return Object.entries(template).flatMap(([key, each]) => [
    `${prefix}/${key}`,
    ...possibleKeys(each, `${prefix}/${key}`),
  ]);
}

describe('a body template', () => {
  it.each(Array.from({ length: 150 }, (_, seed) => ({ seed })))(
    'gives valid JSON with only the keys of the template for all values (seed $seed)',
    ({ seed }) => {
      const next = numbers(seed);
      const template = templateOf(next, 0);
      expect(templateProblems(template, WEBHOOK_PLACEHOLDERS).filter(({ pointer }) => pointer !== '')).toEqual([]);
      const { body } = renderBody(template, valuesOf(next), 'json');
      const parsed = JSON.parse(body) as unknown;
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_RENDERED);
      const possible = new Set(possibleKeys(template).map((key) => key.replace(/\/\d+/g, '/#')));
      expect(keysIn(parsed).filter((key) => !possible.has(key.replace(/\/\d+/g, '/#')))).toEqual([]);
    },
  );

  it.each(Array.from({ length: 50 }, (_, seed) => ({ seed })))(
    'gives a form with exactly the fields of the template for all values (seed $seed)',
    ({ seed }) => {
      const next = numbers(seed + 1000);
      const names = Array.from({ length: 1 + next(6) }, (_, index) => `field&${index}=`);
      const template = Object.fromEntries(names.map((name) => [name, textWith(next)]));
      expect(formProblems(template)).toEqual([]);
      const values = valuesOf(next);
      const { body, contentType } = renderBody(template, values, 'form');
      expect(contentType).toBe('application/x-www-form-urlencoded; charset=utf-8');
      expect([...new URLSearchParams(body).keys()]).toEqual(names);
      expect(body.length).toBeLessThanOrEqual(MAX_RENDERED);
    },
  );

  it('fills in each value exactly, and never reads it as a template', () => {
    for (const value of AWKWARD) {
      const { body } = renderBody({ a: '{{title}}', b: 'x{{title}}y' }, { title: value }, 'json');
      expect(JSON.parse(body)).toEqual({ a: value, b: `x${value}y` });
    }
  });

  it('keeps the type of a value that is alone in its string, and turns it into text next to other text', () => {
    const values = { data: { count: 3, list: [1, { a: null }] }, flag: true };
    const template = { count: '{{data.count}}', text: 'n={{data.count}}', list: '{{ data.list }}', flag: '{{flag}}' };
    expect(JSON.parse(renderBody(template, values, 'json').body)).toEqual({
      count: 3,
      text: 'n=3',
      list: [1, { a: null }],
      flag: true,
    });
  });

  it('fills in an empty text for a value that a notification does not have', () => {
    expect(renderBody({ a: '{{data.event.error.code}}', b: '{{constructor}}' }, { data: {} }, 'json').body).toBe(
      '{"a":"","b":""}',
    );
  });

  it.each([
    { type: 'alert.triggered', expected: { priority: 5, list: [1], note: 'down' } },
    { type: 'alert.resolved', expected: { priority: 3, list: [] } },
    { type: 'default', expected: { priority: 4, list: [] } },
    { type: '$switch', expected: { priority: 4, list: [] } },
  ])('chooses the branch for "$type", and leaves out what has none', ({ type, expected }) => {
    const template = {
      priority: { $switch: 'type', 'alert.triggered': 5, 'alert.resolved': 3, default: 4 },
      list: [{ $switch: 'type', 'alert.triggered': 1 }],
      note: { $switch: 'type', 'alert.triggered': 'down' },
    };
    expect(JSON.parse(renderBody(template, { type }, 'json').body)).toEqual(expected);
  });

  it('has at most 64 KiB, and cuts between characters', () => {
    for (const encoding of ['json', 'form'] as const) {
      const template = { a: '{{text}}'.repeat(100), b: '{{title}}' };
      const { body } = renderBody(template, { text: '🔥"\n'.repeat(2500), title: 'x' }, encoding);
      expect(Buffer.byteLength(body)).toBeGreaterThan(MAX_RENDERED - 3000);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_RENDERED);
      expect(body).not.toMatch(/\\ud83d(?!\\udd25)|%EF%BF%BD/i);
    }
  });

  it('of the largest size is rendered within 5 ms', () => {
    const unit = '{{text}}{{data.endpoint.name}}';
    const template = { text: unit.repeat(Math.floor((MAX_TEMPLATE - 20) / unit.length)) };
    expect(templateProblems(template, WEBHOOK_PLACEHOLDERS)).toEqual([]);
    const values = { text: '🔥"\n'.repeat(2500), data: { endpoint: { name: 'é'.repeat(255) } } };
    const times = Array.from({ length: 30 }, () => {
      const start = performance.now();
      renderBody(template, values, 'json');
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(5);
  });

  it('is the same for every attempt of each kind', () => {
    for (const kind of PREVIEWED_KINDS) {
      const notification = exampleOf(kind, 'https://uptime.example.com');
      const values = webhookValues(notification, notificationText(notification));
      const all = Object.fromEntries(PATHS.map((path) => [path, `{{${path}}}`]));
      expect(renderBody(all, values, 'json')).toEqual(renderBody(all, values, 'json'));
      for (const path of ['title', 'message', 'text', 'id', 'incident_key', 'state', 'type', 'page_url'])
        expect(valueAt(values, path)).not.toBe('');
    }
  });
});

describe('the problems of a template', () => {
  it('name the nearest placeholder', () => {
    const problems = templateProblems({ a: ['{{titel}}', '{{data.endpont.name}}', '{{name}}'] }, WEBHOOK_PLACEHOLDERS);
    expect(problems).toEqual([
      {
        pointer: '/a/0',
        code: 'unknown_placeholder',
        message: expect.stringContaining('did you mean title?') as string,
      },
      {
        pointer: '/a/1',
        code: 'unknown_placeholder',
        message: expect.stringContaining('did you mean data.endpoint.name?') as string,
      },
      {
        pointer: '/a/2',
        code: 'unknown_placeholder',
        message: expect.stringMatching(/did you mean [a-z.]+name\?/) as string,
      },
    ]);
  });

  it('escape keys in pointers', () => {
    expect(templateProblems({ 'a/b~c': '{{x}}' }, WEBHOOK_PLACEHOLDERS)).toMatchObject([{ pointer: '/a~1b~0c' }]);
  });

  it('accept text with single braces', () => {
    expect(templateParts('{a} }} {{title}}')).toEqual(['{a} }} ', { path: 'title' }]);
    expect(templateParts('{{}}')).toBeNull();
    expect(templateParts('{{a{{b}}')).toBeNull();
  });
});

describe('a URL with placeholders', () => {
  it('encodes every value, and keeps its host, its folders, and its parameters', () => {
    for (const title of AWKWARD) {
      const url = new URL(renderUrl('https://example.com/hook/{{title}}/x?a={{title}}&b=1', { title }));
      expect(url.host).toBe('example.com');
      expect(url.pathname.split('/').length).toBe(4);
      expect(url.pathname).toMatch(/^\/hook\/.*\/x$/);
      expect([...url.searchParams.keys()]).toEqual(['a', 'b']);
      expect(url.hash).toBe('');
    }
  });

  it('cannot step to a parent folder by several values', () => {
    const url = renderUrl('https://example.com/a/{{title}}{{title}}/b', { title: '.' });
    expect(new URL(url).pathname).toBe('/a/_/b');
  });
});
