import { Injectable } from '@nestjs/common';
import { OutboundError, OutboundHttp, type OutboundResponse } from '../platform/net/http/outbound-http';
import { Clock } from '../platform/time/clock';
import type { SendContext, SendOutcome } from './channel';
import { outcomeOfResponse, publicOutcome, type Reading } from './send-outcome';

/** No attempt takes longer, whatever the provider does. */
export const ATTEMPT_LIMIT_MS = 15_000;

/** One request to a provider. */
export interface ProviderRequest {
  /** How the provider is named in error texts. */
  provider: string;
  method?: string;
  url: string;
  /** Lower-case names. Without a `content-type` the body is JSON. */
  headers?: Readonly<Record<string, string>>;
  body: string;
  /** What no error text may repeat. */
  hidden: readonly string[];
}

/** The provider's answer with its body read as JSON; `{}` when it is none. */
export interface ProviderResponse extends OutboundResponse {
  json: Readonly<Record<string, unknown>>;
}

/** One attempt over HTTP, for every channel alike: limits, egress policy, outcome classes, and errors that tell no secret. */
@Injectable()
export class ProviderClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  /** `read` knows the provider's rule of success; it must not throw. */
  async send(
    request: ProviderRequest,
    context: SendContext,
    read: (answer: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    const outcome = await this.attempt(request, context, read);
    return publicOutcome(outcome, request.hidden);
  }

  private async attempt(
    request: ProviderRequest,
    context: SendContext,
    read: (answer: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    try {
      const answer = await this.http.request({
        method: request.method ?? 'POST',
        url: request.url,
        headers: { 'content-type': 'application/json; charset=utf-8', ...request.headers },
        body: request.body,
        egress: context.egress,
        timeoutMs: ATTEMPT_LIMIT_MS,
        signal: context.signal,
        afterWritten: context.afterWritten,
      });
      const reading = read({ ...answer, json: jsonObject(answer.body) });
      return outcomeOfResponse(request.provider, answer, reading, this.clock.now().getTime());
    } catch (error) {
      if (error instanceof OutboundError) return outcomeOfOutboundError(request.provider, error);
      throw error;
    }
  }
}

/** No answer: a destination we may not connect to needs a change, anything else may work later. */
export function outcomeOfOutboundError(provider: string, error: OutboundError): SendOutcome {
  if (error.code === 'blocked')
    return {
      result: 'rejected',
      status: null,
      error: `${provider}: ${error.message}`,
      gone: false,
    };
  return {
    result: 'retry',
    status: null,
    error: `${provider}: ${error.message}`,
    retryAfterMs: null,
    mayHaveArrived: error.requestWritten,
  };
}

function jsonObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** True for a JSON object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
