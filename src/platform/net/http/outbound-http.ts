import { Injectable } from '@nestjs/common';
import { DialError, type DialCode } from '../dial/dial-error';
import { Dialer } from '../dial/dialer';
import type { EgressRule } from '../egress/egress-policy';
import { DeadlineExceeded, startDeadline } from '../deadline';
import { holdResponse } from './hold-response';
import { bracketed, normalizeHost } from '../egress/host-name';
import type { ResponseHeaders } from './http-response-parser';
import { ExchangeError, exchange } from './http-exchange';
import { withoutMark } from '../../text/bytes-as-text';
import { readUrl } from '../../text/read-url';

/** An outgoing HTTP request by the service (a notification, a heartbeat, a sitemap). Never used for checks. */
export interface OutboundRequest {
  method: string;
  /** An http: or https: URL. It is secret and never appears in error messages. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  egress: EgressRule;
  /** The overall time limit. Required, because no outgoing call may lack one. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** For tests. Called after the request was sent and before the response is read. */
  afterWritten?: (() => Promise<void>) | undefined;
}

export interface OutboundResponse {
  status: number;
  headers: ResponseHeaders;
  /** At most 64 KiB, decoded as UTF-8. The rest is discarded. */
  body: string;
  /** The IP address that was connected to. */
  address: string;
}

/** A response whose body may contain any bytes. */
export interface FetchedResponse extends Omit<OutboundResponse, 'body'> {
  bytes: Buffer;
  /** True if the body was longer than requested. */
  truncated: boolean;
}

/**
 * The error for a request that got no response. `requestWritten` shows whether the peer may have acted on the request.
 * If true, the outcome is unknown. If false, the request certainly had no effect. The message is safe to show, because
 * it contains at most the host.
 */
export class OutboundError extends Error {
  constructor(
    readonly code: 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol' | 'aborted',
    message: string,
    readonly requestWritten: boolean,
  ) {
    super(message);
  }
}

const MAX_BODY_BYTES = 64 * 1024;
const USER_AGENT = 'uptime-monitor/1 (notification)';
const OWN_HEADERS = /^(host|content-length|connection|transfer-encoding|accept-encoding)$/i;

type OutboundCode = OutboundError['code'];

interface UrlTarget {
  secure: boolean;
  host: string;
  port: number;
  path: string;
  /** The value of the `Host` header. */
  authority: string;
  /** The credentials in the URL, or `null`. URLs in the operator's settings may contain credentials. */
  authorization: string | null;
}

/**
 * Sends the service's own HTTP requests, such as notifications and heartbeats. Opens a new connection to an allowed
 * address and verifies the certificate before sending. Applies one overall time limit and reads a limited part of the
 * response. Returns redirects without following them. Uses no cookies and no proxy.
 */
@Injectable()
export class OutboundHttp {
  constructor(private readonly dialer: Dialer) {}

  /** Resolves for any status. Throws only `OutboundError`. */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const { status, headers, bytes, address } = await this.fetch(request, MAX_BODY_BYTES);
    return { status, headers, body: withoutMark(bytes.toString('utf8')), address };
  }

  /** Works like `request`, but returns up to `maxBytes` of the body as raw bytes. */
  async fetch(request: OutboundRequest, maxBytes: number): Promise<FetchedResponse> {
    const target = targetOf(request.url);
    const limit = startDeadline(request.timeoutMs, request.signal);
    try {
      const { socket, address } = await this.connect(target, request.egress, limit.signal);
      const responding = exchange({
        socket,
        method: request.method,
        path: target.path,
        headers: headersOf(request, target),
        body: request.body,
        maxBodyBytes: maxBytes,
        keepBody: true,
        signal: limit.signal,
      });
      if (request.afterWritten) void holdResponse(socket, request.afterWritten);
      const { status, headers, body, truncated } = await responding;
      return { status, headers, bytes: body, truncated, address };
    } catch (error) {
      throw outboundErrorOf(error, target.host, limit.signal);
    } finally {
      limit.clear();
    }
  }

  private async connect(to: UrlTarget, egress: EgressRule, signal: AbortSignal) {
    const tls = to.secure ? { alpn: ['http/1.1'] } : undefined;
    const dialed = await this.dialer.dial({ host: to.host, port: to.port, tls, egress, signal });
    if (dialed.authorizationError === null) return dialed;
    dialed.socket.destroy();
    throw new OutboundError('tls', dialed.authorizationError.message, false);
  }
}

function targetOf(text: string): UrlTarget {
  const url = readUrl(text);
  const host = url && /^https?:$/.test(url.protocol) ? normalizeHost(url.hostname) : null;
  if (!url || host === null) throw new OutboundError('protocol', 'the URL is not a valid http(s) URL', false);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const authority = url.port === '' ? bracketed(host) : `${bracketed(host)}:${url.port}`;
  return {
    secure,
    host,
    port,
    path: `${url.pathname}${url.search}`,
    authority,
    authorization: basicAuthorization(url),
  };
}

function basicAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
}

function headersOf(request: OutboundRequest, { authority, authorization }: UrlTarget): [string, string][] {
  const given = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name));
  const named = given.some(([name]) => name.toLowerCase() === 'user-agent');
  return [
    ['Host', authority],
    ...(named ? [] : [['User-Agent', USER_AGENT] as [string, string]]),
    ['Accept-Encoding', 'identity'],
    ...(authorization === null ? [] : [['Authorization', authorization] as [string, string]]),
    ...given,
    ...(request.body === null ? [] : [['Content-Length', String(Buffer.byteLength(request.body))] as [string, string]]),
    ['Connection', 'close'],
  ];
}

function outboundErrorOf(error: unknown, host: string, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  if (error instanceof DialError) {
    return error.code === 'aborted'
      ? abortedError(host, signal, false)
      : new OutboundError(DIAL_CODES[error.code], error.message, false);
  }
  if (error instanceof ExchangeError) {
    if (error.fault === 'aborted') return abortedError(host, signal, error.written);
    const code = error.fault === 'protocol' ? 'protocol' : 'reset';
    return new OutboundError(code, `No response from ${host}: ${error.message}.`, error.written);
  }
  throw error;
}

const DIAL_CODES: Record<Exclude<DialCode, 'aborted'>, OutboundCode> = {
  dns_not_found: 'dns',
  dns_timeout: 'dns',
  dns_failure: 'dns',
  connection_refused: 'connect',
  connection_reset: 'connect',
  connection_timeout: 'connect',
  host_unreachable: 'connect',
  monitor_offline: 'connect',
  internal: 'connect',
  tls_handshake_failed: 'tls',
  tls_expired: 'tls',
  tls_not_yet_valid: 'tls',
  tls_hostname_mismatch: 'tls',
  tls_untrusted: 'tls',
  target_blocked: 'blocked',
};

const abortedError = (host: string, signal: AbortSignal, written: boolean): OutboundError =>
  signal.reason instanceof DeadlineExceeded
    ? new OutboundError('timeout', `${host} did not answer in time.`, written)
    : new OutboundError('aborted', `The request to ${host} was given up.`, written);
