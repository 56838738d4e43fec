import { connect } from 'node:net';
import { startApp, type TestApp } from '../../harness/app/app';

/** The response to any request is documented and never a 5xx. */
describe('bad input', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const send = async (init: RequestInit & { path?: string; duplex?: 'half' }): Promise<[number, string | null]> => {
    const headers = { authorization: `Bearer ${app.admin.key}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${app.url}${init.path ?? '/api/v1/websites'}`, { method: 'POST', ...init, headers });
    const text = await response.text();
    const body: { code?: string } = text === '' ? {} : (JSON.parse(text) as object);
    if (response.status >= 400)
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    return [response.status, body.code ?? null];
  };
  const json = (body: NonNullable<RequestInit['body']> | null, type = 'application/json') => ({
    body,
    headers: { 'content-type': type },
  });
  const deep = (levels: number) => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const utf8 = (text: string) => Buffer.from(text);

  it.each<[string, NonNullable<RequestInit['body']> | null, string, number, string]>([
    ['truncated JSON', '{"name":', 'application/json', 400, 'malformed_json'],
    ['an empty body', '', 'application/json', 400, 'malformed_json'],
    ['a trailing comma', '{"name":"a",}', 'application/json', 400, 'malformed_json'],
    ['two JSON texts', '{}{}', 'application/json', 400, 'malformed_json'],
    ['null', 'null', 'application/json', 400, 'validation_failed'],
    ['a string', '"a"', 'application/json', 400, 'validation_failed'],
    ['an array', '[]', 'application/json', 400, 'validation_failed'],
    ['a number', '1', 'application/json', 400, 'validation_failed'],
    ['text/plain', '{}', 'text/plain', 415, 'unsupported_media_type'],
    ['a form', 'name=a', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['multipart', '--x', 'multipart/form-data; boundary=x', 415, 'unsupported_media_type'],
    ['latin1', '{}', 'application/json; charset=latin1', 415, 'unsupported_media_type'],
    ['utf-16', '{}', 'application/json; charset=utf-16', 415, 'unsupported_media_type'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'application/json', 400, 'invalid_encoding'],
    [
      'a body over the limit',
      JSON.stringify({ name: 'x'.repeat(140_000) }),
      'application/json',
      413,
      'payload_too_large',
    ],
    ['40,000 levels', deep(40_000), 'application/json', 400, 'malformed_json'],
    ['33 levels', deep(33), 'application/json', 400, 'malformed_json'],
    [
      '__proto__',
      '{"__proto__":{"polluted":1},"name":"a","url":"http://a.example"}',
      'application/json',
      400,
      'validation_failed',
    ],
    [
      'constructor.prototype',
      '{"constructor":{"prototype":{"polluted":1}},"name":"a","url":"http://a.example"}',
      'application/json',
      400,
      'validation_failed',
    ],
    [
      'constructor below a key with NUL',
      '{"\\u0000":{"constructor":{"prototype":{"polluted":1}}},"name":"a","url":"http://a.example"}',
      'application/json',
      400,
      'validation_failed',
    ],
    ['a lone surrogate', '{"name":"\\ud800","url":"http://a.example"}', 'application/json', 400, 'validation_failed'],
    ['NUL in a key', '{"a\\u0000":1}', 'application/json', 400, 'validation_failed'],
    ['a huge number', '{"name":1e999,"url":"http://a.example"}', 'application/json', 400, 'validation_failed'],
  ])('responds to a body with %s as documented', async (_, body, type, status, code) => {
    expect(await send(json(body, type))).toEqual([status, code]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('accepts a byte order mark, and uses the last of duplicate keys', async () => {
    expect((await send(json(utf8('\uFEFF{"name":"a","url":"http://a.example"}'))))[0]).toBe(201);
    expect((await send(json('{"name":7,"name":"a","url":"http://a.example"}')))[0]).toBe(201);
  });

  it('refuses a compressed body', async () => {
    expect(
      await send({ body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
    ).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['PATCH', '/api/v1/websites', 405, 'method_not_allowed'],
    ['DELETE', '/api/v1/websites', 405, 'method_not_allowed'],
    ['POST', '/api/v1/alerts/events', 405, 'method_not_allowed'],
    ['OPTIONS', '/api/v1/websites', 405, 'method_not_allowed'],
    ['GET', '/api/v1/nonsense', 404, 'not_found'],
    ['GET', '/api/v1/Websites', 404, 'not_found'],
    ['GET', '/api/v1/websites/', 404, 'not_found'],
    ['GET', '/api/v1/websites/%00', 404, 'not_found'],
    ['GET', '/api/v1/websites/%ff', 404, 'not_found'],
    ['GET', '/nonsense', 404, 'not_found'],
  ])('responds to %s %s with %d', async (method, path, status, code) => {
    expect(await send({ method, path })).toEqual([status, code]);
  });

  it('lists the allowed methods in a 405', async () => {
    const response = await fetch(`${app.url}/api/v1/websites`, { method: 'PATCH' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it.each([
    '/websites?limit=0',
    '/websites?limit=1001',
    '/websites?limit=-1',
    '/websites?limit=1.5',
    '/websites?limit=abc',
    '/websites?limit=1&limit=2',
    '/websites?limit[a]=1',
    '/websites?nonsense=1',
    '/websites?cursor=',
    '/organization?x=1',
    '/alerts/events?limit=0',
    '/alerts/events?limit=1001',
    '/alerts/events?type=boom',
    '/alerts/events?since=yesterday',
    '/alerts?triggered=yes',
    '/overview?limit=x',
  ])('responds to the query of %s with 400', async (path) => {
    const [status, code] = await send({ method: 'GET', path: `/api/v1${path}` });
    expect([status, /^invalid_(query|cursor)$/.test(code ?? '')]).toEqual([400, true]);
  });

  it('ignores headers that request another format, method, or address', async () => {
    expect(
      await send({
        method: 'GET',
        headers: { accept: 'text/xml', 'x-http-method-override': 'DELETE', 'x-forwarded-for': '1.2.3.4' },
      }),
    ).toEqual([200, null]);
  });

  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.setTimeout(5000, () => socket.destroy(new Error('no response')));
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });

  it.each([
    [
      'Transfer-Encoding beside Content-Length',
      'POST /api/v1/websites HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two Content-Length headers',
      'POST /api/v1/websites HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde',
      400,
    ],
    ['17 KiB of headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`, 431],
    ['data that is not HTTP', 'hello\r\n\r\n', 400],
    ['an expectation', 'GET /api/v1/websites HTTP/1.1\r\nHost: a\r\nExpect: junk\r\n\r\n', 417],
  ])('responds to %s with a problem and closes the connection', async (_, text, status) => {
    const response = await raw(text);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toContain('application/problem+json');
  });

  it('gives every response a request id, which is the client’s id if it is well formed', async () => {
    const ask = async (id: string) =>
      (await fetch(`${app.url}/api/v1/nonsense`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await ask('my-request-0001')).toBe('my-request-0001');
    expect(await ask('x')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
