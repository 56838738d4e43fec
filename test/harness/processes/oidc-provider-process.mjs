// A certified OpenID Connect provider that signs in anyone who types a name. Users whose names start with "ops" are in
// the group ops. Each process has its own keys.
// Usage: node oidc-provider-process.mjs <port> <redirect URI>
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [port, redirectUri] = process.argv.slice(2);
const server = createServer();
server.listen(Number(port), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'uptime', client_secret: 'the secret: of a client/+%', redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...key, kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomUUID()] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: `${sub} of the provider`,
        email: `${sub}@example.com`,
        email_verified: true,
        groups: sub.startsWith('ops') ? ['ops'] : [],
      }),
    }),
  });
  server.on('request', provider.callback());
  process.stdout.write(`ready ${issuer}\n`);
});
