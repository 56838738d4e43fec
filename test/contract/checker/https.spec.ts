import type { Assertion } from '../../../src/checker/assertion/assertion';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpsChecker } from '../../../src/checker/http/http.checker';
import { always, rawResponse, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { TlsAuthority } from '../../harness/servers/tls-authority';
import { type CheckerBench, describeChecker, runCheck } from '../../../packages/testing/checker/describe-checker';
import { hostileScripts, liveHttp } from './http-hostility';

const checkerTrusting = (authority: TlsAuthority) =>
  new HttpsChecker(new HttpCheck(dialerWith({ roots: [authority.rootPem] })));

async function open(): Promise<CheckerBench> {
  const authority = await TlsAuthority.create();
  const tls = await authority.issue();
  const up = await HttpTarget.listen(always(rawResponse(200, 'ok')), { tls });
  const silent = await TcpTarget.listen(silence);
  const hostile = await Promise.all(
    hostileScripts.map(async ({ name, script, outcome }) => ({
      name,
      outcome,
      target: await HttpTarget.listen(script, { tls }),
    })),
  );
  return {
    checker: checkerTrusting(authority),
    up: liveHttp(up),
    refused: { url: `https://127.0.0.1:${await closedPort()}/`, code: 'connection_refused', phase: 'connect' },
    silent: {
      url: `https://${silent.authority}/`,
      arrived: () => silent.accepted,
      untilLeft: () => silent.untilLeft(),
      code: 'tls_timeout',
      phase: 'tls',
    },
    hostile: hostile.map(({ name, outcome, target }) => ({ ...liveHttp(target), name, outcome })),
    close: async () => {
      await Promise.all([up, silent, ...hostile.map(({ target }) => target)].map((target) => target.close()));
    },
  };
}

describeChecker({
  type: 'HTTPS',
  open,
  accepted: [
    ['https://example.com', { secure: true, host: 'example.com', port: 443, path: '/', authority: 'example.com' }],
    ['HTTPS://[2001:db8::1]:8443/x', { host: '2001:db8::1', port: 8443, authority: '[2001:db8::1]:8443' }],
  ],
  rejected: [
    'http://example.com',
    'example.com',
    'https:example.com',
    'https://user:secret@example.com/',
    'wss://a.example',
  ],
});

describe('An HTTPS check', () => {
  let authority: TlsAuthority;
  const targets: HttpTarget[] = [];

  const serve = async (...[script, options]: Parameters<typeof HttpTarget.listen>) => {
    const target = await HttpTarget.listen(script, options);
    targets.push(target);
    return target;
  };

  beforeAll(async () => {
    authority = await TlsAuthority.create();
  });
  afterEach(async () => {
    await Promise.all(targets.splice(0).map((target) => target.close()));
  });

  it('reports phases and certificate of an HTTPS target that is up', async () => {
    const target = await serve(always(rawResponse(200)), {
      tls: await authority.issue({ names: ['127.0.0.1', 'www.example.com'], untilDays: 10 }),
    });
    const result = await runCheck(checkerTrusting(authority), target.url());
    expect(result).toMatchObject({
      outcome: 'up',
      statusCode: 200,
      address: '127.0.0.1',
      certificate: { issuer: 'Test Root', subject: '127.0.0.1', names: ['127.0.0.1', 'www.example.com'] },
      phases: {
        dnsMs: null,
        connectMs: expect.any(Number) as number,
        tlsMs: expect.any(Number) as number,
        firstByteMs: expect.any(Number) as number,
        transferMs: expect.any(Number) as number,
      },
    });
    const days = (Date.parse(result.certificate?.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(9);
    expect(days).toBeLessThan(10.1);
  });

  const soon: Assertion = {
    source: 'certificate_days',
    comparison: 'greater_than',
    target: '14',
    severity: 'warning',
  };

  it('reports a target as up and warns of it while its certificate has ten days', async () => {
    const target = await serve(always(rawResponse(200)), { tls: await authority.issue({ untilDays: 10 }) });
    const result = await runCheck(checkerTrusting(authority), target.url(), { assertions: [soon] });
    expect(result).toMatchObject({
      outcome: 'up',
      error: null,
      warning: {
        code: 'assertion_failed',
        phase: 'assertion',
        message: 'Expected certificate_days to be greater than 14, but it was 9 days.',
      },
    });
  });

  it('warns of nothing while the certificate has twenty days', async () => {
    const target = await serve(always(rawResponse(200)), { tls: await authority.issue({ untilDays: 20 }) });
    const result = await runCheck(checkerTrusting(authority), target.url(), { assertions: [soon] });
    expect(result).toMatchObject({ outcome: 'up', error: null, warning: null });
  });

  it('reports a target as down with a status of 500 while its certificate has ten days', async () => {
    const target = await serve(always(rawResponse(500)), { tls: await authority.issue({ untilDays: 10 }) });
    const result = await runCheck(checkerTrusting(authority), target.url(), { assertions: [soon] });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'status_unexpected' }, warning: null });
  });

  it('reports a target as down if its certificate has expired, even if warnings are configured', async () => {
    const tls = await authority.issue({ fromDays: -9, untilDays: -1 });
    const target = await serve(always(rawResponse(200)), { tls });
    const result = await runCheck(checkerTrusting(authority), target.url(), { assertions: [soon] });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls_expired' }, warning: null });
  });

  it('reports the certificate also when it is not valid, and sends nothing to such a server', async () => {
    const target = await serve(always(rawResponse(200)), { tls: await authority.issue({ names: ['other.example'] }) });
    const result = await runCheck(checkerTrusting(authority), target.url());
    expect(result).toMatchObject({
      outcome: 'down',
      certificate: { names: ['other.example'] },
      error: { code: 'tls_hostname_mismatch' },
    });
    expect(target.seen).toEqual([]);
  });

  it('sends the host name in the TLS handshake (SNI)', async () => {
    const names: string[] = [];
    const tls = await authority.issue({ names: ['localhost'] });
    const target = await serve(always(rawResponse(200)), {
      tls: {
        ...tls,
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
    });
    const result = await runCheck(checkerTrusting(authority), target.url('/', 'localhost'));
    expect(result.outcome).toBe('up');
    expect(names).toEqual(['localhost']);
    expect(sent(target.seen[0], 'host')).toBe(`localhost:${target.tcp.port}`);
  });

  it('makes a full TLS handshake for every check, without session resumption', async () => {
    const resumed: boolean[] = [];
    const target = await serve(
      (_request, socket) => {
        resumed.push('isSessionReused' in socket && (socket.isSessionReused as () => boolean)());
        socket.end(rawResponse(200));
      },
      { tls: await authority.issue() },
    );
    const checker = checkerTrusting(authority);
    const results = [await runCheck(checker, target.url()), await runCheck(checker, target.url())];
    expect(resumed).toEqual([false, false]);
    for (const { certificate } of results) expect(certificate).not.toBeNull();
  });

  it('follows a redirect to plain HTTP, keeps the certificate and drops the credentials', async () => {
    const plain = await serve(always(rawResponse(200)));
    const target = await serve(always(rawResponse(302, '', { Location: plain.url('/landing?token=1') })), {
      tls: await authority.issue(),
    });
    const result = await runCheck(checkerTrusting(authority), target.url());
    expect(result).toMatchObject({
      outcome: 'up',
      redirects: [plain.url('/landing')],
      certificate: { issuer: 'Test Root' },
    });
    expect(sent(plain.seen[0], 'authorization')).toBeUndefined();
  });
});
