import { Injectable } from '@nestjs/common';
import type * as OpenidClient from 'openid-client' with { 'resolution-mode': 'import' };
import { Config } from '../../platform/config/config';
import { SETTINGS_EGRESS } from '../../platform/net/egress/egress-policy';
import { OutboundError, OutboundHttp } from '../../platform/net/http/outbound-http';
import { cut, oneLine } from '../../platform/text/text-limits';
import { Clock } from '../../platform/time/clock';
import { HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import { type Claims, claimsOf, isLacking } from './claims';
import type { Flow } from './flow-cookie';
import { SignInRefused } from './sign-in-refused';

/**
 * Algorithms that sign with the provider's private key and verify with its public keys. HS256 is excluded, because any
 * client could create such a signature.
 */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const REQUEST_MS = 10 * SECOND_MS;
const MOST_BYTES = 1024 * 1024;
const METADATA_MS = HOUR_MS;
/** The maximum difference between the clocks of the provider and this host. */
const SKEW_SECONDS = 60;
const NO_BODY = new Set([101, 204, 205, 304]);
/** The provider's errors if the user declined or failed to sign in. */
const DENIALS = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required']);
const AWAY = new Set(['server_error', 'temporarily_unavailable']);

type Client = typeof OpenidClient;

/**
 * Loads the library on first use, so that its three packages don't slow down the start and aren't loaded without a
 * provider.
 */
const load = (): Client => require('openid-client') as Client;

/**
 * The configured OpenID Connect provider. The ID token's signature proves all claims, even if the token was received
 * over TLS. No token is stored. Requests are sent with `OutboundHttp`.
 */
@Injectable()
export class OidcProvider {
  private known: { configuration: OpenidClient.Configuration; at: number } | null = null;
  private asking: Promise<OpenidClient.Configuration> | null = null;

  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  /** Returns the URL to send the browser to. Throws `SignInRefused` if the metadata can't be read or is invalid. */
  async addressFor({ state, nonce, verifier }: Flow): Promise<string> {
    const client = load();
    const configuration = await this.configuration(client);
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callbackUrl,
      scope: this.config.oidcScopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** Returns the claims for the user who returned with this query string. Throws `SignInRefused`. */
  async claims(search: string, { state, nonce, verifier }: Flow): Promise<Claims> {
    const client = load();
    const configuration = await this.configuration(client);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.callbackUrl}${search}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      const wanted = this.config.groupRoles.length === 0 ? null : this.config.oidcGroupsClaim;
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const userInfo =
        idToken && hasUserInfo && isLacking(idToken, wanted)
          ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
          : {};
      const claims = idToken && claimsOf(idToken, userInfo, this.config.oidcGroupsClaim);
      if (claims) return claims;
    } catch (error) {
      throw refusalOf(error, client, this.config.oidcClientSecret);
    }
    throw new SignInRefused('refused', 'the ID token has no issuer and subject that can be stored');
  }

  private get callbackUrl(): string {
    return `${this.config.publicUrl}/auth/oidc/callback`;
  }

  /** Returns the cached configuration, and fetches it if necessary. Concurrent calls share one request. */
  private async configuration(client: Client): Promise<OpenidClient.Configuration> {
    const now = this.clock.monotonic();
    if (this.known && now - this.known.at < METADATA_MS) return this.known.configuration;
    this.asking ??= this.discover(client).finally(() => (this.asking = null));
    try {
      const configuration = await this.asking;
      this.known = { configuration, at: now };
      return configuration;
    } catch (error) {
      throw refusalOf(error, client, this.config.oidcClientSecret);
    }
  }

  private async discover(client: Client): Promise<OpenidClient.Configuration> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.config;
    const issuer = new URL(oidcIssuer ?? '');
    // The settings allow http only for the local machine.
    const isPlain = issuer.protocol === 'http:';
    const fetch: OpenidClient.CustomFetch = (url, options) => this.fetch(url, options);
    const found = await client.discovery(issuer, oidcClientId ?? '', undefined, client.None(), {
      [client.customFetch]: fetch,
      execute: isPlain ? [client.allowInsecureRequests] : [],
    });
    const server = plainOf(found.serverMetadata());
    const offered = server.id_token_signing_alg_values_supported ?? ['RS256'];
    const configuration = new client.Configuration(
      { ...server, id_token_signing_alg_values_supported: ALGORITHMS.filter((one) => offered.includes(one)) },
      oidcClientId ?? '',
      { [client.clockTolerance]: SKEW_SECONDS },
      authenticationOf(client, oidcClientSecret, server.token_endpoint_auth_methods_supported),
    );
    configuration[client.customFetch] = fetch;
    if (isPlain) client.allowInsecureRequests(configuration);
    // By default, the library doesn't check the signature of an ID token that was received over TLS.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private async fetch(url: string, options: OpenidClient.CustomFetchOptions): Promise<Response> {
    const { method, body, signal } = options;
    const response = await this.http.fetch(
      {
        method,
        url,
        headers: options.headers,
        // The client sends only forms.
        body: body instanceof URLSearchParams ? body.toString() : null,
        egress: SETTINGS_EGRESS,
        timeoutMs: REQUEST_MS,
        ...(signal ? { signal } : {}),
      },
      MOST_BYTES,
    );
    const { status, headers, bytes, truncated } = response;
    if (status >= 500) throw new OutboundError('protocol', `the provider responded with status ${status}`, true);
    if (truncated) throw new OutboundError('protocol', 'the provider sent more than 1 MiB', true);
    return new Response(NO_BODY.has(status) ? null : new Uint8Array(bytes), {
      status,
      headers: {
        'content-type': headers['content-type'] ?? '',
        // UserInfo reports the reason for an error in this header: RFC 6750 3.
        ...(headers['www-authenticate'] === undefined ? {} : { 'www-authenticate': headers['www-authenticate'] }),
      },
    });
  }
}

/** Removes the object's method, which metadata never contains. */
const plainOf = (metadata: OpenidClient.ServerMetadata): OpenidClient.ServerMetadata =>
  JSON.parse(JSON.stringify(metadata)) as OpenidClient.ServerMetadata;

/**
 * Sends the secret in the header, which is the default in OpenID Connect, unless the provider accepts it only in the
 * body.
 */
function authenticationOf(
  client: Client,
  secret: string | null,
  methods: readonly string[] | undefined,
): OpenidClient.ClientAuth {
  if (secret === null) return client.None();
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

function refusalOf(error: unknown, client: Client, secret: string | null): SignInRefused {
  if (error instanceof SignInRefused) return error;
  const chain = causesOf(error);
  // A provider may echo the secret that it was sent.
  const text = secret ? wordsOf(chain).replaceAll(secret, '***') : wordsOf(chain);
  if (chain.some((one) => one instanceof OutboundError)) return new SignInRefused('unreachable', text);
  if (!(error instanceof client.AuthorizationResponseError)) return new SignInRefused('refused', text);
  if (DENIALS.has(error.error)) return new SignInRefused('denied', text);
  return new SignInRefused(AWAY.has(error.error) ? 'unreachable' : 'refused', text);
}

const MOST_CAUSES = 8;
const MOST_CHARACTERS = 1000;
/**
 * The provider's error fields: in the body (RFC 6749 5.2), in `WWW-Authenticate` (RFC 6750 3), or a status. They never
 * contain a token.
 */
const SAID = ['error', 'error_description', 'status'] as const;

/** Returns the error, its causes, and the challenges from a response. */
function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  for (const waiting = [error]; waiting.length > 0 && chain.length < MOST_CAUSES;) {
    const one = waiting.shift();
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one)) {
      waiting.push(...(one as unknown[]).slice(0, MOST_CAUSES));
      continue;
    }
    chain.push(one);
    waiting.push('cause' in one ? one.cause : null, 'parameters' in one ? one.parameters : null);
  }
  return chain;
}

/** Returns one log line with the messages from the library and the provider. */
function wordsOf(chain: readonly object[]): string {
  const messages = chain.flatMap((one) => ('message' in one ? [String(one.message)] : []));
  const said = SAID.flatMap((name) => {
    const value = chain
      .map((one) => (one as Readonly<Record<string, unknown>>)[name])
      .find((each) => each !== undefined);
    return typeof value === 'string' || typeof value === 'number' ? [`${name} ${JSON.stringify(value)}`] : [];
  });
  const text = said.length === 0 ? messages.join(': ') : `${messages.join(': ')} (${said.join(', ')})`;
  return cut(oneLine(text), MOST_CHARACTERS);
}
