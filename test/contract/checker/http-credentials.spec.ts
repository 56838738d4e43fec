import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { digestAnswer, readChallenge } from '../../../src/checker/http/digest';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { readToken } from '../../../src/checker/http/oauth-tokens';
import { settingsProblems } from '../../../src/checker/settings-problems';
import { TlsAuthority } from '../../harness/servers/tls-authority';
import { CANARY, runCheck } from '../../../packages/testing/checker/describe-checker';
import { closedEgress, dialerWith, egressWithout } from '../../../packages/testing/checker/network';
import {
  type HttpScript,
  HttpTarget,
  rawResponse,
  type SeenRequest,
  sent,
} from '../../../packages/testing/servers/http-target';

const targets: HttpTarget[] = [];
const serve = async (script: HttpScript, options = {}): Promise<HttpTarget> => {
  const target = await HttpTarget.listen(script, options);
  targets.push(target);
  return target;
};
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()));
});

const newChecker = () => new HttpChecker(new HttpCheck(dialerWith()));
const wants =
  (isRight: (request: SeenRequest) => boolean, challenge = 'Basic realm="x"'): HttpScript =>
  (request, socket) =>
    socket.end(isRight(request) ? rawResponse(200) : rawResponse(401, '', { 'WWW-Authenticate': challenge }));
const authorization = (request: SeenRequest | undefined) => sent(request, 'authorization');
const headers = [{ key: 'Authorization', value: 'Bearer other' }];

describe('An HTTP check with Basic authentication', () => {
  it('sends the credentials in place of an Authorization header', async () => {
    const target = await serve(wants((request) => authorization(request) === `Basic ${btoa(`monitor:${CANARY}`)}`));
    const settings = { basic: { user: 'monitor', password: CANARY } };
    expect(await runCheck(newChecker(), target.url(), { settings, headers })).toMatchObject({ outcome: 'up' });
  });

  it('sends them to no other host', async () => {
    const other = await serve((_, socket) => socket.end(rawResponse(200)));
    const target = await serve((_, socket) =>
      socket.end(rawResponse(302, '', { Location: other.url('/', 'localhost') })),
    );
    await runCheck(newChecker(), target.url(), { settings: { basic: { user: 'monitor', password: CANARY } } });
    expect(other.seen.map(authorization)).toEqual([undefined]);
  });
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('An HTTP check with Digest authentication', () => {
  const settings = { digest: { user: 'Mufasa', password: CANARY } };
  const challenge =
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf", opaque="FQhe"';
  const isRight = (request: SeenRequest): boolean => {
    const [, cnonce = '', response = ''] = /cnonce="(\w+)", response="(\w+)"/.exec(authorization(request) ?? '') ?? [];
    const secret = md5(`Mufasa:http-auth@example.org:${CANARY}`);
    return response === md5(`${secret}:7ypf:00000001:${cnonce}:auth:${md5(`${request.method}:${request.path}`)}`);
  };

  it('answers the challenge with the same method, path, and body', async () => {
    const target = await serve(wants(isRight, challenge));
    const result = await runCheck(newChecker(), target.url('/dir?x=1'), { settings, method: 'POST', body: 'a=b' });
    expect(result).toMatchObject({ outcome: 'up', statusCode: 200 });
    expect(target.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/dir?x=1', 'a=b'],
      ['POST', '/dir?x=1', 'a=b'],
    ]);
  });

  it('answers once, and is down if that is not enough', async () => {
    const target = await serve(wants(() => false, challenge));
    expect(await runCheck(newChecker(), target.url(), { settings })).toMatchObject({
      outcome: 'down',
      error: { code: 'status_unexpected' },
    });
    expect(target.seen).toHaveLength(2);
  });

  it('answers as in the example of RFC 7616', () => {
    const sha256 = readChallenge(
      'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
    );
    if (sha256 === null) throw new Error('the challenge was not read');
    const how = { method: 'GET', path: '/dir/index.html', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' };
    expect(digestAnswer(sha256, { user: 'Mufasa', password: 'Circle of Life' }, how)).toContain(
      'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
    );
  });

  it.each([
    'Basic realm="x"',
    'Digest realm="x"',
    'Digest realm="x", nonce="y", qop="auth-int"',
    'Digest realm="x", nonce="y", algorithm=MD5-sess',
    'Digest '.repeat(2000),
  ])('has no answer to %.40s', (header) => expect(readChallenge(header)).toBeNull());
});

describe('An HTTP check with OAuth 2 client credentials', () => {
  const tokenServer = (lifetime = 3600): { script: HttpScript; issued: () => number } => {
    let count = 0;
    const script: HttpScript = (_request, socket) => {
      const token = { access_token: `token-${++count}-${CANARY}`, token_type: 'Bearer', expires_in: lifetime };
      socket.end(rawResponse(200, JSON.stringify(token)));
    };
    return { script, issued: () => count };
  };
  const settingsFor = (url: string) => ({
    oauth2: { token_url: url, client_id: 'the client', client_secret: CANARY, scope: 'health.read' },
  });
  const isToken =
    (...numbers: number[]) =>
    (request: SeenRequest): boolean =>
      numbers.some((number) => authorization(request) === `Bearer token-${number}-${CANARY}`);

  it('gets a token once, and uses it until it expires', async () => {
    const server = tokenServer();
    const tokens = await serve(server.script);
    const target = await serve(wants(isToken(1)));
    const checker = newChecker();
    const settings = settingsFor(tokens.url('/token'));
    for (let i = 0; i < 3; i++) expect((await runCheck(checker, target.url(), { settings })).outcome).toBe('up');
    expect(server.issued()).toBe(1);
    expect(tokens.seen[0]).toMatchObject({
      method: 'POST',
      path: '/token',
      body: 'grant_type=client_credentials&scope=health.read',
    });
    expect(authorization(tokens.seen[0])).toBe(`Basic ${btoa(`the+client:${CANARY}`)}`);
  });

  it('gets a new one for each check if a token expires at once', async () => {
    const server = tokenServer(10);
    const tokens = await serve(server.script);
    const target = await serve(wants(isToken(1, 2)));
    const checker = newChecker();
    for (let i = 0; i < 2; i++) await runCheck(checker, target.url(), { settings: settingsFor(tokens.url()) });
    expect(server.issued()).toBe(2);
  });

  it('replaces a token that the server no longer accepts, within the same check', async () => {
    const server = tokenServer();
    const tokens = await serve(server.script);
    let valid = 1;
    const target = await serve((request, socket) => wants(isToken(valid))(request, socket));
    const checker = newChecker();
    await runCheck(checker, target.url(), { settings: settingsFor(tokens.url()) });
    valid = 2;
    expect(await runCheck(checker, target.url(), { settings: settingsFor(tokens.url()) })).toMatchObject({
      outcome: 'up',
    });
    valid = 9;
    expect(await runCheck(checker, target.url(), { settings: settingsFor(tokens.url()) })).toMatchObject({
      outcome: 'down',
    });
    expect(server.issued()).toBe(3);
  });

  it('does not share tokens between organizations', async () => {
    const server = tokenServer();
    const tokens = await serve(server.script);
    const target = await serve(wants(isToken(1, 2)));
    const checker = newChecker();
    for (const organization of ['a', 'b'])
      await runCheck(checker, target.url(), {
        settings: settingsFor(tokens.url()),
        egress: { ...egressWithout(), allowsPrivate: true, organization },
      });
    expect(server.issued()).toBe(2);
  });

  it('sends nothing to the target without a token, and explains why', async () => {
    const target = await serve(wants(() => true));
    const refusing = await serve((_, socket) =>
      socket.end(rawResponse(401, `{"error":"invalid_client","x":"${CANARY}"}`)),
    );
    const result = await runCheck(newChecker(), target.url(), { settings: settingsFor(refusing.url()) });
    expect(result).toMatchObject({
      outcome: 'down',
      error: { message: 'The token server answered with status 401 and the error invalid_client.' },
    });
    expect(target.seen).toEqual([]);
    const blocked = await runCheck(newChecker(), target.url(), {
      settings: settingsFor(refusing.url()),
      egress: closedEgress,
    });
    expect(blocked).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
  });

  it.each([
    [200, '', 'no valid access token'],
    [200, '{"access_token":"a b","token_type":"Bearer"}', 'no valid access token'],
    [200, '{"access_token":"a","token_type":"mac"}', 'another type than Bearer'],
    [200, `{"access_token":"${'a'.repeat(20_000)}","token_type":"Bearer"}`, 'no valid access token'],
    [500, '<html>', 'status 500.'],
  ])('refuses the response %i %.40s', (status, text, sentence) => {
    const read = readToken(status, text, 0);
    expect('error' in read && read.error.message).toContain(sentence);
  });
});

describe('An HTTPS check with a client certificate', () => {
  it('identifies itself to a server that requires a certificate, and only there', async () => {
    const authority = await TlsAuthority.create();
    const server = await authority.issue();
    const client = await authority.issue({ names: ['monitor'] });
    const names: string[] = [];
    const target = await serve(
      (_, socket) => {
        names.push(String((socket as TLSSocket).getPeerCertificate().subject?.CN));
        socket.end(rawResponse(200));
      },
      { tls: { ...server, ca: authority.rootPem, requestCert: true, rejectUnauthorized: true } },
    );
    const checker = new HttpChecker(new HttpCheck(dialerWith({ roots: [authority.rootPem] })));
    const settings = { client_certificate: { certificate: client.cert, key: client.key } };
    expect(await runCheck(checker, target.url(), { settings })).toMatchObject({
      outcome: 'up',
      certificate: { issuer: 'Test Root' },
    });
    expect((await runCheck(checker, target.url())).outcome).toBe('down');
    expect(names).toHaveLength(1);
    const tls = { verify: true, ca: authority.rootPem, serverName: null };
    const alone = new HttpChecker(new HttpCheck(dialerWith()));
    expect(await runCheck(alone, target.url(), { settings, tls })).toMatchObject({ outcome: 'up' });
    expect(await runCheck(alone, target.url(), { settings })).toMatchObject({ error: { code: 'tls_untrusted' } });
  });

  it('refuses a key that does not belong to the certificate, a plain URL, and two kinds of credentials', async () => {
    const authority = await TlsAuthority.create();
    const [one, other] = [await authority.issue(), await authority.issue()];
    const checker = newChecker();
    const pointers = (settings: object, url = 'https://a.example/') =>
      settingsProblems(checker, settings, url).map(({ pointer }) => pointer);
    const identity = (key: string) => ({ client_certificate: { certificate: one.cert, key } });
    expect(pointers(identity(one.key))).toEqual([]);
    expect(pointers(identity(other.key))).toEqual(['/client_certificate/key']);
    expect(pointers(identity('secret'))).toEqual(['/client_certificate/key']);
    expect(pointers(identity(one.key), 'http://a.example/')).toEqual(['/client_certificate']);
    const credentials = { user: 'u', password: 'p' };
    expect(pointers({ basic: credentials, digest: credentials })).toEqual(['/digest']);
    expect(pointers({ basic: { user: 'a:b', password: 'p' } })).toEqual(['/basic/user']);
  });
});
