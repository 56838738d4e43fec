import { Injectable } from '@nestjs/common';
import { Dialer } from '../../platform/net/dial/dialer';
import { type ExchangeResponse, ExchangeError, exchange } from '../../platform/net/http/http-exchange';
import { DAY_MS } from '../../platform/time/time-units';
import type { AssertionFacts } from '../assertion/assertion-evaluator';
import { CheckResultBuilder } from '../check-result-builder';
import { socketFailure } from '../check-failure';
import type { CheckResult, CheckRequest } from '../checker';
import { MAX_BODY_BYTES, readBody, UnreadableBody } from './http-body';
import { followRedirect, type HttpRequest, addressOf, wireHeaders } from './http-request';
import type { HttpTarget } from './http-target';
import { redacted } from './redaction';

const MAX_REDIRECTS = 5;
const HTTPS_ALPN = { alpn: ['http/1.1'] };

type HttpCheck = CheckRequest<HttpTarget>;

/**
 * One HTTP or HTTPS check: a fresh connection per hop, the certificate judged before anything is written, redirects
 * followed within the egress policy, at most 1 MiB of the body read. Shared by both types.
 */
@Injectable()
export class HttpProbe {
  constructor(private readonly dialer: Dialer) {}

  async check(check: HttpCheck, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(check, signal);
    const response = await this.follow(check, builder, signal);
    const facts = response && (await judge(check, response, builder));
    return redacted(builder.finish(facts ?? {}), check.headers);
  }

  /** The response that is no redirect; `null` when the check has failed before. */
  private async follow(
    check: HttpCheck,
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<ExchangeResponse | null> {
    const { target, method, headers, body } = check;
    let request: HttpRequest = { target, method, headers, body };
    for (;;) {
      const response = await this.send(request, check, builder, signal);
      if (!response || !check.followRedirects) return response;
      const next = followRedirect(request, response.status, response.headers.location);
      if (next === null) return response;
      if ('refused' in next) return builder.down('protocol_error', 'transfer', `The answer is ${next.refused}.`);
      if (builder.redirects.length === MAX_REDIRECTS) {
        const sentence = `${target.shown} redirects more than ${MAX_REDIRECTS} times.`;
        return builder.down('too_many_redirects', 'transfer', sentence);
      }
      builder.redirects.push(next.target.shown);
      request = next;
    }
  }

  private async send(
    request: HttpRequest,
    check: HttpCheck,
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<ExchangeResponse | null> {
    const { host, port, secure, path } = request.target;
    const socket = await builder.dial(this.dialer, { host, port, tls: secure ? HTTPS_ALPN : undefined });
    if (!socket) return null;
    try {
      const response = await exchange({
        socket,
        method: request.method,
        path,
        headers: wireHeaders(request),
        body: request.body,
        maxBodyBytes: MAX_BODY_BYTES,
        keepBody: looksIntoBody(check),
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
}

const looksIntoBody = ({ assertions }: HttpCheck): boolean =>
  assertions.some(({ source }) => source === 'body' || source === 'json');

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
  if (typeof fault === 'string') return builder.down('protocol_error', phase, `${server}: ${message}.`);
  return builder.fail(socketFailure(fault, phase, `The connection to ${server}`));
}

/** What the assertions may look at. Without an assertion about the status it must be 200 to 299. */
async function judge(
  check: HttpCheck,
  response: ExchangeResponse,
  builder: CheckResultBuilder,
): Promise<HttpFacts | null> {
  const { assertions } = check;
  const judgesStatus = assertions.some(({ source }) => source === 'status_code');
  if (!judgesStatus && (response.status < 200 || response.status > 299)) {
    const sentence = `The status is ${response.status}; expected is 200 to 299.`;
    return builder.down('status_unexpected', 'first_byte', sentence);
  }
  if (assertions.length === 0) return null;
  try {
    return await factsOf(check, response, builder);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return builder.down('protocol_error', 'transfer', `The body ${error.message}.`);
  }
}

type HttpFacts = Omit<AssertionFacts, 'durationMs'>;

async function factsOf(check: HttpCheck, response: ExchangeResponse, builder: CheckResultBuilder): Promise<HttpFacts> {
  const { status, headers, body, truncated } = response;
  const facts: HttpFacts = { statusCode: status, headers };
  if (builder.certificate) {
    facts.certificateDays = (Date.parse(builder.certificate.expiresAt) - Date.now()) / DAY_MS;
  }
  if (looksIntoBody(check)) {
    const encoding = headers['content-encoding'] ?? '';
    facts.body = await readBody(body, !truncated, encoding, headers['content-type'] ?? '');
  }
  return facts;
}
