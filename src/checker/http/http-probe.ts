import { Injectable } from '@nestjs/common';
import { type Dialed, Dialer } from '../../platform/net/dial/dialer';
import { DialError } from '../../platform/net/dial/dial-error';
import { type ExchangeResponse, ExchangeError, exchange } from '../../platform/net/http/http-exchange';
import type { AssertionFacts } from '../assertion/assertion-evaluator';
import { assertionFailure } from '../assertion/assertion-failure';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure, type CheckFailure, dialFailure, down, socketFailure } from '../check-failure';
import type { CheckResult, CheckRequest } from '../checker';
import { MAX_BODY_BYTES, readBody, UnreadableBody } from './http-body';
import { followRedirect, type HttpRequest, placeOf, wireHeaders } from './http-request';
import type { HttpTarget } from './http-target';
import { redacted } from './redaction';

const MAX_REDIRECTS = 5;
const MS_PER_DAY = 86_400_000;
const HTTPS_ALPN = { alpn: ['http/1.1'] };

/** Ends a check early; the draft says how far it came. */
class Stop extends Error {
  constructor(readonly failure: CheckFailure) {
    super(failure.error.message);
  }
}

type HttpCheck = CheckRequest<HttpTarget>;

/**
 * One HTTP or HTTPS check: a fresh connection per hop, the certificate judged before anything is written, redirects
 * followed within the egress policy, at most 1 MiB of the body read. Shared by both types.
 */
@Injectable()
export class HttpProbe {
  constructor(private readonly dialer: Dialer) {}

  async check(check: HttpCheck, signal: AbortSignal): Promise<CheckResult> {
    const draft = new CheckResultBuilder();
    try {
      const answer = await this.follow(check, draft, signal);
      return redacted(draft.result(await judge(check, answer, draft)), check.headers);
    } catch (error) {
      if (error instanceof Stop) return redacted(draft.result(error.failure), check.headers);
      throw error;
    }
  }

  /** The answer that is no redirect. */
  private async follow(check: HttpCheck, draft: CheckResultBuilder, signal: AbortSignal): Promise<ExchangeResponse> {
    const { target, method, headers, body } = check;
    let message: HttpRequest = { target, method, headers, body };
    for (;;) {
      const answer = await this.ask(message, check, draft, signal);
      const next = check.followRedirects ? followRedirect(message, answer.status, answer.headers.location) : null;
      if (next === null) return answer;
      if ('refused' in next) throw new Stop(down('protocol_error', 'transfer', `The answer is ${next.refused}.`));
      if (draft.redirects.length === MAX_REDIRECTS) {
        throw new Stop(
          down('too_many_redirects', 'transfer', `${target.shown} redirects more than ${MAX_REDIRECTS} times.`),
        );
      }
      draft.redirects.push(next.target.shown);
      message = next;
    }
  }

  private async ask(
    message: HttpRequest,
    check: HttpCheck,
    draft: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<ExchangeResponse> {
    const { socket } = await this.connect(message.target, check, draft, signal);
    try {
      const answer = await exchange({
        socket,
        method: message.method,
        path: message.target.path,
        headers: wireHeaders(message),
        body: message.body,
        maxBodyBytes: MAX_BODY_BYTES,
        keepBody: looksIntoBody(check),
        signal,
      });
      noteExchange(draft, answer.firstByteMs, answer.transferMs, answer.status);
      return answer;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      noteExchange(draft, error.firstByteMs, error.transferMs, error.status);
      throw new Stop(exchangeFailure(error, message.target, signal));
    }
  }

  private async connect(
    target: HttpTarget,
    check: HttpCheck,
    draft: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<Dialed> {
    const { host, port, secure } = target;
    try {
      const tls = secure ? HTTPS_ALPN : undefined;
      const dialed = await this.dialer.dial({ host, port, tls, egress: check.egress, signal });
      draft.addDial(dialed.phases, dialed.address);
      draft.certificate = dialed.certificate ?? draft.certificate;
      if (dialed.authorizationError === null) return dialed;
      dialed.socket.destroy();
      throw new Stop(down(dialed.authorizationError.code, 'tls', dialed.authorizationError.message));
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      draft.addDial(error.phases, error.address);
      throw new Stop(dialFailure(error, signal));
    }
  }
}

const looksIntoBody = ({ assertions }: HttpCheck): boolean =>
  assertions.some(({ source }) => source === 'body' || source === 'json');

function noteExchange(
  draft: CheckResultBuilder,
  firstByteMs: number | null,
  transferMs: number | null,
  status: number | null,
) {
  draft.add('firstByteMs', firstByteMs);
  draft.add('transferMs', transferMs);
  draft.statusCode = status;
}

function exchangeFailure({ fault, phase, message }: ExchangeError, target: HttpTarget, signal: AbortSignal) {
  if (fault === 'aborted') return abortFailure(phase, signal);
  if (typeof fault === 'string') return down('protocol_error', phase, `${placeOf(target)}: ${message}.`);
  return socketFailure(fault, phase, `The connection to ${placeOf(target)}`);
}

async function judge(
  check: HttpCheck,
  answer: ExchangeResponse,
  draft: CheckResultBuilder,
): Promise<CheckFailure | null> {
  const { assertions } = check;
  const judgesStatus = assertions.some(({ source }) => source === 'status_code');
  if (!judgesStatus && (answer.status < 200 || answer.status > 299)) {
    return down('status_unexpected', 'first_byte', `The status is ${answer.status}; expected is 200 to 299.`);
  }
  if (assertions.length === 0) return null;
  try {
    return assertionFailure(assertions, await factsOf(check, answer, draft));
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return down('protocol_error', 'transfer', `The body ${error.message}.`);
  }
}

async function factsOf(check: HttpCheck, answer: ExchangeResponse, draft: CheckResultBuilder): Promise<AssertionFacts> {
  const { status, headers, body, truncated } = answer;
  const facts: AssertionFacts = { statusCode: status, durationMs: draft.durationMs, headers };
  if (draft.certificate) {
    facts.certificateDays = (Date.parse(draft.certificate.expiresAt) - Date.now()) / MS_PER_DAY;
  }
  if (looksIntoBody(check)) {
    const encoding = headers['content-encoding'] ?? '';
    facts.body = await readBody(body, !truncated, encoding, headers['content-type'] ?? '');
  }
  return facts;
}
