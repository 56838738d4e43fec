import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Dialer } from '../../platform/net/dial/dialer';
import { ExchangeError, exchange } from '../../platform/net/http/http-exchange';
import { isRecord } from '../../platform/text/json';
import { abortFailure, type CheckFailure, down, socketFailure, unknown } from '../check-failure';
import { CheckResultBuilder } from '../check-result-builder';
import type { CheckRequest } from '../checker';
import type { OAuthClient } from './http-settings';
import { cut } from '../../platform/text/text-limits';

const MAX_BYTES = 64 * 1024;
const MAX_TOKEN = 16 * 1024;
const MAX_KEPT = 5000;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** A token is replaced this long before it expires, so that it is valid until the check has ended. */
const EARLY_MS = 30_000;
/** The lifetime of tokens whose server doesn't say it, and the longest time that any token is kept. */
const DEFAULT_MS = 300_000;
const MAX_MS = 86_400_000;

interface Token {
  text: string;
  untilMs: number;
}

/** Access tokens of clients, until they expire. They are only in memory, under a hash of the credentials. */
@Injectable()
export class OAuthTokens {
  private readonly known = new BoundedMap<string, Token>(MAX_KEPT, {
    max: MAX_KEPT_BYTES,
    of: ({ text }) => text.length,
  });

  constructor(private readonly dialer: Dialer) {}

  /** Returns the access token, or the failure. `isFresh` is true if it was requested for this check. */
  async tokenFor(
    client: OAuthClient,
    check: CheckRequest<unknown>,
    signal: AbortSignal,
  ): Promise<{ token: string; isFresh: boolean } | CheckFailure> {
    const key = keyOf(client, check);
    const known = this.known.get(key);
    if (known && known.untilMs > performance.now()) return { token: known.text, isFresh: false };
    const token = await this.request(client, check, signal);
    if ('outcome' in token) return token;
    if (token.untilMs > performance.now()) this.known.set(key, token);
    return { token: token.text, isFresh: true };
  }

  /** Forgets a token that the server no longer accepts. */
  forget(client: OAuthClient, check: CheckRequest<unknown>): void {
    this.known.delete(keyOf(client, check));
  }

  /** The request has its own connection. Its time doesn't count as the target's. */
  private async request(
    client: OAuthClient,
    check: CheckRequest<unknown>,
    signal: AbortSignal,
  ): Promise<Token | CheckFailure> {
    const { protocol, hostname, host, port, pathname, search } = new URL(client.token_url);
    const secure = protocol === 'https:';
    const builder = new CheckResultBuilder({ ...check, assertions: [], tls: null }, signal);
    const to = { host: hostname, port: port === '' ? (secure ? 443 : 80) : Number(port) };
    const socket = await builder.dial(this.dialer, { ...to, tls: secure ? { alpn: ['http/1.1'] } : undefined });
    if (!socket) return failedDial(builder);
    const body = bodyOf(client);
    try {
      const response = await exchange({
        socket,
        method: 'POST',
        path: `${pathname}${search}`,
        headers: [
          ['Host', host],
          [
            'Authorization',
            `Basic ${Buffer.from(`${encoded(client.client_id)}:${encoded(client.client_secret)}`).toString('base64')}`,
          ],
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['Accept', 'application/json'],
          ['Accept-Encoding', 'identity'],
          ['Content-Length', String(Buffer.byteLength(body))],
          ['Connection', 'close'],
        ],
        body,
        maxBodyBytes: MAX_BYTES,
        keepBody: true,
        signal,
      });
      return readToken(response.status, response.body.toString('utf8'), performance.now());
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (error.fault === 'aborted') return abortFailure(error.phase, signal);
      if (typeof error.fault === 'string')
        return down('protocol_error', error.phase, `The token server: ${error.message}.`);
      return socketFailure(error.fault, error.phase, 'The connection to the token server');
    }
  }
}

function failedDial(builder: CheckResultBuilder): CheckFailure {
  const { outcome, error } = builder.finish();
  if (outcome === 'up' || error === null) return unknown('internal', 'internal', 'The token server was not reached.');
  return { outcome, error: { ...error, message: cut(`The token server: ${error.message}`, 300) } };
}

const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function bodyOf({ scope, audience }: OAuthClient): string {
  return new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  }).toString();
}

/** Reads the response of a token endpoint. Quotes nothing but its error code. */
export function readToken(status: number, text: string, nowMs: number): Token | CheckFailure {
  const refused = (sentence: string) => down('protocol_error', 'first_byte', sentence);
  const body = parsed(text);
  if (status !== 200) {
    const code =
      isRecord(body) && typeof body['error'] === 'string' ? /^[a-z_]{1,40}$/.exec(body['error'])?.[0] : undefined;
    return refused(
      `The token server answered with status ${status}${code === undefined ? '' : ` and the error ${code}`}.`,
    );
  }
  const token = isRecord(body) ? body['access_token'] : undefined;
  const type = isRecord(body) ? body['token_type'] : undefined;
  if (typeof token !== 'string' || token.length > MAX_TOKEN || !/^[\x21-\x7e]+$/.test(token))
    return refused('The token server sent no valid access token.');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    return refused('The token server sent a token of another type than Bearer.');
  const seconds = isRecord(body) ? Number(body['expires_in']) : NaN;
  const lifeMs = seconds > 0 ? Math.min(seconds * 1000, MAX_MS) : DEFAULT_MS;
  return { text: token, untilMs: nowMs + lifeMs - EARLY_MS };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Tokens are not shared between organizations, even if their credentials are the same. */
const keyOf = (client: OAuthClient, { egress }: CheckRequest<unknown>): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        egress.organization,
        client.token_url,
        client.client_id,
        client.client_secret,
        client.scope,
        client.audience,
      ]),
    )
    .digest('base64url');
