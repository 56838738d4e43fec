import { Injectable, Logger } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { RateLimits } from '../identity/rate-limits';
import { clientAddress } from '../platform/access/client-network';
import { storableText } from '../platform/database/postgres-text';
import { isUnavailable } from '../platform/database/postgres-errors';
import { within } from '../platform/net/deadline';
import { Health } from '../platform/observability/health';
import { Metrics } from '../platform/observability/metrics';
import { Problem } from '../platform/problem/problem';
import { HeartbeatCreation } from './heartbeat-creation';
import { isUuid, type PingAddress, readPingPath, readPushPath } from './ping-address';
import { type PingOutcome, PingService } from './ping.service';

/** What is kept of a body. */
export const BODY_LIMIT = 10_000;
/** A committed ping whose check cannot be recorded in this time is told to come again. */
const RECORD_WAIT_MS = 10_000;
const RETRY_SECONDS = 5;
const METHODS = ['GET', 'HEAD', 'POST'];

/** A response to a ping, in the form of the address. */
interface Reply {
  status: number;
  text: string;
  retryAfter?: number;
}

/**
 * The addresses that jobs ping: those of healthchecks and of Uptime Kuma. Express middleware, behind everything that may
 * refuse a request for lack of room, and before the routes: whatever a job sends along (a type, a length, an encoding, a key)
 * must not make a ping fail, so none of the rules of the API hold here. No log line and no error has an address.
 */
@Injectable()
export class PingMiddleware {
  private readonly logger = new Logger(PingMiddleware.name);
  private readonly taken;

  constructor(
    private readonly pings: PingService,
    private readonly creation: HeartbeatCreation,
    private readonly limits: RateLimits,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    this.taken = metrics.counter({
      name: 'uptime_pings_total',
      help: 'Pings of jobs, by what became of them.',
      labelNames: ['result'],
    });
  }

  readonly serve: RequestHandler = async (request, response, next) => {
    const push = readPushPath(request.path, textOf(request, 'status') ?? 'up');
    const address = push ?? readPingPath(request.path);
    if (address === null) return next();
    const reply = await this.replyTo(address, request).catch((error: unknown) => this.failed(error));
    if (reply === 'left') return undefined;
    this.taken.inc({ result: resultOf(reply.status) });
    send(request, response, reply, push !== null);
    return undefined;
  };

  private async replyTo(address: PingAddress | 'unknown', request: Request): Promise<Reply | 'left'> {
    if (request.method === 'OPTIONS') return { status: 204, text: '' };
    if (!METHODS.includes(request.method)) return { status: 405, text: 'method not allowed' };
    if (this.health.draining) return unavailable();
    const sent = await bodyOf(request);
    if (sent === null) return 'left';
    if (address === 'unknown') return this.unknown(request);
    this.limits.admitPing(request, this.pings.ownerOf(address.target));
    const rid = textOf(request, 'rid');
    const isPush = address.target.by === 'token';
    const refusal =
      address.refusal ?? (!isPush && rid !== null && !isUuid(rid) ? ('invalid uuid format' as const) : null);
    const ping = {
      ...address,
      refusal,
      runId: isPush ? null : (rid?.toLowerCase() ?? null),
      message: isPush ? textOf(request, 'msg') : null,
      ...sent,
      from: clientAddress(request) ?? null,
    };
    const outcome = await within(RECORD_WAIT_MS, this.pings.take(ping));
    if (outcome === 'late') return unavailable();
    if (outcome.status !== 'unknown') return replyTo(outcome);
    if (address.target.by !== 'key' || address.refusal !== null || textOf(request, 'create') !== '1')
      return this.unknown(request);
    const made = await this.creation.create(address.target);
    if (!made) return this.unknown(request);
    const again = await within(RECORD_WAIT_MS, this.pings.take(ping));
    if (again === 'late') return unavailable();
    return again.status === 'ok' && made === 'created' ? { status: 201, text: 'Created' } : replyTo(again);
  }

  /** Counts it as a wrong key is counted. */
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
    if (!isUnavailable(error)) this.logger.error(`A ping could not be taken: ${nameOf(error)}`);
    return unavailable();
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const unavailable = (): Reply => ({ status: 503, text: 'try again', retryAfter: RETRY_SECONDS });

const resultOf = (status: number): string => {
  if (status < 300) return 'taken';
  if (status === 429) return 'limited';
  return status >= 500 ? 'unavailable' : 'refused';
};

function replyTo(outcome: PingOutcome): Reply {
  if (outcome.status === 'limited') {
    return { status: 429, text: 'too many requests', retryAfter: Math.ceil(outcome.waitSeconds) };
  }
  if (outcome.status === 'refused')
    return { status: outcome.refusal === 'not found' ? 404 : 400, text: outcome.refusal };
  return outcome.status === 'ok' ? { status: 200, text: 'OK' } : { status: 404, text: 'not found' };
}

/** The first value of a parameter, as it is stored. */
function textOf({ query }: Request, name: string): string | null {
  const value: unknown = query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? storableText(first) : null;
}

/** Never refused, whatever its type and length; `null` when the client left before all of it came. */
async function bodyOf(request: Request): Promise<{ body: string | null; bodyBytes: number } | null> {
  const kept: Buffer[] = [];
  let bodyBytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (bodyBytes < BODY_LIMIT) kept.push(chunk.subarray(0, BODY_LIMIT - bodyBytes));
      bodyBytes += chunk.length;
    }
  } catch {
    return null;
  }
  if (bodyBytes === 0) return { body: null, bodyBytes };
  const isCut = bodyBytes > BODY_LIMIT;
  return { body: storableText(readText(Buffer.concat(kept), isCut).replaceAll('\0', '\ufffd')), bodyBytes };
}

/** What is no UTF-8 is replaced; a character that was cut is left out. */
const readText = (bytes: Buffer, isCut: boolean): string => new TextDecoder().decode(bytes, { stream: isCut });

/** In the form of Uptime Kuma. */
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
