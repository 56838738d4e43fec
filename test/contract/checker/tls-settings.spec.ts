import { createSecureContext } from 'node:tls';
import type { TlsSettings } from '../../../src/checker/tls-settings';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { always, HttpTarget, rawResponse, sent } from '../../../packages/testing/servers/http-target';
import { TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { selfSigned, type ServerIdentity, TlsAuthority } from '../../harness/servers/tls-authority';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const settings = (part: Partial<TlsSettings>): TlsSettings => ({ verify: true, ca: null, serverName: null, ...part });
const redirectTo = (url: string) => always(rawResponse(302, '', { Location: url }));

/** Checks of endpoints with settings for their certificates. All of them use one dialer, as in the service. */
describe('A check with TLS settings', () => {
  let known: TlsAuthority;
  let own: TlsAuthority;
  let checker: HttpChecker;
  const targets: HttpTarget[] = [];

  beforeAll(async () => {
    known = await TlsAuthority.create('Known Root');
    own = await TlsAuthority.create('Own Root');
    checker = new HttpChecker(new HttpCheck(dialerWith({ roots: [known.rootPem] })));
  });
  afterEach(async () => {
    await Promise.all(targets.splice(0).map((target) => target.close()));
  });

  const serve = async (tls: Parameters<typeof HttpTarget.listen>[1] = {}, script = always(rawResponse(200))) => {
    const target = await HttpTarget.listen(script, tls);
    targets.push(target);
    return target;
  };
  const check = (target: HttpTarget, tls: TlsSettings | null, host?: string) =>
    runCheck(checker, target.url('/', host), { tls, headers: [] });

  const untrusted: [string, () => Promise<ServerIdentity>, string][] = [
    ['is self-signed', () => selfSigned(), 'tls_untrusted'],
    ['comes from an unknown authority', () => own.issue(), 'tls_untrusted'],
    ['has expired', () => known.issue({ fromDays: -9, untilDays: -2 }), 'tls_expired'],
    ['was issued for another name', () => known.issue({ names: ['other.example'] }), 'tls_hostname_mismatch'],
  ];

  it.each(untrusted)(
    'continues with verify false if the certificate %s, reports this, and does so for that endpoint only',
    async (_, issue, code) => {
      const target = await serve({ tls: await issue() });
      const result = await check(target, settings({ verify: false }));
      expect(result).toMatchObject({ outcome: 'up', statusCode: 200, error: null });
      expect(result.certificate?.expiresAt).toMatch(/Z$/);
      expect(await check(target, null)).toMatchObject({ outcome: 'down', error: { code } });
      expect(target.seen).toHaveLength(1);
    },
  );

  it('still judges how long the certificate lasts, with verify false', async () => {
    const target = await serve({ tls: await selfSigned({ fromDays: -9, untilDays: -2 }) });
    const result = await runCheck(checker, target.url(), {
      tls: settings({ verify: false }),
      headers: [],
      assertions: [{ source: 'certificate_days', comparison: 'greater_than', target: '14', severity: 'warning' }],
    });
    expect(result).toMatchObject({ outcome: 'up', warning: { code: 'assertion_failed' } });
  });

  it('is down with verify false when the server does not speak TLS', async () => {
    const target = await TcpTarget.listen((socket) => socket.end('220 hello\r\n'));
    const result = await runCheck(checker, `https://${target.authority}/`, { tls: settings({ verify: false }) });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls_handshake_failed' } });
    await target.close();
  });

  it("trusts the given authority, and no longer the system's authorities", async () => {
    const ca = own.rootPem;
    expect(await check(await serve({ tls: await own.issue() }), settings({ ca }))).toMatchObject({ outcome: 'up' });
    const elsewhere = await serve({ tls: await known.issue() });
    expect(await check(elsewhere, settings({ ca }))).toMatchObject({
      outcome: 'down',
      error: { code: 'tls_untrusted' },
    });
    expect(await check(elsewhere, settings({ ca: `${ca}\n${known.rootPem}` }))).toMatchObject({ outcome: 'up' });
  });

  it('trusts a given certificate of the server itself, and none that looks like it', async () => {
    const [mine, alike] = [await selfSigned(), await selfSigned()];
    const target = await serve({ tls: mine });
    expect(await check(target, settings({ ca: mine.cert }))).toMatchObject({ outcome: 'up' });
    expect(await check(target, settings({ ca: alike.cert }))).toMatchObject({ error: { code: 'tls_untrusted' } });
    const issued = await own.issue();
    expect(await check(await serve({ tls: issued }), settings({ ca: issued.cert }))).toMatchObject({ outcome: 'up' });
  });

  it('still refuses a certificate that has expired or has another name, with the given authority', async () => {
    const ca = own.rootPem;
    const expired = await serve({ tls: await own.issue({ fromDays: -9, untilDays: -2 }) });
    expect(await check(expired, settings({ ca }))).toMatchObject({ error: { code: 'tls_expired' } });
    const other = await serve({ tls: await own.issue({ names: ['other.example'] }) });
    expect(await check(other, settings({ ca }))).toMatchObject({ error: { code: 'tls_hostname_mismatch' } });
  });

  it('sends the server name, requires it in the certificate, and sends the Host of the URL', async () => {
    const named = await known.issue({ names: ['shop.internal'] });
    const target = await serve({
      tls: {
        ...(await known.issue({ names: ['default.example'] })),
        SNICallback: (name, done) => done(null, name === 'shop.internal' ? createSecureContext(named) : undefined),
      },
    });
    const result = await check(target, settings({ serverName: 'shop.internal' }));
    expect(result).toMatchObject({ outcome: 'up', certificate: { names: ['shop.internal'] } });
    expect(sent(target.seen[0], 'host')).toBe(target.tcp.authority);
    const message = 'The certificate is not valid for blog.internal.';
    expect(await check(target, settings({ serverName: 'blog.internal' }))).toMatchObject({
      error: { code: 'tls_hostname_mismatch', message },
    });
  });

  it('applies the usual TLS rules to another host after a redirect, regardless of the settings', async () => {
    const identity = await own.issue();
    const elsewhere = await serve({ tls: identity });
    const target = await serve({ tls: identity }, redirectTo(elsewhere.url('/', 'localhost')));
    for (const tls of [settings({ verify: false }), settings({ ca: own.rootPem })]) {
      expect(await check(target, tls)).toMatchObject({
        outcome: 'down',
        error: { code: 'tls_untrusted', phase: 'tls' },
      });
    }
    expect(elsewhere.seen).toEqual([]);
    const trusted = await serve({ tls: await known.issue() });
    const back = await serve({ tls: identity }, redirectTo(trusted.url('/', 'localhost')));
    expect(await check(back, settings({ ca: own.rootPem, serverName: 'localhost' }))).toMatchObject({ outcome: 'up' });
  });

  it('keeps the settings for its own host after redirects, from plain HTTP and to another port', async () => {
    const identity = await own.issue();
    const last = await serve({ tls: identity });
    const between = await serve({ tls: identity }, redirectTo(last.url()));
    const plain = await serve({}, redirectTo(between.url()));
    expect(await check(plain, settings({ ca: own.rootPem }))).toMatchObject({ outcome: 'up' });
    expect(await check(plain, null)).toMatchObject({ outcome: 'down', error: { code: 'tls_untrusted' } });
  });
});
