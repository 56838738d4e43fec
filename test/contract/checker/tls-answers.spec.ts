/** @lane slow */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpsChecker } from '../../../src/checker/http/http.checker';
import { runCheck } from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { freePort } from '../../harness/machine/free-port';
import { TlsAuthority } from '../../harness/servers/tls-authority';

const hasGnutls = spawnSync('gnutls-serv', ['--version']).status === 0;
const withGnutls = hasGnutls ? it : it.skip;
const why = hasGnutls ? '' : ' (skipped: needs gnutls-serv)';

const unverified = { verify: false, ca: null, serverName: null };

describe("Error texts for a server's TLS handshake", () => {
  let authority: TlsAuthority;
  let checker: HttpsChecker;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    authority = await TlsAuthority.create();
    checker = new HttpsChecker(new HttpCheck(dialerWith({ roots: [authority.rootPem] })));
  });
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });

  /** Starts GnuTLS with these priorities and a trusted certificate. */
  async function startGnutls(priority: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'gnutls-'));
    const { key, cert } = await authority.issue();
    writeFileSync(join(folder, 'key.pem'), key);
    writeFileSync(join(folder, 'cert.pem'), cert);
    const port = await freePort();
    const files = ['--x509keyfile', join(folder, 'key.pem'), '--x509certfile', join(folder, 'cert.pem')];
    const server = spawn('gnutls-serv', ['--port', String(port), '--http', '--priority', priority, ...files], {
      stdio: 'ignore',
    });
    closers.push(() => {
      server.kill();
      rmSync(folder, { recursive: true });
    });
    await eventually('the server to listen', async () => {
      const { error } = await runCheck(checker, `https://127.0.0.1:${port}/`, { headers: [] });
      return error?.code !== 'connection_refused';
    });
    return `https://127.0.0.1:${port}/`;
  }

  const LEGACY = 'NORMAL:-VERS-ALL:+VERS-TLS1.2:%DISABLE_SAFE_RENEGOTIATION';

  withGnutls(`does not keep a check with verify false from one without secure renegotiation${why}`, async () => {
    const url = await startGnutls(LEGACY);
    expect(await runCheck(checker, url, { headers: [], tls: unverified })).toMatchObject({
      outcome: 'up',
      statusCode: 200,
    });
    expect(await runCheck(checker, url, { headers: [] })).toMatchObject({
      outcome: 'down',
      error: {
        code: 'tls_handshake_failed',
        message:
          'The TLS handshake with 127.0.0.1 failed: it does not support secure renegotiation (RFC 5746) and needs an update.',
      },
    });
  });

  withGnutls(`still needs TLS 1.2 with verify false${why}`, async () => {
    const url = await startGnutls('NORMAL:-VERS-ALL:+VERS-TLS1.1');
    const result = await runCheck(checker, url, { headers: [], tls: unverified });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls_handshake_failed' } });
    expect(result.error?.message).toContain('only outdated versions of TLS');
  });

  it('name the lack of secure renegotiation', async () => {
    const hello = Buffer.concat([Buffer.from([3, 3]), randomBytes(32), Buffer.from([0, 0xc0, 0x2f, 0])]);
    const handshake = Buffer.concat([Buffer.from([2, 0, 0, hello.length]), hello]);
    const record = Buffer.concat([Buffer.from([22, 3, 3, 0, handshake.length]), handshake]);
    const target = await TcpTarget.listen(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.write(record)),
    );
    closers.push(() => target.close());
    const result = await runCheck(checker, `https://${target.authority}/`, { headers: [] });
    expect(result.error?.message).toContain('it does not support secure renegotiation (RFC 5746)');
  });

  it.each(['TLSv1.3', 'TLSv1.2'] as const)('name a required client certificate (%s)', async (version) => {
    const tls = {
      ...(await authority.issue()),
      requestCert: true,
      minVersion: version,
      maxVersion: version,
    } as const;
    const target = await HttpTarget.listen(always(rawResponse(200)), { tls });
    closers.push(() => target.close());
    const result = await runCheck(checker, target.url(), { headers: [] });
    expect(result.outcome).toBe('down');
    expect(result.error?.message).toMatch(/client certificate|closed the connection|no common cipher/);
  });
});
