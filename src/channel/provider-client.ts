import { Injectable, Logger } from '@nestjs/common';
import { OutboundError, OutboundHttp, type OutboundResponse } from '../platform/net/http/outbound-http';
import { armedFailpoint } from '../platform/observability/failpoints';
import { Clock } from '../platform/time/clock';
import { isRecord } from '../platform/text/json';
import type { SendOutcome, SendRequest } from './channel';
import { outcomeOfResponse, publicOutcome, quotingOrLogging, type Reading } from './send-outcome';

/** The time limit of an attempt, which is the same for all providers. */
export const ATTEMPT_LIMIT_MS = 15_000;

export interface ProviderRequest {
  /** The provider's name in error texts. */
  provider: string;
  /** The default is `POST`. */
  method?: string;
  url: string;
  /** The names are lowercase. If there is no `content-type`, the body is JSON. */
  headers?: Readonly<Record<string, string>>;
  body: string;
  /**
   * More strings that errors must not contain, in addition to the marked values of the config. An example is
   * credentials in another encoding.
   */
  hidden?: readonly string[];
}

export interface ProviderResponse extends OutboundResponse {
  /** The parsed JSON body, or `{}` if it isn't a JSON object. */
  json: Readonly<Record<string, unknown>>;
}

type Attempt = Pick<SendRequest<unknown>, 'egress' | 'signal' | 'hidden' | 'record'>;

const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' };

/**
 * Sends one attempt over HTTP, for every channel. Applies limits and the egress policy, determines the outcome, and
 * keeps secrets out of errors.
 */
@Injectable()
export class ProviderClient {
  private readonly logger = new Logger(ProviderClient.name);

  constructor(
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  /** `read` applies the provider's rule for success. It must not throw. */
  async send(
    attempt: Attempt,
    request: ProviderRequest,
    read: (response: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    if (attempt.record) {
      const { method = 'POST', url, headers, body } = request;
      attempt.record({ method, url, headers: { ...JSON_BODY, ...headers }, body });
      return { result: 'delivered', status: null };
    }
    const hidden = [...attempt.hidden, ...(request.hidden ?? [])];
    return publicOutcome(await this.exchange({ ...attempt, hidden }, request, read), hidden);
  }

  private async exchange(
    { egress, signal, hidden }: Attempt,
    { provider, method = 'POST', url, headers, body }: ProviderRequest,
    read: (response: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    try {
      const response = await this.http.request({
        method,
        url,
        headers: { ...JSON_BODY, ...headers },
        body,
        egress,
        timeoutMs: ATTEMPT_LIMIT_MS,
        signal,
        afterWritten: armedFailpoint('outbox.after_request_written'),
      });
      const reading = read({ ...response, json: jsonObject(response.body) });
      return outcomeOfResponse(
        provider,
        response,
        reading,
        this.clock.now().getTime(),
        quotingOrLogging(response.address, hidden, (words) =>
          this.logger.warn(`${provider} rejected a message: ${words}`),
        ),
      );
    } catch (error) {
      if (error instanceof OutboundError) return outcomeOfOutboundError(provider, error);
      throw error;
    }
  }
}

/**
 * Returns the outcome if there was no response. If the destination is blocked, a change is required. After any other
 * failure, another attempt may succeed.
 */
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
