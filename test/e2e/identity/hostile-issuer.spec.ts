/** @lane slow */
import { Logger } from '@nestjs/common';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { HostileIssuer, signedBy, signedWith, type Twist, unsigned } from '../../harness/servers/hostile-issuer';

const HOME = 'https://uptime.example.com';

type Json = Record<string, unknown>;
const without =
  (name: string) =>
  (right: Json): Json => ({ ...right, [name]: undefined });
const failed =
  (error: string) =>
  (right: Json): Json => ({ ...right, code: undefined, error });

/** Each one does one thing wrong. Every user has access through a group, so that no other check interferes. */
const TWISTS: readonly [what: string, code: string, twist: Twist][] = [
  ['another nonce', 'refused', { claims: (right) => ({ ...right, nonce: 'another' }) }],
  ['no nonce', 'refused', { claims: without('nonce') }],
  ['another issuer in the token', 'refused', { claims: (right) => ({ ...right, iss: 'https://evil.example' }) }],
  ['another issuer in the response', 'refused', { response: (right) => ({ ...right, iss: 'https://evil.example' }) }],
  ['no issuer in the response, although it is announced', 'refused', { response: without('iss') }],
  ['another audience', 'refused', { claims: (right) => ({ ...right, aud: 'other' }) }],
  [
    "several audiences without the client's",
    'refused',
    { claims: (right) => ({ ...right, aud: ['uptime', 'other'] }) },
  ],
  ['another authorized party', 'refused', { claims: (right) => ({ ...right, aud: ['uptime', 'x'], azp: 'x' }) }],
  ['an expired token', 'refused', { claims: (right) => ({ ...right, exp: Math.floor(Date.now() / 1000) - 61 }) }],
  ['a token without an expiry', 'refused', { claims: without('exp') }],
  [
    'a token from the future',
    'refused',
    { claims: (right) => ({ ...right, nbf: Math.floor(Date.now() / 1000) + 90 }) },
  ],
  ['no subject', 'refused', { claims: without('sub') }],
  ['a subject that no column can store', 'refused', { claims: (right) => ({ ...right, sub: 'a\u0000b' }) }],
  ['a subject that is too long', 'refused', { claims: (right) => ({ ...right, sub: 'x'.repeat(256) }) }],
  ['alg none', 'refused', { token: (header, claims) => unsigned({ ...header, alg: 'none' }, claims) }],
  ['no signature', 'refused', { token: (header, claims) => unsigned(header, claims) }],
  ["another user's key", 'refused', { token: (header, claims, { wrong }) => signedBy(wrong, header, claims) }],
  [
    'a key that is not published',
    'refused',
    { token: (header, claims, { wrong }) => signedBy(wrong, { ...header, kid: 'wrong' }, claims) },
  ],
  [
    'HS256 with the public key',
    'refused',
    {
      token: (header, claims, keys) =>
        signedWith(keys.public.export({ type: 'spki', format: 'pem' }).toString(), { ...header, alg: 'HS256' }, claims),
    },
  ],
  [
    'HS256 with the secret of the client',
    'refused',
    { token: (header, claims) => signedWith('client-secret', { ...header, alg: 'HS256' }, claims) },
  ],
  [
    'a key sent with the token',
    'refused',
    {
      token: (header, claims, { wrong, wrongPublic }) =>
        signedBy(wrong, { ...header, jwk: wrongPublic.export({ format: 'jwk' }) }, claims),
    },
  ],
  ['no ID token', 'refused', { tokens: (body) => ({ body: without('id_token')(body) }) }],
  ['an invalid ID token', 'refused', { token: () => 'a.b.c' }],
  ['no tokens', 'refused', { tokens: () => ({ body: [] }) }],
  ['an error response to the code', 'refused', { tokens: () => ({ status: 400, body: { error: 'invalid_grant' } }) }],
  ['a custom error', 'unreachable', { tokens: () => ({ status: 500, body: {} }) }],
  ['more than a mebibyte', 'unreachable', { tokens: (body) => ({ body: { ...body, more: 'x'.repeat(2 ** 20) } }) }],
  ['UserInfo about another user', 'refused', { userInfo: (right) => ({ ...right, sub: 'eve' }) }],
  ['UserInfo about no user', 'refused', { userInfo: without('sub') }],
  ['another state', 'mismatch', { response: (right) => ({ ...right, state: 'another' }) }],
  ['no state', 'mismatch', { response: without('state') }],
  ['no code', 'refused', { response: without('code') }],
  ['a cancellation by the user', 'denied', { response: failed('access_denied') }],
  ['an error', 'refused', { response: failed('invalid_scope') }],
  ['no response at all', 'unreachable', { response: failed('temporarily_unavailable') }],
];

describe('an issuer that sends', () => {
  let app: TestApp;
  let issuer: HostileIssuer;

  const rows = async () => {
    const [counts] = await app.app.get(Database).query<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM person) AS people, (SELECT count(*)::int FROM identity) AS identities,
              (SELECT count(*)::int FROM membership) AS memberships,
              (SELECT count(*)::int FROM session WHERE person_id IS NOT NULL) AS sessions`,
    );
    return counts;
  };
  const begin = async (browser: Browser): Promise<string> => {
    const { status, body } = await browser.send<{ location: string }>('POST', '/auth/oidc', {});
    expect(status).toBe(200);
    return body.location;
  };

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      publicUrl: HOME,
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
      oidcClientSecret: 'client-secret',
      groupRoles: ['*=Default:read'],
    });
  });
  beforeEach(async () => {
    // Refills the budget of one address for a second.
    await app.advance('2 s');
    issuer.twist = {};
    issuer.person = { sub: 'ada' };
  });
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  it.each(TWISTS)('%s signs no one in: %s', async (_, code, twist) => {
    const before = await rows();
    const browser = new Browser(app);
    const location = await begin(browser);
    issuer.twist = twist;
    expect(await browser.comeBack(issuer.signIn(location))).toEqual({
      status: 303,
      location: `${HOME}/#/sign-in/problem/${code}`,
      cookies: [],
    });
    expect(await rows()).toEqual(before);
    expect((await browser.send('GET', '/auth/session')).status).toBe(204);
  });

  it('a refusal writes its own words into the log, and never a token', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const browser = new Browser(app);
    const answer = async (twist: Twist) => {
      const location = await begin(browser);
      issuer.twist = twist;
      warn.mockClear();
      await browser.comeBack(issuer.signIn(location));
      issuer.twist = {};
      return warn.mock.calls.flat().join('\n');
    };
    const body = { error: 'invalid_client', error_description: 'the secret\u001b is wrong' };
    const inBody = await answer({ tokens: () => ({ status: 401, body }) });
    expect(inBody).toContain('error "invalid_client"');
    expect(inBody).toContain('error_description "the secret\\u001b is wrong"');
    const inQuery = await answer({
      response: (right) => ({ ...right, code: undefined, error: 'invalid_scope', error_description: 'no such scope' }),
    });
    expect(inQuery).toMatch(/error "invalid_scope", error_description "no such scope"/);
    expect(await answer({ tokens: () => ({ status: 418, body: 'tea' }) })).toContain('status 418');
    const challenge = 'Bearer error="insufficient_scope", error_description="profile is missing"';
    expect(await answer({ userInfoRefusal: challenge })).toMatch(
      /error "insufficient_scope", error_description "profile is missing", status 403/,
    );
    warn.mockRestore();
  });

  it('a code does not sign in a browser that has not started the sign-in', async () => {
    const ada = new Browser(app);
    const search = issuer.signIn(await begin(ada));
    const before = await rows();
    expect(await new Browser(app).comeBack(search)).toMatchObject({
      location: `${HOME}/#/sign-in/problem/expired`,
      cookies: [],
    });
    const eve = new Browser(app);
    await begin(eve);
    expect(await eve.comeBack(search)).toMatchObject({
      location: `${HOME}/#/sign-in/problem/mismatch`,
      cookies: [],
    });
    expect(await rows()).toEqual(before);
  });

  it('a code that is sent twice signs in once, even if the issuer accepts it and the browser state was copied', async () => {
    const ada = new Browser(app);
    const search = issuer.signIn(await begin(ada));
    const copy = new Browser(app).copy(ada);
    expect(await ada.comeBack(search)).toEqual({
      status: 303,
      location: `${HOME}/`,
      cookies: ['__Host-uptime_session'],
    });
    const before = await rows();
    for (const again of [ada, copy])
      expect(await again.comeBack(search)).toMatchObject({
        location: `${HOME}/#/sign-in/problem/expired`,
        cookies: [],
      });
    expect(await rows()).toEqual(before);
  });

  it('a code signs no one in after ten minutes', async () => {
    const ada = new Browser(app);
    const search = issuer.signIn(await begin(ada));
    await app.advance('601 s');
    expect(await ada.comeBack(search)).toMatchObject({ location: `${HOME}/#/sign-in/problem/expired`, cookies: [] });
  });

  it.each<[string, Twist]>([
    ['another issuer', { metadata: (right) => ({ ...right, issuer: 'https://evil.example' }) }],
    ['no authorization endpoint', { metadata: without('authorization_endpoint') }],
  ])('metadata with %s counts as missing', async (_, twist) => {
    const browser = new Browser(app);
    await app.advance('61 min');
    issuer.twist = twist;
    const { status, headers, body } = await browser.send('POST', '/auth/oidc', {});
    expect([status, headers.get('retry-after'), body['code']]).toEqual([503, '30', 'temporarily_unavailable']);
    expect(browser.has('uptime_oidc')).toBe(false);
  });

  it.each<[string, string, Twist]>([
    [
      'a cloud metadata address',
      'unreachable',
      { metadata: (right) => ({ ...right, token_endpoint: 'http://169.254.169.254/' }) },
    ],
    [
      'only HS256',
      'refused',
      { metadata: (right) => ({ ...right, id_token_signing_alg_values_supported: ['HS256'] }) },
    ],
    ['no keys', 'refused', { metadata: without('jwks_uri') }],
  ])('metadata with %s signs no one in: %s', async (_, code, twist) => {
    const before = await rows();
    const browser = new Browser(app);
    await app.advance('61 min');
    issuer.twist = twist;
    expect(await browser.comeBack(issuer.signIn(await begin(browser)))).toMatchObject({
      location: `${HOME}/#/sign-in/problem/${code}`,
      cookies: [],
    });
    expect(await rows()).toEqual(before);
  });

  it('metadata of another issuer, received during a sign-in, signs no one in', async () => {
    const browser = new Browser(app);
    await app.advance('61 min');
    await begin(browser);
    await app.advance('55 min');
    const search = issuer.signIn(await begin(browser));
    issuer.twist = { metadata: (right) => ({ ...right, issuer: 'https://evil.example' }) };
    await app.advance('6 min');
    expect(await browser.comeBack(search)).toMatchObject({
      location: `${HOME}/#/sign-in/problem/refused`,
      cookies: [],
    });
  });
});
