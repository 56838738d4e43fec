import { firstFailure } from '../../../../src/checker/assertion/assertion-evaluator';
import { assertionsOf, type CheckType } from './assertions';
import { jsonPathOf, readCondition, readNumber } from './condition';
import { globTest, readGlob } from './glob';

const texts = (condition: string, type: CheckType = 'HTTPS', recordType = 'A'): string[] =>
  assertionsOf([condition], type, recordType)
    .assertions.map(({ source, property, comparison, target, severity }) =>
      [source, property, comparison, JSON.stringify(target), severity].filter((part) => part !== undefined).join(' '),
    )
    .filter((text) => text !== 'status_code in "100-599"');

const differences = (condition: string, type: CheckType = 'HTTPS', recordType = 'A'): string[] =>
  assertionsOf([condition], type, recordType).differences;

describe('a Gatus condition', () => {
  it.each<[string, string[]]>([
    ['[STATUS] == 200', ['status_code equals "200"']],
    ['200 == [STATUS]', ['status_code equals "200"']],
    ['[status] != 500', ['status_code not_equals "500"']],
    ['[STATUS] < 300', ['status_code less_than "300"']],
    ['[STATUS] <= 299', ['status_code less_than "300"']],
    ['[STATUS] > 199', ['status_code greater_than "199"']],
    ['400 > [STATUS]', ['status_code less_than "400"']],
    ['[STATUS] >= 200', ['status_code greater_than "199"']],
    ['[STATUS] == any(200, 201,429)', ['status_code in "200-201,429"']],
    ['[STATUS] != any(404, 500)', ['status_code in "100-403,405-499,501-599"']],
    ['[STATUS] == pat(2*)', ['status_code in "200-299"']],
    ['[STATUS] == pat(20[0-4])', ['status_code in "200-204"']],
    ['[STATUS] == pat(?04)', ['status_code in "104,204,304,404,504"']],
    ['[RESPONSE_TIME] < 500', ['response_time less_than "500"']],
    ['[RESPONSE_TIME] <= 1.5s', ['response_time less_than "1501"']],
    ['[CERTIFICATE_EXPIRATION] > 48h', ['certificate_days greater_than "2" warning']],
    ['[CERTIFICATE_EXPIRATION] >= 36h', ['certificate_days greater_than "1.5" warning']],
    ['[BODY] == pong', ['body equals "pong"']],
    ['[BODY] != ', ['body not_equals ""']],
    ['[BODY] == pat(*<h1>Hi</h1>*)', ['body contains "<h1>Hi</h1>"']],
    ['[BODY] != pat(*error*)', ['body not_contains "error"']],
    ['[BODY] == pat(*)', []],
    ['[BODY] == pat(a*b?c)', ['body contains "a"', 'body contains "b"', 'body contains "c"']],
    ['[BODY].status == UP', ['json $.status equals "UP"']],
    ['[BODY].data[0].id != 5', ['json $.data[0].id not_equals "5"']],
    ['[BODY][1].my-key.x y == 1', [`json $[1]['my-key']['x y'] equals "1"`]],
    ['[BODY].status == any(UP, OK)', ['json $.status in "UP,OK"']],
    ['[BODY].status != any(DOWN, BAD)', ['json $.status not_equals "DOWN"', 'json $.status not_equals "BAD"']],
    ['[BODY].user == pat(*john*)', ['json $.user contains "john"']],
    ['[BODY].n < 5', ['json $.n less_than "5"']],
    ['[BODY].n <= 5', ['json $.n less_than "6"']],
    ['[BODY].n > -1', ['json $.n greater_than "-1"']],
    ['[BODY].n >= 5', ['json $.n greater_than "4.999999999"']],
    ['[BODY].age > 5m', ['json $.age greater_than "300000"']],
    ['has([BODY].errors) == false', ['json $.errors exists "false"']],
    ['has([BODY].errors) != false', ['json $.errors exists "true"']],
    ['has([BODY]) == true', ['body exists "true"']],
    ['len([BODY].text) > 0', ['json $.text exists "true"', 'json $.text not_equals "[]"']],
    ['len([BODY].list) == 0', ['json $.list in "[],"']],
    ['len([BODY].list) == 2', ['json $.list[1] exists "true"', 'json $.list[2] exists "false"']],
    ['len([BODY].list) < 5', ['json $.list[4] exists "false"']],
    ['len([BODY].list) >= 3', ['json $.list[2] exists "true"']],
    ['[CONNECTED] == true', []],
  ])('becomes assertions: %s', (condition, expected) => {
    expect(texts(condition)).toEqual(expected);
  });

  it.each([
    '[IP] == 192.0.2.1',
    '[DOMAIN_EXPIRATION] > 720h',
    '[DNS_RCODE] == NOERROR',
    '[BODY] == any(a, b)',
    '[BODY] != pat(*a*b*)',
    '[BODY] > 5',
    '[BODY].a..b == 1',
    '[BODY].a[x] == 1',
    '[BODY] == pat([)',
    '[BODY].list == [1 2]',
    '[STATUS] == abc',
    '[STATUS] ~ 200',
    '[CERTIFICATE_EXPIRATION] < 48h',
    '[RESPONSE_TIME] == 5',
    '[CONTEXT].id == 5',
    '200 == 200',
    'len([STATUS]) == 3',
    'len([BODY].x) != 3',
    `[BODY].x == ${'y'.repeat(2000)}`,
  ])('is left out and reported if no assertion can express it: %s', (condition) => {
    expect(texts(condition)).toEqual([]);
    expect(differences(condition)).toEqual([expect.stringMatching(/^the condition .* is left out: ./)]);
  });

  it.each([
    ['[BODY].n == 1234567', true],
    ['[BODY].n != 1.10', true],
    ['[BODY].n == any(5, 1000000)', true],
    ['[BODY].n == 5', false],
    ['[BODY].n == 1.5', false],
    ['[BODY].version == 1.2.3', false],
    ['[BODY].n > 1234567', false],
    ['[BODY].s == pat(*1234567*)', false],
  ])('is reported if it compares numbers as Go strings: %s, %s', (condition, isNamed) => {
    expect(differences(condition)).toEqual(isNamed ? [expect.stringContaining('compares numbers. ')] : []);
  });

  it.each<[string, CheckType, string[]]>([
    ['[BODY] == 192.0.2.1', 'DNS', ['dns_record equals "192.0.2.1"']],
    ['[BODY] == any(192.0.2.1, 192.0.2.2)', 'DNS', ['dns_record in "192.0.2.1,192.0.2.2"']],
    ['[BODY] == pat(*.*.*.*)', 'DNS', []],
    ['[BODY] == pat(192.0.2.*)', 'DNS', ['dns_record contains "192.0.2."']],
    ['[DNS_RCODE] == NOERROR', 'DNS', []],
    ['[DNS_RCODE] == NXDOMAIN', 'DNS', ['dns_record exists "false"']],
    ['[RESPONSE_TIME] < 100', 'ICMP', ['response_time less_than "100"']],
    ['[CONNECTED] == true', 'TCP', []],
    ['[STATUS] == 0', 'SSH', []],
    ['[CERTIFICATE_EXPIRATION] > 48h', 'TCP', ['certificate_days greater_than "2" warning']],
  ])('uses the assertion sources of its type: %s of %s', (condition, type, expected) => {
    expect(texts(condition, type)).toEqual(expected);
  });

  it.each<[string, CheckType]>([
    ['[STATUS] == 200', 'TCP'],
    ['[BODY] == pong', 'TCP'],
    ['[CERTIFICATE_EXPIRATION] > 48h', 'ICMP'],
    ['[BODY].x == 1', 'DNS'],
  ])('is left out if its type cannot evaluate it: %s of %s', (condition, type) => {
    expect(texts(condition, type)).toEqual([]);
    expect(differences(condition, type)).toHaveLength(1);
  });

  it('checks all records if a name has several', () => {
    expect(texts('[BODY] == ns1.example.com.', 'DNS', 'NS')).toEqual(['dns_record contains "ns1.example.com."']);
  });

  it.each<[string, CheckType]>([
    ['[CONNECTED] == false', 'TCP'],
    ['[CONNECTED] != true', 'ICMP'],
    ['[STATUS] == 0', 'HTTPS'],
    ['[DNS_RCODE] == SERVFAIL', 'DNS'],
  ])('prevents the conversion of its endpoint if it expects a failure: %s of %s', (condition, type) => {
    expect(assertionsOf([condition], type, 'A').contrary).toBe(condition);
  });

  it('accepts any status if no condition checks it, as Gatus does', () => {
    const any = { source: 'status_code', comparison: 'in', target: '100-599' };
    expect(assertionsOf(['[CONNECTED] == true'], 'HTTP', '').assertions).toEqual([any]);
    expect(assertionsOf(['[STATUS] == 200'], 'HTTP', '').assertions).not.toContainEqual(any);
    expect(assertionsOf([], 'TCP', '').assertions).toEqual([]);
  });

  it('is one of at most 20', () => {
    const many = Array.from({ length: 30 }, (_, i) => `[BODY].a${i} == 1`);
    const { assertions, differences: words } = assertionsOf(many, 'HTTPS', '');
    expect(assertions).toHaveLength(20);
    expect(words).toEqual(['only the first 20 of 31 assertions are kept']);
  });
});

describe('a converted condition', () => {
  const json = (value: unknown) => JSON.stringify(value);

  it.each<[condition: string, up: string[], down: string[]]>([
    ['[BODY].a.b[0] == x', [json({ a: { b: ['x'] } })], [json({ a: { b: ['y'] } }), json({}), 'no JSON']],
    ['[BODY][1].id == 7', [json([{}, { id: 7 }])], [json([{ id: 7 }])]],
    ['[BODY].on == true', [json({ on: true })], [json({ on: false })]],
    ['[BODY].s == any(UP, OK)', [json({ s: 'OK' })], [json({ s: 'OFF' }), json({})]],
    ['[BODY].s != any(UP, OK)', [json({ s: 'OFF' })], [json({ s: 'OK' })]],
    ['[BODY].n >= 5', [json({ n: 5 }), json({ n: 12 })], [json({ n: 4.9 }), json({ n: 0 })]],
    ['[BODY].n <= 5', [json({ n: 5 }), json({ n: -1 })], [json({ n: 6 })]],
    ['5 < [BODY].n', [json({ n: 6 })], [json({ n: 5 })]],
    ['len([BODY].x) > 0', [json({ x: 'a' }), json({ x: [0] })], [json({ x: '' }), json({ x: [] }), json({})]],
    ['len([BODY].x) == 0', [json({ x: '' }), json({ x: [] })], [json({ x: 'a' }), json({ x: [0] })]],
    ['len([BODY].x) == 2', [json({ x: [1, 2] })], [json({ x: [1] }), json({ x: [1, 2, 3] })]],
    ['len([BODY].x) <= 2', [json({ x: [1, 2] }), json({ x: [] })], [json({ x: [1, 2, 3] })]],
    ['len([BODY]) > 0', ['x', json([1])], ['', '[]']],
    ['has([BODY].x) == true', [json({ x: 1 })], [json({})]],
    ['has([BODY].x) == false', [json({})], [json({ x: 1 })]],
    ['[BODY] == pat(*ok*)', ['it is ok.'], ['it is not']],
    ['[BODY].s == pat(*ok*)', [json({ s: 'ok!' })], [json({ s: 'no' })]],
  ])('is up and down in the same cases as in Gatus: %s', (condition, up, down) => {
    const { assertions } = assertionsOf([condition], 'HTTPS', '');
    const isUp = (text: string) =>
      firstFailure(assertions, { statusCode: 200, durationMs: 1, body: { text, complete: true } }) === null;
    expect(up.filter((text) => !isUp(text))).toEqual([]);
    expect(down.filter(isUp)).toEqual([]);
  });
});

describe('the parts of a condition', () => {
  it.each<[string, number | null]>([
    ['500', 500],
    ['48h', 172_800_000],
    ['1m30s', 90_000],
    ['1.9', 1],
    ['-3', -3],
    ['x', null],
    ['', null],
    ['99999999999999999', null],
  ])('can be numbers and durations: %s', (text, expected) => {
    expect(readNumber(text)).toBe(expected);
  });

  it.each<[string, string | null]>([
    ['', '$'],
    ['a.b', '$.a.b'],
    ['[0].a', '$[0].a'],
    ['a[0][1].b', '$.a[0][1].b'],
    ["it's", String.raw`$['it\'s']`],
    ['a.', null],
    ['a[-1]', null],
  ])('can be paths: %s', (path, expected) => {
    expect(jsonPathOf(path)).toBe(expected);
  });

  it('can be on either side', () => {
    expect(readCondition('5 <= [BODY].n')).toMatchObject({ operator: '>=', value: '5' });
  });

  it.each<[string, string, boolean]>([
    ['2*', '204', true],
    ['[^2]??', '204', false],
    ['[^2]??', '404', true],
    [String.raw`\*`, '*', true],
    ['***', '200', true],
    ['2.4', '204', false],
  ])('can be patterns: %s of %s', (pattern, text, expected) => {
    expect(globTest(pattern)?.(text)).toBe(expected);
  });

  it('are valid patterns or no patterns at all', () => {
    expect(readGlob('[a')).toBeNull();
    expect(readGlob('*a[bc]d*')).toEqual({ literals: ['a', 'd'], isExact: false, isPlain: false });
  });
});
