import { deflateSync, brotliCompressSync, gzipSync } from 'node:zlib';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { BodyBudget } from '../../../src/platform/net/http/body-budget';
import { always, rawResponse, type HttpScript, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const checker = new HttpChecker(new HttpCheck(dialerWith()));
const targets: HttpTarget[] = [];

const serve = async (script: HttpScript, host?: string): Promise<HttpTarget> => {
  const target = await HttpTarget.listen(script, host === undefined ? {} : { host });
  targets.push(target);
  return target;
};
const redirectTo =
  (location: string, status = 302): HttpScript =>
  (request, socket) =>
    socket.end(request.path === '/' ? rawResponse(status, '', { Location: location }) : rawResponse(200));

const withEncoding = (encoding: string, body: Buffer): HttpScript =>
  always(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`),
      body,
    ]),
  );

afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()));
});

describe('An HTTP check', () => {
  it('sends the given method, headers, and body in order, and adds its default headers', async () => {
    const target = await serve(always(rawResponse(200)));
    const headers = [
      { key: 'X-Two', value: 'b' },
      { key: 'x-one', value: 'ä' },
      { key: 'X-Two', value: 'c' },
    ];
    await runCheck(checker, target.url('/a%20b?c=d'), { method: 'POST', headers, body: '{"ä":1}' });
    expect(target.seen).toEqual([
      {
        method: 'POST',
        path: '/a%20b?c=d',
        headers: [
          ['Host', target.tcp.authority],
          ['User-Agent', expect.stringMatching(/^uptime-monitor\//) as string],
          ['Accept', '*/*'],
          ['Accept-Encoding', 'identity'],
          ['X-Two', 'b'],
          ['x-one', 'ä'],
          ['X-Two', 'c'],
          ['Content-Length', '8'],
          ['Connection', 'close'],
        ],
        body: Buffer.from('{"ä":1}').toString('latin1'),
      },
    ]);
  });

  it('sends the user agent and the encodings that the user prefers', async () => {
    const target = await serve(always(rawResponse(200)));
    const headers = [
      { key: 'user-agent', value: 'me/1' },
      { key: 'Accept-Encoding', value: 'gzip' },
    ];
    await runCheck(checker, target.url(), { headers });
    expect(sent(target.seen[0], 'User-Agent')).toBe('me/1');
    expect(sent(target.seen[0], 'Accept-Encoding')).toBe('gzip');
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sends the method %s', async (method) => {
    const target = await serve(always(rawResponse(204)));
    expect(await runCheck(checker, target.url(), { method })).toMatchObject({ outcome: 'up', statusCode: 204 });
    expect(target.seen[0]?.method).toBe(method);
  });

  it('opens a fresh connection for every check', async () => {
    const target = await serve(always(rawResponse(200)));
    await runCheck(checker, target.url());
    await runCheck(checker, target.url());
    expect(target.tcp.accepted).toBe(2);
  });

  itOverIpv6(`sends requests over IPv6 as well${whyNotOverIpv6}`, async () => {
    const target = await serve(always(rawResponse(200)), '::1');
    expect(await runCheck(checker, target.url())).toMatchObject({ outcome: 'up', address: '::1' });
    expect(sent(target.seen[0], 'Host')).toBe(`[::1]:${target.tcp.port}`);
  });
});

describe('A redirect', () => {
  it('follows up to five redirects, and lists every step without its query', async () => {
    const target = await serve((request, socket) => {
      const step = Number(request.path.slice(1).split('?')[0] ?? 0);
      socket.end(step === 5 ? rawResponse(200) : rawResponse(302, '', { Location: `/${step + 1}?secret=1` }));
    });
    const result = await runCheck(checker, target.url('/0'));
    expect(result.redirects).toEqual([1, 2, 3, 4, 5].map((step) => target.url(`/${step}`)));
    expect(result).toMatchObject({ outcome: 'up', statusCode: 200 });
  });

  it('counts all redirects in the duration', async () => {
    const target = await serve(redirectTo('/landing'));
    const result = await runCheck(checker, target.url());
    const direct = await runCheck(checker, target.url('/landing'));
    expect(result.redirects).toHaveLength(1);
    expect(target.seen).toHaveLength(3);
    expect(direct.redirects).toEqual([]);
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'PUT', 'GET', ''],
    [303, 'DELETE', 'GET', ''],
    [307, 'POST', 'POST', 'body'],
    [308, 'PUT', 'PUT', 'body'],
    [302, 'HEAD', 'HEAD', ''],
  ])('follows a redirect with status %d to a %s request by a %s request', async (status, method, next, body) => {
    const target = await serve(redirectTo('/landing', status));
    const headers = [{ key: 'Content-Type', value: 'text/plain' }];
    await runCheck(checker, target.url(), { method, headers, body: method === 'HEAD' ? null : 'body' });
    const last = target.seen[1];
    expect({ method: last?.method, body: last?.body }).toEqual({ method: next, body });
    expect(sent(last, 'content-type') !== undefined).toBe(body !== '' || method === 'HEAD');
  });

  it('keeps the credentials on a redirect within the origin', async () => {
    const target = await serve(redirectTo('/landing'));
    await runCheck(checker, target.url(), { headers: [{ key: 'Authorization', value: 'Bearer s3cret' }] });
    expect(sent(target.seen[1], 'authorization')).toBe('Bearer s3cret');
  });

  it('drops everything that may be a credential on a redirect to another origin', async () => {
    const other = await serve(always(rawResponse(200)));
    const target = await serve(redirectTo(other.url('/landing')));
    const headers = ['Authorization', 'Cookie', 'X-API-Key', 'X-Custom', 'Accept-Language'].map((key) => ({
      key,
      value: 'v',
    }));
    await runCheck(checker, target.url(), { headers });
    const names = other.seen[0]?.headers.map(([name]) => name);
    expect(names).toEqual(['Host', 'User-Agent', 'Accept', 'Accept-Encoding', 'Accept-Language', 'Connection']);
  });

  it('sends a cookie that the target has set to the same host alone', async () => {
    const target: HttpTarget = await serve((request, socket) => {
      const next = { '/': '/second', '/second': target.url('/third', 'localhost') }[request.path];
      const cookies = { 'Set-Cookie': `from${request.path.slice(1)}=1; Path=/` };
      socket.end(next === undefined ? rawResponse(200) : rawResponse(302, '', { ...cookies, Location: next }));
    });
    const result = await runCheck(checker, target.url(), { headers: [{ key: 'Accept', value: '*/*' }] });
    expect(result).toMatchObject({ outcome: 'up' });
    expect(target.seen.map((request) => [request.path, sent(request, 'cookie')])).toEqual([
      ['/', undefined],
      ['/second', 'from=1'],
      ['/third', undefined],
    ]);
  });

  it('forgets the cookies of a check with its end', async () => {
    const target = await serve(always(rawResponse(200, '', { 'Set-Cookie': 'a=1' })));
    await runCheck(checker, target.url(), { headers: [] });
    await runCheck(checker, target.url(), { headers: [] });
    expect(target.seen.map((request) => sent(request, 'cookie'))).toEqual([undefined, undefined]);
  });

  it('never uses the credentials in the URL of a redirect', async () => {
    const target = await serve((request, socket) =>
      socket.end(
        request.path === '/'
          ? rawResponse(302, '', { Location: `http://user:pass@${target.tcp.authority}/landing` })
          : rawResponse(200),
      ),
    );
    const result = await runCheck(checker, target.url(), { headers: [] });
    expect(result.redirects).toEqual([target.url('/landing')]);
    expect(sent(target.seen[1], 'authorization')).toBeUndefined();
  });

  it('judges a redirect like any other response when it is not followed', async () => {
    const target = await serve(redirectTo('/landing'));
    const result = await runCheck(checker, target.url(), {
      followRedirects: false,
      assertions: [
        { source: 'status_code', comparison: 'equals', target: '302' },
        { source: 'header', property: 'Location', comparison: 'equals', target: '/landing' },
      ],
    });
    expect(result).toMatchObject({ outcome: 'up', statusCode: 302, redirects: [] });
  });
});

describe('A redirect of a hostile target', () => {
  it('is shown with at most 500 characters', async () => {
    const target = await serve((request, socket) => {
      const hop = Number(/^\/(\d)/.exec(request.path)?.[1] ?? 0);
      const location = Buffer.concat([Buffer.from(`/${hop + 1}`), Buffer.alloc(8_000, 0xe4)]);
      const head = `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: `;
      socket.end(hop === 5 ? rawResponse(200) : Buffer.concat([Buffer.from(head), location, Buffer.from('\r\n\r\n')]));
    });
    const { outcome, redirects } = await runCheck(checker, target.url());
    expect(outcome).toBe('up');
    expect(redirects).toHaveLength(5);
    for (const url of redirects) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\d(%E4)+.{0,2}…$/);
    for (const { length } of redirects) expect(length).toBe(500);
  });

  it('is refused when its Location is longer than 8 KiB', async () => {
    const target = await serve(redirectTo(`/${'a'.repeat(8 * 1024)}`));
    const result = await runCheck(checker, target.url());
    expect(result).toMatchObject({ outcome: 'down', redirects: [], error: { code: 'protocol_error' } });
    expect(result.error?.message).toContain('longer than 8 KiB');
  });
});

describe('The body of a response', () => {
  const wanted = [{ source: 'body' as const, comparison: 'contains' as const, target: 'needle' }];
  it.each([
    ['gzip', gzipSync('a needle')],
    ['deflate', deflateSync('a needle')],
    ['br', brotliCompressSync('a needle')],
    ['identity', Buffer.from('a needle')],
  ])('decodes a %s-encoded body', async (encoding, body) => {
    const target = await serve(withEncoding(encoding, body));
    expect(await runCheck(checker, target.url(), { assertions: wanted })).toMatchObject({ outcome: 'up' });
  });

  it('reads a body in the character set it declares', async () => {
    const body = Buffer.from('Übersicht', 'latin1');
    const target = await serve(
      always(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=ISO-8859-1\r\n\r\n'), body]),
      ),
    );
    const assertions = [{ source: 'body' as const, comparison: 'equals' as const, target: 'Übersicht' }];
    expect(await runCheck(checker, target.url(), { assertions })).toMatchObject({ outcome: 'up' });
  });

  it('reads the first MiB of a body and no more', async () => {
    const filler = 'x'.repeat(1024 * 1024);
    const early = await serve(always(rawResponse(200, `needle${filler}`)));
    const late = await serve(always(rawResponse(200, `${filler}needle`)));
    expect(await runCheck(checker, early.url(), { assertions: wanted })).toMatchObject({ outcome: 'up' });
    expect(await runCheck(checker, late.url(), { assertions: wanted })).toMatchObject({ outcome: 'down' });
  });

  it('is judged as unknown when there is no memory for a body, and others still have theirs', async () => {
    const bodies = new BodyBudget(1024 * 1024, 512 * 1024);
    const small = new HttpChecker(new HttpCheck(dialerWith(), bodies));
    const held = await serve((_request, socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(200_000)}`));
    const large = await serve(always(rawResponse(200, 'x'.repeat(300_000))));
    const little = await serve(always(rawResponse(200, 'a needle')));
    const egressOf = (organization: string) => ({ ...openEgress, organization });
    const shutdown = new AbortController();
    const holding = runCheck(small, held.url(), {
      assertions: wanted,
      egress: egressOf('a'),
      shutdown: shutdown.signal,
    });
    await eventually('the body to be held', () => bodies.used > 200_000);
    const greedy = await runCheck(small, large.url(), { assertions: wanted, egress: egressOf('a') });
    expect(greedy).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
    expect(greedy.error?.message).toContain('no memory for the body');
    const other = await runCheck(small, little.url(), { assertions: wanted, egress: egressOf('b') });
    expect(other).toMatchObject({ outcome: 'up' });
    expect(await runCheck(small, large.url(), { assertions: [], egress: egressOf('a') })).toMatchObject({
      outcome: 'up',
    });
    shutdown.abort(new Error('the test is over'));
    await holding;
    expect(bodies.used).toBe(0);
  });

  it('repeats nothing of a body in a result except the part in an assertion', async () => {
    const target = await serve(always(rawResponse(200, 'internal: '.repeat(100))));
    const { error } = await runCheck(checker, target.url(), { assertions: wanted });
    expect(error?.message).toBe('Expected body to contain needle, but it was another value.');
  });
});

describe('A credential that the target echoes', () => {
  const secret = 'tok-4f9a1c77';
  const headers = [{ key: 'Authorization', value: `Bearer ${secret}` }];
  const echo: HttpScript = (request, socket) => {
    const token = (sent(request, 'authorization') ?? '').replace('Bearer ', '');
    if (request.path === '/') socket.end(rawResponse(302, '', { Location: `/${token}` }));
    else socket.end(rawResponse(200, JSON.stringify({ token }), { 'X-Echo': token }));
  };

  it.each([
    { source: 'header', property: 'X-Echo', comparison: 'equals', target: 'x' },
    { source: 'json', property: '$.token', comparison: 'equals', target: 'x' },
    { source: 'json', property: '$', comparison: 'equals', target: 'x' },
  ] as const)('hides a credential that the target echoes: $source $property', async (assertion) => {
    const target = await serve(echo);
    const result = await runCheck(checker, target.url(), { headers, assertions: [assertion] });
    expect(result).toMatchObject({ outcome: 'down', redirects: [target.url('/(hidden)')] });
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});
