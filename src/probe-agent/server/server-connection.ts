import { type Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ServerAccess } from '../../platform/config/probe-config';
import { startDeadline } from '../../platform/net/deadline';
import { isRecord } from '../../platform/text/json';
import { Health } from '../../platform/observability/health';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { VERSION } from '../../platform/version';
import { type Meaning, meaningOf } from './retry';
import { agentFor } from './proxy-agent';
import { ServerClock } from './server-clock';
import { cut } from '../../platform/text/text-limits';

/** Smaller bodies are sent uncompressed, because compression would use more memory than it saves. */
const GZIP_FROM_BYTES = 8 * 1024;
/**
 * The maximum size of a response, compressed and decompressed. It is several times the size that the service
 * guarantees.
 */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * A probe that has had no connection to the service for longer than this isn't ready, because its results don't reach
 * anyone.
 */
const NOT_READY_MS = MINUTE_MS;

const packed = promisify(gzip);
const unpacked = promisify(gunzip);

export interface ServerReply {
  meaning: Meaning;
  status: number;
  /** The JSON object in a `done` reply. It has a numeric `now` field. */
  body: Readonly<Record<string, unknown>>;
  retryAfter: string | undefined;
}

/** Thrown if there was no reply. The message contains no credentials. */
export class ServerUnreachable extends Error {}

/**
 * Sends requests to the service, one at a time, with limits on time and size. Each response sets the clock. The
 * settings determine the destination, and no egress policy applies.
 */
@Injectable()
export class ServerConnection implements OnModuleDestroy {
  private agent: Agent | null = null;
  /** When the last response was accepted, in monotonic milliseconds. Initially the start time. */
  private heardAt: number;
  /** The round-trip time of the newest request for which the service didn't wait. */
  rttMs = 0;

  constructor(
    private readonly access: ServerAccess,
    private readonly serverClock: ServerClock,
    private readonly clock: Clock,
    health: Health,
  ) {
    this.heardAt = clock.monotonic();
    health.register('service', () => {
      const { silentMs } = this;
      return { ok: silentMs < NOT_READY_MS, detail: `last response ${Math.round(silentMs / SECOND_MS)} s ago` };
    });
  }

  /** The service's URL, for display. */
  get url(): string {
    return this.access.url;
  }

  /** How long the service has not responded. */
  get silentMs(): number {
    return this.clock.monotonic() - this.heardAt;
  }

  /**
   * Sends a JSON body. `waitMs` is how long the service may wait. Throws: `ServerUnreachable` if no response arrives
   * within another `limitMs`, or if `signal` is aborted.
   */
  async post(
    path: string,
    body: object,
    options: { waitMs: number; limitMs: number; signal: AbortSignal },
  ): Promise<ServerReply> {
    const { waitMs, limitMs, signal } = options;
    const text = Buffer.from(JSON.stringify(body));
    const isPacked = text.length >= GZIP_FROM_BYTES;
    const bytes = isPacked ? await packed(text) : text;
    const deadline = startDeadline(waitMs + limitMs, signal);
    try {
      const before = this.clock.monotonic();
      const { response, read } = await this.exchange(path, bytes, isPacked, deadline.signal);
      const reply = replyOf(response, read);
      if (reply.meaning === 'done') this.heard(Number(reply.body['now']), before, waitMs);
      return reply;
    } catch (error) {
      if (error instanceof ServerUnreachable) throw error;
      throw new ServerUnreachable(deadline.signal.aborted ? 'it does not respond in time' : wordsOf(error));
    } finally {
      deadline.clear();
    }
  }

  onModuleDestroy(): void {
    this.agent?.destroy();
  }

  private heard(nowMs: number, before: number, waitMs: number): void {
    const after = this.clock.monotonic();
    this.serverClock.synchronize(nowMs, before, after);
    this.heardAt = after;
    if (waitMs === 0) this.rttMs = after - before;
  }

  /** If a kept connection was closed while the request was being sent, sends the request again on a new connection. */
  private async exchange(path: string, bytes: Buffer, isPacked: boolean, signal: AbortSignal): Promise<Exchanged> {
    try {
      return await this.send(path, bytes, isPacked, signal);
    } catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error;
      return await this.send(path, bytes, isPacked, signal);
    }
  }

  private send(path: string, bytes: Buffer, isPacked: boolean, signal: AbortSignal): Promise<Exchanged> {
    const { url, token } = this.access;
    return new Promise((resolve, reject) => {
      const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(`${url}${path}`, {
        method: 'POST',
        agent: (this.agent ??= agentFor(this.access)),
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': bytes.length,
          'accept-encoding': 'gzip',
          'user-agent': `uptime-monitor-probe/${VERSION}`,
          ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
        },
      });
      request.once('error', (error: NodeJS.ErrnoException) =>
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new ClosedMeanwhile() : error),
      );
      request.once('response', (response) => {
        readAll(response).then((read) => resolve({ response, read }), reject);
      });
      request.end(bytes);
    });
  }
}

interface Exchanged {
  response: IncomingMessage;
  read: Buffer;
}

class ClosedMeanwhile extends Error {}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) throw new ServerUnreachable(`it sent more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  const sent = Buffer.concat(parts);
  return response.headers['content-encoding'] === 'gzip' ? unpacked(sent, { maxOutputLength: MOST_BYTES }) : sent;
}

/** A response from a proxy or a network's login page isn't a reply from the service, regardless of its status. */
function replyOf({ statusCode = 0, headers }: IncomingMessage, read: Buffer): ServerReply {
  const body = jsonOf(read);
  const meaning = meaningOf(statusCode, typeof body['code'] === 'string' ? body['code'] : null);
  const isReply = meaning !== 'done' || Number.isFinite(body['now']);
  return { meaning: isReply ? meaning : 'failed', status: statusCode, body, retryAfter: headers['retry-after'] };
}

function jsonOf(read: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(read.toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns Node's message with its code. It contains no header or body. */
function wordsOf(error: unknown): string {
  const { message, code } = isRecord(error) ? error : { message: String(error), code: undefined };
  const text = typeof message === 'string' ? message : '';
  return text === '' ? `the connection failed (${String(code)})` : cut(text, 300, '');
}
