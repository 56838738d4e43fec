import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** The issuer's faults. Without any, it behaves correctly. */
export interface Twist {
  metadata?: (right: Json) => Json;
  /** Changes the query string of the redirect back. */
  response?: (right: Json) => Json;
  claims?: (right: Json) => Json;
  /** Changes the ID token. */
  token?: (header: Json, claims: Json, keys: Keys) => string;
  userInfo?: (right: Json) => Json;
  /** Makes UserInfo respond with 403 and this string in `WWW-Authenticate`. */
  userInfoRefusal?: string;
  /** Changes the token endpoint's response. */
  tokens?: (right: Json) => { status?: number; body: unknown };
}

/** `right` is published. `wrong` doesn't belong to anyone. */
export interface Keys {
  right: KeyObject;
  public: KeyObject;
  wrong: KeyObject;
  wrongPublic: KeyObject;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const data = (header: Json, claims: Json): string => `${encoded(header)}.${encoded(claims)}`;

/** Returns a token signed with the algorithm in its header. */
export const signedBy = (key: KeyObject, header: Json, claims: Json): string =>
  `${data(header, claims)}.${sign('sha256', Buffer.from(data(header, claims)), key).toString('base64url')}`;

/** Returns a token signed symmetrically, using a secret that everyone knows. */
export const signedWith = (secret: string, header: Json, claims: Json): string =>
  `${data(header, claims)}.${createHmac('sha256', secret).update(data(header, claims)).digest('base64url')}`;

export const unsigned = (header: Json, claims: Json): string => `${data(header, claims)}.`;

const now = (): number => Math.floor(Date.now() / 1000);

/** An OpenID Connect issuer that signs in any user and can misbehave at every step. */
export class HostileIssuer {
  twist: Twist = {};
  /** The claims for the next user who signs in. */
  person: Json = { sub: 'ada' };
  /** The number of requests for the metadata. */
  asked = 0;
  isAway = false;
  /** The issuer accepts each code any number of times. */
  private readonly codes = new Map<string, { nonce: string; person: Json }>();
  private last: Json = {};

  private constructor(
    private readonly server: Server,
    private readonly keys: Keys,
  ) {}

  static async start(): Promise<HostileIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { privateKey: right, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { privateKey: wrong, publicKey: wrongPublic } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const issuer = new HostileIssuer(server, { right, public: publicKey, wrong, wrongPublic });
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void issuer.respond(request, response),
    );
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Signs in the user who was redirected to `location`, using a code. Returns the query string of the redirect back.
   */
  signIn(location: string): string {
    const { state, nonce } = Object.fromEntries(new URL(location).searchParams);
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, { nonce: nonce ?? '', person: this.person });
    const right = { code, state, iss: this.url };
    const response = this.twist.response?.(right) ?? right;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(response)) if (typeof value === 'string') query.append(name, value);
    return `?${query.toString()}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const [status, value] = this.isAway ? [503, {}] : this.valueFor(request.url ?? '', new URLSearchParams(body));
    const challenge = request.url === '/userinfo' ? this.twist.userInfoRefusal : undefined;
    if (challenge !== undefined) response.writeHead(403, { 'www-authenticate': challenge }).end();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  private valueFor(path: string, form: URLSearchParams): [number, unknown] {
    switch (path) {
      case '/.well-known/openid-configuration':
        this.asked += 1;
        return [200, this.twist.metadata?.(this.metadata()) ?? this.metadata()];
      case '/jwks':
        return [200, { keys: [{ ...this.keys.public.export({ format: 'jwk' }), kid: 'right', use: 'sig' }] }];
      case '/token':
        return this.tokensFor(form.get('code') ?? '');
      case '/userinfo':
        return [200, this.twist.userInfo?.(this.last) ?? this.last];
      default:
        return [404, {}];
    }
  }

  private metadata(): Json {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      userinfo_endpoint: `${this.url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    };
  }

  private tokensFor(code: string): [number, unknown] {
    const known = this.codes.get(code);
    if (!known) return [400, { error: 'invalid_grant' }];
    this.last = known.person;
    const right = { iss: this.url, aud: 'uptime', iat: now(), exp: now() + 300, nonce: known.nonce, ...known.person };
    const claims = this.twist.claims?.(right) ?? right;
    const header = { alg: 'RS256', kid: 'right' };
    const id_token = this.twist.token?.(header, claims, this.keys) ?? signedBy(this.keys.right, header, claims);
    const body = { access_token: 'access', token_type: 'Bearer', id_token };
    const { status = 200, body: sent } = this.twist.tokens?.(body) ?? { body };
    return [status, sent];
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
