import { type AssertionFacts, failureSentence, firstFailure, firstFailureInPieces } from './assertion-evaluator';
import type { Assertion, AssertionComparison, AssertionSource } from './assertion';

const json = {
  text: JSON.stringify({
    status: 'ok',
    count: 3,
    big: 9.5,
    on: true,
    none: null,
    tags: ['a', 'b'],
    list: [{ n: 1 }, { n: 2 }],
  }),
  complete: true,
};
const facts: AssertionFacts = {
  statusCode: 204,
  durationMs: 120.25,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'x-count': '7',
    'set-cookie': 'a=1, b=2',
    'x-empty': '',
    server: '',
  },
  body: { text: 'all systems go', complete: true },
  certificateDays: 30.5,
  records: ['192.0.2.1', 'MAIL.example.com.'],
  banner: 'SSH-2.0-OpenSSH_9.2p1',
};

const assertion = (
  source: AssertionSource,
  comparison: AssertionComparison,
  target: string,
  property?: string,
): Assertion => (property === undefined ? { source, comparison, target } : { source, property, comparison, target });

/** Evaluates the assertions in pieces, as for a large body. */
const inPieces = (assertions: readonly Assertion[], text: string) =>
  firstFailureInPieces(assertions, { ...facts, body: { text, complete: true } }, async () => {});

const holds = (one: Assertion, known: AssertionFacts = facts) => firstFailure([one], known) === null;

describe('an assertion', () => {
  it.each([
    assertion('status_code', 'in', '200-299,301'),
    assertion('status_code', 'equals', '204'),
    assertion('status_code', 'equals', '200-299'),
    assertion('status_code', 'not_equals', '500-599'),
    assertion('status_code', 'less_than', '300'),
    assertion('response_time', 'less_than', '120.5'),
    assertion('response_time', 'greater_than', '120'),
    assertion('header', 'contains', 'text/html', 'Content-Type'),
    assertion('header', 'equals', '7', 'X-COUNT'),
    assertion('header', 'greater_than', '6.5', 'x-count'),
    assertion('header', 'in', '5, 6, 7', 'x-count'),
    assertion('header', 'contains', 'b=2', 'set-cookie'),
    assertion('header', 'exists', 'false', 'x-absent'),
    assertion('header', 'not_equals', 'x', 'x-absent'),
    assertion('header', 'exists', '', 'x-count'),
    assertion('body', 'contains', 'systems'),
    assertion('body', 'not_contains', 'error'),
    assertion('body', 'equals', 'all systems go'),
    assertion('certificate_days', 'greater_than', '30'),
    assertion('dns_record', 'contains', '192.0.2.1'),
    assertion('dns_record', 'equals', 'mail.example.com, 192.0.2.1'),
    assertion('dns_record', 'in', '192.0.2.1,mail.example.com,192.0.2.9'),
    assertion('dns_record', 'exists', 'true'),
    assertion('banner', 'contains', 'OpenSSH'),
  ])('holds: %j', (one) => {
    expect(holds(one)).toBe(true);
  });

  it.each([
    assertion('status_code', 'in', '200,301'),
    assertion('status_code', 'not_equals', '200-299'),
    assertion('status_code', 'greater_than', '204'),
    assertion('response_time', 'less_than', '120'),
    assertion('header', 'equals', '7', 'x-absent'),
    assertion('header', 'less_than', '7', 'x-absent'),
    assertion('header', 'less_than', '7', 'content-type'),
    assertion('header', 'exists', 'true', 'x-empty'),
    assertion('header', 'in', 'a,b', 'x-absent'),
    assertion('body', 'contains', 'SYSTEMS'),
    assertion('certificate_days', 'greater_than', '31'),
    assertion('dns_record', 'equals', '192.0.2.1'),
    assertion('dns_record', 'equals', '192.0.2.1,mail.example.com,192.0.2.9'),
    assertion('dns_record', 'in', '192.0.2.1'),
    assertion('dns_record', 'not_contains', 'example.com'),
    assertion('banner', 'equals', 'SSH-2.0-OpenSSH_9.2'),
  ])('does not hold: %j', (one) => {
    expect(holds(one)).toBe(false);
  });

  it.each([
    ['$.status', 'equals', 'ok'],
    ['$.count', 'equals', '3'],
    ['$.count', 'greater_than', '2.5'],
    ['$.big', 'less_than', '10'],
    ['$.on', 'equals', 'true'],
    ['$.none', 'equals', 'null'],
    ['$.none', 'exists', 'true'],
    ['$.absent', 'exists', 'false'],
    ['$.absent', 'not_equals', 'x'],
    ['$.tags', 'contains', 'b'],
    ['$.tags', 'equals', '["a","b"]'],
    ['$.tags[*]', 'equals', 'b'],
    ['$.list[*].n', 'greater_than', '0'],
    ['$.list[?@.n == 2].n', 'equals', '2'],
    ['$.list[*].n', 'in', '1,2,3'],
    ['$.list[0]', 'equals', '{"n":1}'],
    ['$.list', 'contains', '{"n":2}'],
    ['$.list[1]', 'contains', '"n":2'],
    ['$', 'contains', '"status":"ok"'],
  ] as const)('on JSON holds: %s %s %s', async (path, comparison, target) => {
    const one = assertion('json', comparison, target, path);
    expect(holds(one, { ...facts, body: json })).toBe(true);
    expect(await inPieces([one], json.text)).toBeNull();
  });

  it.each([
    ['$.status', 'equals', 'OK'],
    ['$.absent', 'equals', ''],
    ['$.absent', 'less_than', '1'],
    ['$.list[*].n', 'greater_than', '1'],
    ['$.tags', 'contains', 'c'],
    ['$.status', 'greater_than', '1'],
  ] as const)('on JSON does not hold: %s %s %s', (path, comparison, target) => {
    expect(holds(assertion('json', comparison, target, path), { ...facts, body: json })).toBe(false);
  });

  it.each(['not_equals', 'not_contains', 'exists'] as const)(
    'does not hold for a body that is not JSON: %s',
    (comparison) => {
      const one = assertion('json', comparison, 'false', '$.a');
      expect(firstFailure([one], facts)?.seen).toBe('a body that is not JSON');
      expect(firstFailure([one], { ...facts, body: { text: '', complete: true } })?.seen).toBe('an empty body');
      expect(firstFailure([one], { ...facts, body: { text: '{"a":1', complete: false } })?.seen).toBe(
        'a JSON body larger than 1 MiB',
      );
    },
  );

  it('evaluates a JSONPath on JSON nested as deep as a body can be', async () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000);
    const one = assertion('json', 'exists', 'true', '$..a');
    expect(await inPieces([one], deep)).not.toBeNull();
  });

  it('does not hold when the type of check has no such source', () => {
    for (const source of ['status_code', 'certificate_days', 'banner'] as const) {
      expect(firstFailure([assertion(source, 'less_than', '1')], { durationMs: 1 })?.seen).toBe('absent');
    }
  });
});

describe('a body that takes long to evaluate', () => {
  const HARD = '$..[?@.a == 1 || @.b == 1 || @.c == 1]';
  const many = `[${'{},'.repeat(100_000)}0]`;

  it.each(['exists', 'equals', 'not_equals', 'contains', 'in', 'less_than'] as const)(
    'is reported as too complex, with advice: %s',
    async (comparison) => {
      const failed = await inPieces(
        [assertion('json', comparison, comparison === 'exists' ? 'false' : '1', HARD)],
        many,
      );
      expect(failed && failureSentence(failed)).toMatch(
        /but it was a body too complex .* use one without \.\. and filters/,
      );
    },
  );

  it('has one budget for all JSON assertions of a check', async () => {
    const list = (n: number) => Array.from({ length: n }, () => assertion('json', 'exists', 'false', '$[?@.a == 1]'));
    expect(await inPieces(list(2), `[${'{},'.repeat(60_000)}0]`)).toBeNull();
    const failed = await inPieces(list(20), `[${'{},'.repeat(60_000)}0]`);
    expect(failed?.index).toBeGreaterThan(1);
    expect(failed?.seen).toContain('too complex');
  });

  it('is evaluated in pieces if it is large, or small and hard to evaluate', () => {
    const body = (text: string) => ({ ...facts, body: { text, complete: true } });
    expect(firstFailure([assertion('body', 'contains', 'x')], body('x'.repeat(100_000)))).toBeUndefined();
    const hard = Array.from({ length: 20 }, () => assertion('json', 'exists', 'false', HARD));
    expect(firstFailure(hard, body(`[${'{},'.repeat(5_000)}0]`))).toBeUndefined();
  });

  it('is evaluated like a small body, even with deeply nested containers', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const failed = await inPieces([assertion('json', 'equals', '1', '$..a')], deep);
    expect(failed?.seen).toContain('too complex');
    expect(await inPieces([assertion('json', 'equals', '{"b":1}', '$.a.b')], '{"a":{"b":{"b":1}}}')).toBeNull();
  });

  it('is read with pauses, and other checks run before each assertion on it', async () => {
    let pauses = 0;
    const text = JSON.stringify({ a: ['x'.repeat(100)], list: Array.from({ length: 100_000 }, (_, i) => i) });
    const list = [assertion('json', 'exists', 'true', '$.a'), assertion('body', 'contains', 'xxx')];
    await firstFailureInPieces(list, { ...facts, body: { text, complete: true } }, async () => void (pauses += 1));
    expect(pauses).toBeGreaterThanOrEqual(2 + Math.floor(text.length / (256 * 1024)));
  });
});

describe('a failed assertion', () => {
  it('reports the first assertion that does not hold', () => {
    const list = [
      assertion('status_code', 'equals', '204'),
      assertion('body', 'contains', 'error'),
      assertion('banner', 'equals', ''),
    ];
    expect(firstFailure(list, facts)?.index).toBe(1);
    expect(firstFailure([], facts)).toBeNull();
  });

  it.each([
    [assertion('status_code', 'in', '200,301'), 'Expected status_code to be one of 200,301, but it was 204.'],
    [
      assertion('response_time', 'less_than', '100'),
      'Expected response_time to be less than 100, but it was 120.25 ms.',
    ],
    [
      assertion('certificate_days', 'greater_than', '31'),
      'Expected certificate_days to be greater than 31, but it was 30 days.',
    ],
    [
      assertion('certificate_days', 'less_than', '30.25'),
      'Expected certificate_days to be less than 30.25, but it was 30.500 days.',
    ],
    [assertion('header', 'exists', 'true', 'x-absent'), 'Expected header x-absent to exist, but it was absent.'],
    [assertion('header', 'equals', 'x', 'server'), 'Expected header server to equal x, but it was empty.'],
    [assertion('body', 'contains', 'err'), 'Expected body to contain err, but it was a body of 14 characters.'],
    [
      assertion('dns_record', 'equals', '192.0.2.9'),
      'Expected dns_record to equal 192.0.2.9, but it was 192.0.2.1, MAIL.example.com..',
    ],
  ])('shows the expected and the actual value: %j', (one, sentence) => {
    const failed = firstFailure([one], facts);
    expect(failed && failureSentence(failed)).toBe(sentence);
  });

  it('hides the expected and actual values of headers that carry credentials', () => {
    const secret = 'a-secret-session';
    const failed = firstFailure([assertion('header', 'equals', `other-${secret}`, 'X-Auth-Token')], {
      ...facts,
      headers: { 'x-auth-token': secret },
    });
    expect(JSON.stringify(failed)).not.toContain(secret);
    expect(failed?.seen).toBe('another value (hidden)');
  });

  it.each([
    [assertion('json', 'equals', 'x', '$.status'), '127.0.0.1'],
    [assertion('json', 'equals', 'x', '$.list'), '::ffff:10.0.0.1'],
    [assertion('header', 'equals', 'x', 'Content-Type'), '192.168.1.1'],
    [assertion('body', 'contains', 'x', undefined), 'fd00::1'],
    [assertion('json', 'equals', 'x', '$.status'), '100.64.0.1'],
  ])('quotes nothing from an address that is not public: %j %s', (one, address) => {
    expect(firstFailure([one], { ...facts, body: json, address })?.seen).toBe('another value');
    const failed = firstFailure([one], { ...facts, body: json, address: '93.184.215.14' });
    expect(failed?.seen).not.toBe('another value');
  });

  it('shows at most a hundred characters of a value, on one line', () => {
    const failed = firstFailure([assertion('banner', 'equals', 'x\n'.repeat(500))], {
      ...facts,
      banner: 'line\r\n\u001b[31m'.repeat(1000),
    });
    expect(failed?.seen).toHaveLength(100);
    expect(failed && failureSentence(failed)).toMatch(/^[^\p{Cc}]{1,300}$/u);
  });
});

const warning = (one: Assertion): Assertion => ({ ...one, severity: 'warning' });

describe('assertions of both severities', () => {
  const wrong = assertion('status_code', 'equals', '200');
  const right = assertion('status_code', 'equals', '204');

  it.each<[string, Assertion[], { index: number; severity: string } | null]>([
    ['all hold', [right, warning(right)], null],
    ['a warning fails', [right, warning(wrong)], { index: 1, severity: 'warning' }],
    ['two warnings fail', [warning(wrong), right, warning(wrong)], { index: 0, severity: 'warning' }],
    ['a critical one fails', [wrong, warning(right)], { index: 0, severity: 'critical' }],
    ['both fail', [wrong, warning(wrong)], { index: 0, severity: 'critical' }],
    ['both fail, the warning first', [warning(wrong), right, wrong], { index: 2, severity: 'critical' }],
    ['the critical one is marked as such', [{ ...wrong, severity: 'critical' }], { index: 0, severity: 'critical' }],
  ])('report critical failures first, then the first warning: %s', async (_, list, expected) => {
    const told = (failed: { index: number; severity: string } | null | undefined) =>
      failed && { index: failed.index, severity: failed.severity };
    expect(told(firstFailure(list, facts))).toEqual(expected);
    expect(told(await firstFailureInPieces(list, facts, async () => {}))).toEqual(expected);
  });

  it('share one budget, and warnings in any position take no work from critical assertions', async () => {
    const text = `[${'{},'.repeat(60_000)}0]`;
    const hard = assertion('json', 'exists', 'false', '$[?@.a == 1]');
    const hardWarnings = Array.from({ length: 19 }, () => warning(hard));
    const failed = await inPieces([...hardWarnings, hard], text);
    expect(failed).toMatchObject({ severity: 'warning', seen: expect.stringContaining('too complex') as string });
    expect(failed?.index).toBeGreaterThan(0);
    const lost = await inPieces([...hardWarnings, assertion('json', 'exists', 'true', '$[?@.a == 1]')], text);
    expect(lost).toMatchObject({ index: 19, severity: 'critical', seen: 'absent' });
  });

  it.each([
    warning(assertion('body', 'contains', 'x')),
    warning(assertion('body', 'not_contains', 'x')),
    warning(assertion('body', 'exists', 'false')),
    warning(assertion('json', 'exists', 'false', '$.a')),
  ])('do not hold for a body that cannot be read, and the reason is reported: %j', (one) => {
    const body = { text: '', complete: false, problem: 'a body that is damaged' };
    expect(firstFailure([one], { ...facts, body })).toMatchObject({
      severity: 'warning',
      seen: 'a body that is damaged',
    });
  });
});

describe('numbers in JSON are compared as they are written, then as numbers', () => {
  const text =
    '{"id":12345678901234567890,"version":1.10,"list":[12345678901234567890,2],"deep":{"id":12345678901234567890,"v":1.10}}';
  const numbers: AssertionFacts = { ...facts, body: { text, complete: true } };

  it.each<[string, AssertionComparison, string, boolean]>([
    ['$.id', 'equals', '12345678901234567890', true],
    ['$.id', 'not_equals', '12345678901234567890', false],
    ['$.id', 'equals', '12345678901234567000', false],
    ['$.id', 'equals', '12345678901234567891', false],
    ['$.id', 'equals', '12345678901234567890.0', true],
    ['$.version', 'equals', '1.10', true],
    ['$.version', 'equals', '1.1', true],
    ['$.version', 'equals', '1.100', true],
    ['$.version', 'equals', '1.11', false],
    ['$.version', 'contains', '.10', true],
    ['$.id', 'contains', '67890', true],
    ['$.id', 'in', '1, 12345678901234567890', true],
    ['$.id', 'in', '1, 12345678901234567891', false],
    ['$.version', 'in', '1.0, 1.1', true],
    ['$.id', 'less_than', '12345678901234567891', true],
    ['$.id', 'greater_than', '12345678901234567889', true],
    ['$.id', 'greater_than', '12345678901234567890', false],
    ['$.list', 'contains', '12345678901234567890', true],
    ['$.list', 'contains', '12345678901234567891', false],
    ['$.list', 'contains', '2.0', true],
    ['$.list', 'equals', '[12345678901234567890,2]', true],
    ['$.list', 'equals', '[12345678901234567000,2]', false],
    ['$.deep', 'equals', '{"id":12345678901234567890,"v":1.10}', true],
    ['$.deep', 'contains', '"v":1.10', true],
    ['$.version', 'equals', 'one', false],
  ])('%s %s %s: %s', (path, comparison, target, isTrue) => {
    expect(holds(assertion('json', comparison, target, path), numbers)).toBe(isTrue);
  });

  it('are also compared as JavaScript writes them inside a list or an object', () => {
    const short: AssertionFacts = { ...facts, body: { text: '{"deep":{"v":1.10}}', complete: true } };
    expect(holds(assertion('json', 'equals', '{"v":1.1}', '$.deep'), short)).toBe(true);
  });

  it('are compared quickly, however many and long they are', async () => {
    const many = `[${'12345678901234567890.5,'.repeat(40_000)}0]`;
    const startedAt = performance.now();
    const list = Array.from({ length: 100 }, (_, i) => `1234567890123456789${i}`)
      .join(',')
      .slice(0, 1024);
    await inPieces([assertion('json', 'in', list, '$[*]')], many);
    await inPieces([assertion('json', 'equals', '1'.repeat(1024), '$')], '9'.repeat(1_000_000));
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe('a DNS record is compared as it was sent', () => {
  const key = `v=DKIM1; p=${'A'.repeat(244)}${'B'.repeat(145)}ENDOFKEY==`;
  const record = (type: string, value: string) => ({ type, value });
  const of = (...records: { type: string; value: string }[]): AssertionFacts => ({ ...facts, records });
  const listed = [record('TXT', 'a=1, b=2'), record('TXT', 'c')];

  it.each<[AssertionFacts, AssertionComparison, string, boolean]>([
    [of(record('TXT', key)), 'contains', 'ENDOFKEY==', true],
    [of(record('TXT', key)), 'equals', key, true],
    [of(record('TXT', key)), 'not_contains', 'ENDOFKEY==', false],
    [of(record('TXT', key)), 'equals', key.slice(0, 255), false],
    [of(record('TXT', key)), 'contains', 'endofkey==', false],
    [of(record('TXT', 'Token.')), 'equals', 'Token', false],
    [of(record('TXT', 'Token.')), 'equals', 'token.', false],
    [of(record('TXT', 'tab\tand\u0001')), 'equals', 'tab\tand\u0001', true],
    [of(...listed), 'equals', 'a=1, b=2, c', true],
    [of(...listed), 'equals', 'c,a=1, b=2', true],
    [of(...listed), 'equals', 'a=1, c', false],
    [of(...listed), 'equals', 'a=1, b=2', false],
    [of(...listed), 'in', 'x, a=1, b=2, c', true],
    [of(...listed), 'in', 'a=1, c', false],
    [of(...listed), 'not_equals', 'a=1, b=2, c', false],
    [of(record('TXT', 'a,a'), record('TXT', 'a')), 'equals', 'a,a,a', true],
    [of(record('TXT', '')), 'equals', '', true],
    [of(record('TXT', '')), 'exists', 'true', false],
    [of(record('MX', '10 Mail.Example.com')), 'equals', '10 mail.example.com.', true],
    [of(record('CNAME', 'cdn.example.net')), 'equals', 'CDN.example.net.', true],
    [of(record('SOA', 'ns.example root.example 1 2 3 4 5')), 'equals', 'NS.example. root.example. 1 2 3 4 5', true],
    [of(record('AAAA', '2001:db8::1')), 'equals', '2001:0DB8:0::1', true],
    [of(record('AAAA', '2001:db8::1'), record('A', '192.0.2.1')), 'equals', '192.0.2.1, 2001:DB8:0:0::1', true],
    [of(record('A', '192.0.2.1')), 'in', '192.0.2.1,192.0.2.2', true],
    [of(record('A', '192.0.2.1')), 'contains', '192.0.2', true],
    [of(record('CAA', '0 issue "LetsEncrypt.org"')), 'equals', '0 ISSUE "letsencrypt.org"', true],
    [of(record('CAA', '0 iodef "mailto:Ops@example.com"')), 'contains', 'ops@', false],
    [of(), 'equals', '', false],
  ])('%#: %j %s %j: %s', (known, comparison, target, isTrue) => {
    expect(holds(assertion('dns_record', comparison, target), known)).toBe(isTrue);
  });
});

describe('a header is compared as it was sent', () => {
  const of = (value: string): AssertionFacts => ({ ...facts, headers: { 'x-name': value } });

  it.each<[string, AssertionComparison, string, boolean]>([
    [Buffer.from('Grüße').toString('latin1'), 'equals', 'Grüße', true],
    ['Gr\xfc\xdfe', 'equals', 'Grüße', true],
    ['no-cache, private', 'in', 'public, no-cache, private', true],
    ['no-cache, private', 'in', 'no-cache', false],
    ['a\x01b', 'equals', 'a\x01b', true],
  ])('%j %s %j: %s', (value, comparison, target, isTrue) => {
    expect(holds(assertion('header', comparison, target, 'X-Name'), of(value))).toBe(isTrue);
  });
});
