import { randomBytes } from 'node:crypto';
import { daysUntil } from '../certificate-warning';
import { Injectable } from '@nestjs/common';
import { Dialer } from '../../platform/net/dial/dialer';
import { Inflow } from '../../platform/net/dial/inflow';
import { BodyBudget, type BodyMemory } from '../../platform/net/http/body-budget';
import { type ExchangeResponse, ExchangeError, exchange } from '../../platform/net/http/http-exchange';
import { cut } from '../../platform/text/text-limits';
import { isCritical } from '../assertion/assertion';
import { firstFailure, firstFailureInPieces, looksIntoBody, QUICK_BODY } from '../assertion/assertion-evaluator';
import { CheckResultBuilder, type DialedTls, type LearnedFacts } from '../check-result-builder';
import { socketFailure } from '../check-failure';
import { tlsOf } from '../dialed-tls';
import type { CheckResult, CheckRequest } from '../checker';
import { inflated, MAX_BODY_BYTES, textInPieces, textOf, UnreadableBody } from './http-body';
import { CookieJar } from './cookie-jar';
import { followRedirect, type HttpRequest, addressOf, ownCookies, wireHeaders } from './http-request';
import { digestAnswer, readChallenge } from './digest';
import type { HttpSettings } from './http-settings';
import { type HttpTarget, sameOrigin } from './http-target';
import { OAuthTokens } from './oauth-tokens';
import { JudgingTurns } from './judging-turns';
import { redacted } from './redaction';

const MAX_REDIRECTS = 5;
/** The maximum number of characters per URL in the list of redirects, which is stored with the check. */
const MAX_SHOWN = 500;
const ALPN = ['http/1.1'];
const DEFAULT_TLS: DialedTls = { alpn: ALPN };

type HttpCheckRequest = CheckRequest<HttpTarget, HttpSettings>;

/**
 * Runs an HTTP or HTTPS check. Opens a new connection per hop, verifies the certificate before sending anything,
 * follows redirects within the egress policy, and reads at most 1 MiB of the body. Shared by both types.
 */
@Injectable()
export class HttpCheck {
  constructor(
    private readonly dialer: Dialer,
    private readonly bodies: BodyBudget = new BodyBudget(),
    private readonly turns: JudgingTurns = new JudgingTurns(),
    private readonly tokens: OAuthTokens = new OAuthTokens(dialer),
  ) {}

  async run(check: HttpCheckRequest, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(check, signal);
    const memory = check.assertions.some(looksIntoBody) ? this.bodies.open(check.egress.organization) : null;
    const run: Run = { check, builder, memory, signal, cookies: null, credential: null };
    const { target, method, body } = check;
    const headers = await this.headersOf(run);
    let next: HttpRequest | 'arrived' | 'failed' = headers === null ? 'failed' : { target, method, headers, body };
    let response: ExchangeResponse | null = null;
    try {
      while (typeof next === 'object') {
        response = await this.send(next, run);
        next = response ? ((await this.authorized(next, response, run)) ?? followed(next, response, run)) : 'failed';
      }
      const learned = response && next === 'arrived' ? learnedFrom(check, response, builder) : null;
      if (response && learned && memory) await this.judge(run, response, learned);
      const hidden = run.credential === null ? check.headers : [...check.headers, authorization(run.credential)];
      return redacted(builder.finish(learned ?? {}), hidden);
    } finally {
      memory?.release();
    }
  }

  /** Returns the headers of the first request. `null` if there is no access token, with the failure recorded. */
  private async headersOf(run: Run): Promise<HttpRequest['headers'] | null> {
    const { check, builder, signal } = run;
    const { basic, oauth2 } = check.settings;
    if (basic) return withCredential(check.headers, `Basic ${base64(`${basic.user}:${basic.password}`)}`, run);
    if (!oauth2) return check.headers;
    const token = await this.tokens.tokenFor(oauth2, check, signal);
    if ('outcome' in token) return builder.fail(token);
    run.retriesToken = !token.isFresh;
    return withCredential(check.headers, `Bearer ${token.token}`, run);
  }

  /**
   * Returns the same request with an answer to the server's challenge, or with a new token in place of one that is no
   * longer accepted. Returns `null` if there is nothing more to try.
   */
  private async authorized(
    request: HttpRequest,
    { status, headers }: ExchangeResponse,
    run: Run,
  ): Promise<HttpRequest | 'failed' | null> {
    const { check, builder, signal, memory } = run;
    const { digest, oauth2 } = check.settings;
    if (status !== 401 || !sameOrigin(request.target, check.target)) return null;
    if (oauth2 && run.retriesToken) {
      run.retriesToken = false;
      this.tokens.forget(oauth2, check);
      const token = await this.tokens.tokenFor(oauth2, check, signal);
      memory?.release();
      if ('outcome' in token) return builder.fail(token) ?? 'failed';
      return { ...request, headers: withCredential(request.headers, `Bearer ${token.token}`, run) };
    }
    const challenge =
      digest && run.answered !== request.target ? readChallenge(headers['www-authenticate'] ?? '') : null;
    if (!digest || challenge === null) return null;
    run.answered = request.target;
    memory?.release();
    const how = { method: request.method, path: request.target.path, cnonce: randomBytes(16).toString('hex') };
    return { ...request, headers: withCredential(request.headers, digestAnswer(challenge, digest, how), run) };
  }

  private async send(request: HttpRequest, run: Run): Promise<ExchangeResponse | null> {
    const { check, builder, memory, signal } = run;
    const { host, port, secure, path } = request.target;
    const tls = secure ? tlsFor(host, check) : undefined;
    const inflow = secure ? undefined : new Inflow();
    const socket = await builder.dial(this.dialer, { host, port, tls, inflow });
    if (!socket) return null;
    try {
      const response = await exchange({
        socket,
        inflow,
        method: request.method,
        path,
        headers: wireHeaders(request, cookiesFor(request, run)),
        body: request.body,
        maxBodyBytes: MAX_BODY_BYTES,
        keepBody: memory !== null,
        memory: memory ?? undefined,
        signal,
      });
      noteExchange(builder, response);
      return response;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      noteExchange(builder, error);
      return exchangeFailed(builder, error, addressOf(request.target));
    }
  }

  /**
   * Evaluates the assertions. Slow ones and those on a large body wait for a turn. Critical assertions neither wait
   * for, nor fail because of, a body that only warnings need.
   */
  private async judge(run: Run, response: ExchangeResponse, learned: LearnedFacts): Promise<null> {
    const { check, builder, signal } = run;
    const needsBody = check.assertions.some((one) => isCritical(one) && looksIntoBody(one));
    const early = needsBody ? null : firstFailure(check.assertions.filter(isCritical), builder.factsWith(learned));
    if (early) return builder.judged(early);
    const body = await bodyOf(response, run);
    if (body === null) return null;
    if (typeof body === 'string') {
      if (needsBody) return builder.down('protocol_error', 'transfer', `The body ${body}.`);
      const unreadable = { text: '', complete: false, problem: `a body that ${body}` };
      return builder.judged(
        firstFailure(check.assertions, builder.factsWith({ ...learned, body: unreadable })) ?? null,
      );
    }
    const type = response.headers['content-type'] ?? '';
    const factsOf = (text: string) => builder.factsWith({ ...learned, body: { text, complete: !response.truncated } });
    if (body.length <= QUICK_BODY) {
      const failed = firstFailure(check.assertions, factsOf(textOf(body, type)));
      if (failed !== undefined) return builder.judged(failed);
    }
    const hadItsTurn = await this.turns.take(check.egress.organization, signal, async (pause) => {
      const facts = factsOf(await textInPieces(body, type, pause));
      builder.judged(await firstFailureInPieces(check.assertions, facts, pause));
    });
    return hadItsTurn ? null : builder.unknown('internal', 'assertion', NO_TURN);
  }
}

interface Run {
  check: HttpCheckRequest;
  builder: CheckResultBuilder;
  /** `null` if no assertion reads the body. */
  memory: BodyMemory | null;
  signal: AbortSignal;
  /** The cookies that redirects have set, or `null` if there are none yet. */
  cookies: CookieJar | null;
  /** The value of `Authorization` that the settings of the check led to. */
  credential: string | null;
  /** True if the access token was requested by an earlier check. */
  retriesToken?: boolean;
  /** The target whose Digest challenge was answered. */
  answered?: HttpTarget;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const authorization = (value: string) => ({ key: 'Authorization', value });

/** Replaces `Authorization` in the headers. */
function withCredential(headers: HttpRequest['headers'], credential: string, run: Run): HttpRequest['headers'] {
  run.credential = credential;
  return [...headers.filter(({ key }) => key.toLowerCase() !== 'authorization'), authorization(credential)];
}

const nowOf = ({ now }: HttpCheckRequest): number => now?.() ?? Date.now();

/** Returns `null` if the request sends no cookies except the endpoint's own. */
const cookiesFor = (request: HttpRequest, { check, cookies }: Run): string | null =>
  cookies?.headerFor(request.target, ownCookies(request), nowOf(check)) ?? null;

/** The TLS settings apply only to the endpoint's own host. Other hosts in a redirect use the default settings. */
function tlsFor(host: string, request: HttpCheckRequest): DialedTls {
  const { tls, target, settings } = request;
  const { client_certificate: own } = settings;
  if ((tls === null && !own) || host !== target.host) return DEFAULT_TLS;
  return { ...tlsOf(request, ALPN), identity: own && { cert: own.certificate, key: own.key } };
}

/** Returns the next request after a redirect, or `arrived` after any other response. */
function followed(
  request: HttpRequest,
  { status, headers, setCookies }: ExchangeResponse,
  run: Run,
): HttpRequest | 'arrived' | 'failed' {
  const { check, builder, memory } = run;
  const next = check.followRedirects ? followRedirect(request, status, headers.location) : null;
  if (next === null) return 'arrived';
  if ('refused' in next) {
    builder.down('protocol_error', 'transfer', `The response is ${next.refused}.`);
    return 'failed';
  }
  if (builder.redirects.length === MAX_REDIRECTS) {
    const sentence = `${check.target.shown} redirects more than ${MAX_REDIRECTS} times.`;
    builder.down('too_many_redirects', 'transfer', sentence);
    return 'failed';
  }
  builder.redirects.push(cut(next.target.shown, MAX_SHOWN));
  memory?.release();
  if (setCookies.length > 0) (run.cookies ??= new CookieJar()).take(setCookies, request.target, nowOf(check));
  return next;
}

const NO_TURN = 'The monitor had no time to evaluate the body: too many large bodies are waiting.';
const NO_MEMORY = 'The monitor has no memory for the body: too many large bodies are being read at the same time.';

function noteExchange(
  builder: CheckResultBuilder,
  { firstByteMs, transferMs, status }: Pick<ExchangeError, 'firstByteMs' | 'transferMs' | 'status'>,
): void {
  builder.add('firstByteMs', firstByteMs);
  builder.add('transferMs', transferMs);
  builder.statusCode = status;
}

function exchangeFailed(builder: CheckResultBuilder, { fault, phase, message }: ExchangeError, server: string): null {
  if (fault === 'aborted') return builder.aborted(phase);
  if (fault === 'memory') return builder.unknown('internal', phase, NO_MEMORY);
  if (typeof fault === 'string') return builder.down('protocol_error', phase, `${server}: ${message}.`);
  return builder.fail(socketFailure(fault, phase, `The connection to ${server}`));
}

/**
 * Returns the facts for assertions, without the body. Unless a critical assertion judges the status, it must be 200 to
 * 299.
 */
function learnedFrom(
  check: HttpCheckRequest,
  response: ExchangeResponse,
  builder: CheckResultBuilder,
): LearnedFacts | null {
  const { status, headers } = response;
  const judgesStatus = check.assertions.some((one) => one.source === 'status_code' && isCritical(one));
  if (!judgesStatus && (status < 200 || status > 299)) {
    return builder.down('status_unexpected', 'first_byte', `The status is ${status}; expected 200 to 299.`);
  }
  if (!builder.certificate) return { statusCode: status, headers };
  const certificateDays = daysUntil(Date.parse(builder.certificate.expiresAt), nowOf(check));
  return { statusCode: status, headers, certificateDays };
}

/**
 * Returns the received body, or a string with the reason why it cannot be read. Returns `null` and records a failure if
 * memory is scarce.
 */
async function bodyOf({ body, headers }: ExchangeResponse, { builder, memory }: Run): Promise<Buffer | string | null> {
  if (memory === null) return null;
  try {
    const data = await inflated(body, headers['content-encoding'] ?? '', memory);
    return data ?? builder.unknown('internal', 'transfer', NO_MEMORY);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return error.message;
  }
}
