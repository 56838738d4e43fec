import { OutboundError, OutboundHttp, type OutboundRequest } from '../../../src/platform/net/http/outbound-http';
import { DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { always, rawResponse, type HttpScript, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { closedPort, silence, slam, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { selfSigned, TlsAuthority } from '../../harness/servers/tls-authority';

const SECRET = 'T0K3N-in-the-path';
const closers: (() => unknown)[] = [];
const outbound = new OutboundHttp(dialerWith());

const serve = async (script: HttpScript, options: Parameters<typeof HttpTarget.listen>[1] = {}) => {
  const target = await HttpTarget.listen(script, options);
  closers.push(() => target.close());
  return target;
};
const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json' },
  body: '{"text":"ä"}',
  egress: openEgress,
  timeoutMs: 5000,
  ...more,
});

async function failure(request: OutboundRequest, by = outbound): Promise<OutboundError> {
  const error: unknown = await by.request(request).then(
    () => new Error('there was a response'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OutboundError)) throw error;
  expect(error.message).not.toContain(SECRET);
  expect(error.message).toMatch(/^[^\p{Cc}]{1,300}$/u);
  return error;
}

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe('OutboundHttp', () => {
  it('sends the given request over a separate connection', async () => {
    const target = await serve(always(rawResponse(201, 'made', { 'X-Custom': 'yes', 'Retry-After': '7' })));
    const response = await outbound.request(post(target.url(`/${SECRET}?a=b`)));
    expect(response).toMatchObject({ status: 201, body: 'made', headers: { 'x-custom': 'yes', 'retry-after': '7' } });
    const [request] = target.seen;
    expect(request).toMatchObject({ method: 'POST', path: `/${SECRET}?a=b` });
    expect(Buffer.from(request?.body ?? '', 'latin1').toString('utf8')).toBe('{"text":"ä"}');
    expect(sent(request, 'host')).toBe(target.tcp.authority);
    expect(sent(request, 'content-length')).toBe('13');
    expect(sent(request, 'connection')).toBe('close');
    await target.tcp.untilLeft();
  });

  it('ignores given headers that would change the framing', async () => {
    const target = await serve(always(rawResponse(200)));
    const headers = { Host: 'evil.example', 'Content-Length': '1', 'Transfer-Encoding': 'chunked' };
    await outbound.request(post(target.url(), { headers }));
    expect(sent(target.seen[0], 'host')).toBe(target.tcp.authority);
    expect(sent(target.seen[0], 'content-length')).toBe('13');
    expect(sent(target.seen[0], 'transfer-encoding')).toBeUndefined();
  });

  it.each([200, 204, 301, 302, 404, 429, 500])(
    'returns status %d as a response and follows no redirect',
    async (status) => {
      const target = await serve(always(rawResponse(status, '', { Location: '/elsewhere' })));
      expect((await outbound.request(post(target.url()))).status).toBe(status);
      expect(target.seen).toHaveLength(1);
    },
  );

  it('reads at most 64 KiB of the response', async () => {
    const target = await serve(always(rawResponse(200, 'x'.repeat(1_000_000))));
    expect((await outbound.request(post(target.url()))).body).toHaveLength(65_536);
    await target.tcp.untilLeft();
  });

  it('writes nothing over TLS to a peer without a valid certificate', async () => {
    const authority = await TlsAuthority.create();
    const trusting = new OutboundHttp(dialerWith({ roots: [authority.rootPem] }));
    const good = await serve(always(rawResponse(200)), { tls: await authority.issue() });
    const bad = await serve(always(rawResponse(200)), { tls: await selfSigned() });
    expect((await trusting.request(post(good.url()))).status).toBe(200);
    expect(await failure(post(bad.url(`/${SECRET}`)), trusting)).toMatchObject({ code: 'tls', requestWritten: false });
    expect(bad.seen).toEqual([]);
  });
});

describe('OutboundHttp without a response', () => {
  it('reports that nothing was written when the connection is refused', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/${SECRET}`;
    expect(await failure(post(url))).toMatchObject({ code: 'connect', requestWritten: false });
  });

  it('reports that nothing was written when the name does not exist', async () => {
    const server = await DnsTestServer.start(() => ({ rcode: 3 }));
    closers.push(() => server.stop());
    const lost = new OutboundHttp(dialerWith({ servers: [server.address] }));
    expect(await failure(post(`http://gone.example/${SECRET}`), lost)).toMatchObject({
      code: 'dns',
      requestWritten: false,
    });
  });

  it('reports that the request may have arrived when the response did not come in time', async () => {
    const target = await serve(() => {});
    const request = post(target.url(`/${SECRET}`), { timeoutMs: 200 });
    expect(await failure(request)).toMatchObject({ code: 'timeout', requestWritten: true });
    expect(target.seen).toHaveLength(1);
    await target.tcp.untilLeft();
  });

  it('reports that nothing was written when the TLS handshake timed out', async () => {
    const mute = await TcpTarget.listen(silence);
    closers.push(() => mute.close());
    const request = post(`https://${mute.authority}/${SECRET}`, { timeoutMs: 200 });
    expect(await failure(request)).toMatchObject({ code: 'timeout', requestWritten: false });
  });

  it('reports that the request may have arrived when the peer closes the connection', async () => {
    const reset = await serve((_request, socket) => slam(socket));
    const ended = await serve((_request, socket) => socket.end());
    for (const target of [reset, ended]) {
      expect(await failure(post(target.url(`/${SECRET}`)))).toMatchObject({ code: 'reset', requestWritten: true });
    }
  });

  it('reports that the request may have arrived when the response is not HTTP', async () => {
    const target = await serve(always('hello\r\n\r\n'));
    expect(await failure(post(target.url(`/${SECRET}`)))).toMatchObject({ code: 'protocol', requestWritten: true });
  });

  it('ends when its signal aborts', async () => {
    const target = await serve(() => {});
    const controller = new AbortController();
    const failing = failure(post(target.url(`/${SECRET}`), { signal: controller.signal }));
    await eventually('the request to arrive', () => target.seen.length === 1);
    controller.abort();
    expect(await failing).toMatchObject({ code: 'aborted', requestWritten: true });
    expect(await failure(post(target.url(), { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      requestWritten: false,
    });
    expect(target.seen).toHaveLength(1);
  });

  it.each(['', 'nonsense', 'ftp://example.com/', 'http://', 'http://a..b/'])('refuses the URL %j', async (url) => {
    expect(await failure(post(url))).toMatchObject({ code: 'protocol', requestWritten: false });
  });

  it('refuses a header that would break the framing, without repeating it', async () => {
    const target = await serve(always(rawResponse(200)));
    const headers = { Authorization: `${SECRET}\r\nX-Injected: 1` };
    expect(await failure(post(target.url(), { headers }))).toMatchObject({ code: 'protocol', requestWritten: false });
    expect(target.seen).toEqual([]);
    await target.tcp.untilLeft();
  });
});
