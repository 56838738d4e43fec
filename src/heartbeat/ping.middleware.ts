import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { RateLimits } from '../identity/rate-limits';
import { clientAddress } from '../platform/access/client-network';
import { storableText } from '../platform/database/postgres-text';
import { isUnavailable } from '../platform/database/postgres-errors';
import { hasBody } from '../platform/http/body/read-body';
import { LoadShedder } from '../platform/http/load/load-shedder';
import { within } from '../platform/net/deadline';
import { Health } from '../platform/observability/health';
import { Metrics } from '../platform/observability/metrics';
import { Problem } from '../platform/problem/problem';
import { HeartbeatCreation } from './heartbeat-creation';
import { isUuid, type PingAddress, readPingPath, readPushPath } from './ping-address';
import { type PingOutcome, PingService, type SentPing } from './ping.service';

/** The number of bytes of a body that are stored. */
export const BODY_LIMIT = 10_000;
/** If the check of a committed ping can't be recorded within this time, the client is asked to retry. */
const RECORD_WAIT_MS = 10_000;
const RETRY_SECONDS = 5;
const METHODS = ['GET', 'HEAD', 'POST'];

/** A response to a ping, in the format that its URL requires. */
interface Reply {
  status: number;
  text: string;
  retryAfter?: number;
}

/**
 * Handles the ping URLs of healthchecks and Uptime Kuma. This Express middleware runs after everything that may refuse
 * a request for lack of capacity, and before the routes. Anything that a job sends along (a type, a length, an
 * encoding, a key) must not make a ping fail, so the API's rules do not apply. No log line and no error contains a ping
 * URL.
 */
@Injectable()
export class PingMiddleware implements OnModuleInit {
  private readonly logger = new Logger(PingMiddleware.name);
  private readonly taken;

  constructor(
    private readonly pings: PingService,
    private readonly creation: HeartbeatCreation,
    private readonly limits: RateLimits,
    private readonly load: LoadShedder,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    this.taken = metrics.labelledCounter({
      name: 'uptime_pings_total',
      help: 'Pings of jobs by result.',
      values: { result: ['taken', 'limited', 'refused', 'unavailable'] },
    });
  }

  onModuleInit(): void {
    this.load.recognize(({ path }) => {
      const address = addressOf(path, 'up');
      if (address === null || address === 'unknown') return null;
      const owner = this.pings.knownOwner(address.target);
      // Open requests are counted here, where a refusal is formatted as a ping response.
      return owner === null ? null : { owner, isPassing: true };
    });
  }

  readonly serve: RequestHandler = async (request, response, next) => {
    const address = addressOf(request.path, textOf(request, 'status') ?? 'up');
    if (address === null) return next();
    const reply = await this.replyTo(address, request).catch((error: unknown) => this.failed(error));
    if (reply === 'left') return undefined;
    this.taken.inc({ result: resultOf(reply.status) });
    send(request, response, reply, isPush(request.path));
    return undefined;
  };

  /** Finds the owner of the URL, and whether another ping is accepted, before reading the body. */
  private async replyTo(address: PingAddress | 'unknown', request: Request): Promise<Reply | 'left'> {
    if (request.method === 'OPTIONS') return { status: 204, text: '' };
    if (!METHODS.includes(request.method)) return { status: 405, text: 'method not allowed' };
    if (this.health.draining) return unavailable();
    if (address === 'unknown') return this.unknown(request);
    const located = await this.pings.locate(address.target, () => this.limits.admitLookUp(request, 'ping'));
    if (!located) return this.unknown(request);
    this.load.identified(request, located.orgId);
    const waitSeconds = await this.pings.waitFor(located);
    if (waitSeconds > 0) return limited(waitSeconds);
    const isToBeMade = located.endpointId === null && address.target.by === 'key';
    if (isToBeMade && (address.refusal !== null || textOf(request, 'create') !== '1')) return this.unknown(request);
    const sent = hasBody(request)
      ? await this.load.sendingPing(request, located.orgId, () => bodyOf(request))
      : NO_BODY;
    if (sent === null) return 'left';
    const made =
      isToBeMade && address.target.by === 'key' ? await this.creation.create(located.orgId, address.target) : 'there';
    if (made === null) return this.unknown(request);
    const outcome = await within(RECORD_WAIT_MS, this.pings.take(pingOf(address, request, sent), located.orgId));
    if (outcome === 'late') return unavailable();
    if (outcome.status === 'unknown') return this.unknown(request);
    return outcome.status === 'ok' && made === 'created' ? { status: 201, text: 'Created' } : replyTo(outcome);
  }

  /** Counts the request as if it had used a wrong API key. */
  private unknown(request: Request): Reply {
    const refusal = this.limits.refusal(request);
    return refusal.code === 'rate_limited' ? this.failed(refusal) : { status: 404, text: 'not found' };
  }

  private failed(error: unknown): Reply {
    if (error instanceof Problem) {
      const { code, status, detail, headers } = error;
      const text = code === 'rate_limited' ? 'too many requests' : detail;
      return {
        status,
        text,
        ...(headers['Retry-After'] !== undefined && { retryAfter: Number(headers['Retry-After']) }),
      };
    }
    if (!isUnavailable(error)) this.logger.error(`Could not accept a ping: ${nameOf(error)}`);
    return unavailable();
  }
}

/** `push` is the value of the `status` parameter. */
const addressOf = (path: string, push: string): PingAddress | 'unknown' | null =>
  readPushPath(path, push) ?? readPingPath(path);

const isPush = (path: string): boolean => readPushPath(path, 'up') !== null;

interface KeptBody {
  body: string | null;
  bodyBytes: number;
}

const NO_BODY: KeptBody = { body: null, bodyBytes: 0 };

/** Returns the reason from an Uptime Kuma push URL. */
const messageOf = ({ target }: PingAddress, request: Request): string | null =>
  target.by === 'token' ? textOf(request, 'msg') : null;

/** Returns the duration from an Uptime Kuma push URL, in whole milliseconds. */
function reportedMsOf({ target }: PingAddress, request: Request): number | null {
  const text = target.by === 'token' ? textOf(request, 'ping') : null;
  return text !== null && /^\d{1,10}(\.\d{1,20})?$/.test(text) ? Math.round(Number(text)) : null;
}

function pingOf(address: PingAddress, request: Request, sent: KeptBody): SentPing {
  const rid = textOf(request, 'rid');
  const isOfPush = address.target.by === 'token';
  const isBadlyWritten = !isOfPush && rid !== null && !isUuid(rid);
  return {
    ...address,
    refusal: address.refusal ?? (isBadlyWritten ? 'invalid uuid format' : null),
    runId: isOfPush ? null : (rid?.toLowerCase() ?? null),
    message: messageOf(address, request),
    reportedMs: reportedMsOf(address, request),
    ...(sent.bodyBytes === 0 ? keptOf(Buffer.from(messageOf(address, request) ?? '')) : sent),
    from: clientAddress(request) ?? null,
  };
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const unavailable = (): Reply => ({ status: 503, text: 'try again', retryAfter: RETRY_SECONDS });

const resultOf = (status: number): 'taken' | 'limited' | 'refused' | 'unavailable' => {
  if (status < 300) return 'taken';
  if (status === 429) return 'limited';
  return status >= 500 ? 'unavailable' : 'refused';
};

const limited = (waitSeconds: number): Reply => ({
  status: 429,
  text: 'too many requests',
  retryAfter: Math.ceil(waitSeconds),
});

function replyTo(outcome: PingOutcome): Reply {
  if (outcome.status === 'limited') return limited(outcome.waitSeconds);
  if (outcome.status === 'refused')
    return { status: outcome.refusal === 'not found' ? 404 : 400, text: outcome.refusal };
  return outcome.status === 'ok' ? { status: 200, text: 'OK' } : { status: 404, text: 'not found' };
}

/** Returns the first value of a parameter, in the form to store. */
function textOf({ query }: Request, name: string): string | null {
  const value: unknown = query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? storableText(first) : null;
}

/** Reads the body without refusing any type or length. Returns `null` if the client disconnected before the end. */
async function bodyOf(request: Request): Promise<KeptBody | null> {
  const kept: Buffer[] = [];
  let bodyBytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (bodyBytes < BODY_LIMIT) kept.push(chunk);
      bodyBytes += chunk.length;
    }
  } catch {
    return null;
  }
  return keptOf(Buffer.concat(kept), bodyBytes);
}

function keptOf(bytes: Buffer, bodyBytes = bytes.length): KeptBody {
  if (bodyBytes === 0) return NO_BODY;
  const text = readText(bytes.subarray(0, BODY_LIMIT), bodyBytes > BODY_LIMIT);
  return { body: storableText(text.replaceAll('\0', '\ufffd')), bodyBytes };
}

/** Replaces invalid UTF-8, and drops a truncated character at the end. */
const readText = (bytes: Buffer, isCut: boolean): string => new TextDecoder().decode(bytes, { stream: isCut });

export const pushReply = (status: number, text: string): { ok: boolean; msg?: string } =>
  status < 300 ? { ok: true } : { ok: false, msg: status === 404 ? 'Monitor not found or not active.' : text };

function send(request: Request, response: Response, { status, text, retryAfter }: Reply, isPush: boolean): void {
  response.status(status);
  response.setHeader('Ping-Body-Limit', String(BODY_LIMIT));
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cache-Control', 'no-store');
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  if (status === 405) response.setHeader('Allow', [...METHODS, 'OPTIONS'].join(', '));
  if (status === 204) {
    response.setHeader('Access-Control-Allow-Methods', METHODS.join(', '));
    response.setHeader('Access-Control-Allow-Headers', '*');
    response.end();
    return;
  }
  response.setHeader('Content-Type', isPush ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8');
  const body = isPush ? JSON.stringify(pushReply(status, text)) : text;
  if (request.method === 'HEAD') response.end();
  else response.end(body);
}
