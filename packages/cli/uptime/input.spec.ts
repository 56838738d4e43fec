import { fieldLines, refusalText } from './error-text';
import { joined } from './input';

describe('several files as one', () => {
  const input = joined(
    [
      { name: 'a.yaml', text: 'a: 1\nb: 2' },
      { name: 'b.yaml', text: 'c: 3\n' },
      { name: 'c.yaml', text: 'd: 4\n' },
    ],
    '---',
  );

  it('are separated by a line of their own', () => {
    expect(input.text).toBe('a: 1\nb: 2\n---\nc: 3\n---\nd: 4\n');
    expect(input.name).toBe('a.yaml, b.yaml, c.yaml');
  });

  it.each([
    [1, 'a.yaml', 1],
    [2, 'a.yaml', 2],
    [4, 'b.yaml', 1],
    [6, 'c.yaml', 1],
  ])('line %i is that of %s', (line, file, own) => {
    expect(input.locate(line)).toEqual({ file, line: own });
  });
});

describe('a refusal in words', () => {
  const locate = (line: number) => ({ file: 'm.yaml', line });

  it('has a line for each field, with file, line and pointer as far as they are known', () => {
    const errors = [
      { pointer: '/websites/0/url', line: 4, code: 'immutable', message: 'url cannot be changed' },
      { pointer: '', line: 9, code: 'invalid_format', message: 'a tab may not indent' },
      { pointer: '?from', message: 'from must be known' },
      {
        pointer: '/contacts/0/config/url',
        line: 2,
        code: 'missing_secret',
        message: 'no value: send one as secrets: {CHAT: …}',
      },
      {},
    ];
    expect(fieldLines({ errors }, { name: 'm.yaml', locate })).toEqual([
      'm.yaml:4: /websites/0/url: url cannot be changed',
      'm.yaml:9: a tab may not indent',
      'm.yaml: ?from: from must be known',
      'm.yaml:2: /contacts/0/config/url: no value: send one as secrets: {CHAT: …} (or set UPTIME_SECRET_CHAT)',
      'm.yaml: is not valid',
    ]);
  });

  it.each([
    [401, {}, undefined, /^The API key was not accepted \(401\)/],
    [
      403,
      { detail: 'This needs an API key with the role "write".' },
      undefined,
      /not allowed to do this \(403\)\. This needs .* "write"\.$/,
    ],
    [429, {}, 12, /^Too many requests \(429\)\. Try again in 12 s\.$/],
    [
      503,
      { title: 'Overloaded', code: 'temporarily_unavailable' },
      1,
      /^Overloaded\. \(503 temporarily_unavailable\) Try again in 1 s\.$/,
    ],
    [500, { title: 'Wrong', code: 'internal_error', request_id: 'r1' }, undefined, /Request r1\.$/],
    [502, {}, undefined, /^The request was refused\. \(502\)$/],
  ])('%i', (status, body, retryAfter, expected) => {
    expect(refusalText({ ...body, status, retryAfter })).toMatch(expected);
  });
});
