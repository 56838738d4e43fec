import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { ApiKeyService } from '../identity/api-key/api-key.service';
import { requireOrganization } from '../identity/organization/wanted-organization';
import { Quotas } from '../identity/quota/quotas.service';
import { SessionService } from '../identity/session/session.service';
import type { Caller } from '../platform/access/caller';
import { FairSemaphore } from '../platform/capacity/fair-semaphore';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { OpenStreams } from './open-streams';
import { frame } from './stream-message';
import type { StreamQuery } from './stream.dto';
import { isAfter, type StreamPosition } from './stream-position';
import { StreamReader } from './stream-reader';
import { StreamSubscriber } from './stream-subscriber';

const POLL_MS = 1000;
const PAGE = 1000;
/** The number of polls between pings. There is one poll per second. */
const PING_EVERY = 10;
const CHECK_CALLERS_EVERY = 5;
const MAX_OPEN = 2000;
/** Limits for clients that catch up on missed events: a few at a time, one per organization, with pauses. */
const CATCHING_UP = { size: 4, share: 1, waiting: MAX_OPEN };
const CATCH_UP_PAUSE_MS = 50;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/**
 * The live stream. Each process polls the database once per second for all its clients, and doesn't poll while it has
 * none. The database is the only source, so it doesn't matter which instance ran a check or whether an instance
 * restarted. Polling isn't a BackgroundJob, because without clients its last success would become old, as if it had
 * failed.
 */
@Injectable()
export class StreamFeed implements OnModuleDestroy {
  private readonly logger = new Logger(StreamFeed.name);
  private readonly streams = new OpenStreams();
  private readonly catchingUp = new FairSemaphore(CATCHING_UP);
  private position: StreamPosition | null = null;
  private timer: NodeJS.Timeout | null = null;
  private polling: Promise<void> = Promise.resolve();
  private ticks = 0;
  private failing = false;

  constructor(
    private readonly reader: StreamReader,
    private readonly keys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /**
   * Responds with the stream, starting after the event `lastId` or from now. A client that was away for too long first
   * gets `reset` and must read the lists again. Throws `conflict` if the client requests another organization, and
   * `rate_limited` if its organization has too many open streams.
   */
  async open(
    caller: Caller,
    { last_event_id: lastId, organization_id }: StreamQuery,
    response: Response,
  ): Promise<void> {
    requireOrganization(caller, organization_id);
    // The `close` event doesn't fire for a client that has disconnected before this point.
    if (response.destroyed) return;
    const left = new AbortController();
    const { own, release } = this.streams.reserve(caller.orgId);
    response.once('close', () => {
      left.abort();
      release();
    });
    try {
      await this.admit(caller, own);
      const found = lastId === undefined ? null : await this.reader.positionOf(caller.orgId, lastId);
      const { now, beyond } = await this.reader.now();
      const known = found && !isAfter(found, beyond) ? found : null;
      if (!left.signal.aborted) await this.stream(caller, lastId, known, now, response, left.signal);
    } catch (error) {
      release();
      throw error;
    }
  }

  private async stream(
    caller: Caller,
    lastId: string | undefined,
    known: StreamPosition | null,
    now: StreamPosition,
    response: Response,
    left: AbortSignal,
  ): Promise<void> {
    const start = known ?? now;
    const isReset = lastId !== undefined && !known;
    response.writeHead(200, HEADERS);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const subscriber = new StreamSubscriber(caller, response, start);
    if (isReset) subscriber.write(frame('reset', {}, null));
    const greeting = lastId === undefined || isReset ? this.reader.idOf(caller.orgId, start) : null;
    subscriber.write(`retry: 1000\n${frame('ready', {}, greeting)}`);
    this.add(subscriber, now);
    left.addEventListener('abort', () => this.drop(subscriber), { once: true });
    await this.catchUp(subscriber, left);
  }

  /**
   * Ends every connection, so that the server can close. Clients resume at another instance or after the restart. Waits
   * for the current poll to end before the database closes.
   */
  async onModuleDestroy(): Promise<void> {
    for (const subscriber of this.streams.all()) subscriber.close();
    this.stop();
    await this.polling;
  }

  /** `own` is the organization's number of streams, including this one. */
  private async admit({ orgId }: Caller, own: number): Promise<void> {
    if (this.streams.places > MAX_OPEN) throw problems.temporarilyUnavailable();
    const limit = await this.quotas.limitOf(orgId, 'streams');
    if (limit !== null && own > limit) throw problems.rateLimited(10);
  }

  private add(subscriber: StreamSubscriber, now: StreamPosition): void {
    this.streams.add(subscriber);
    if (this.timer) return;
    this.position = now;
    this.schedule();
  }

  private drop(subscriber: StreamSubscriber): void {
    this.streams.delete(subscriber);
    if (this.streams.isEmpty) this.stop();
  }

  private stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.position = null;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.polling = this.tick();
    }, POLL_MS);
    this.timer.unref();
  }

  private async tick(): Promise<void> {
    try {
      await this.poll();
      if (this.ticks++ % CHECK_CALLERS_EVERY === 0) await this.closeEnded();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn(`polling the stream failed, will try again: ${String(error)}`);
      this.failing = true;
    }
    if (this.ticks % PING_EVERY === 0)
      for (const subscriber of this.streams.all()) subscriber.write(frame('ping', {}, null));
    if (this.timer) this.schedule();
  }

  private async poll(): Promise<void> {
    for (;;) {
      const { position } = this;
      if (!position) return;
      const items = await this.reader.after(position, null, PAGE);
      const last = items.at(-1);
      if (!last || this.position !== position) return;
      this.position = last.position;
      for (const item of items) for (const subscriber of this.streams.of(item.orgId)) subscriber.offer(item);
      this.streams.closeUnread();
      if (items.length < PAGE) return;
    }
  }

  /** The response has started, so the only way to report an error is to end it. The client then reconnects. */
  private async catchUp(subscriber: StreamSubscriber, left: AbortSignal): Promise<void> {
    const release = await this.catchingUp.take(subscriber.caller.orgId, left);
    if (!release) return subscriber.close();
    try {
      for (;;) {
        const items = await this.reader.after(subscriber.resumeFrom, subscriber.caller.orgId, PAGE);
        subscriber.catchUp(items);
        if (items.length < PAGE || subscriber.isClosed) break;
        await this.clock.sleep(CATCH_UP_PAUSE_MS, left);
      }
      subscriber.goLive();
    } catch (error) {
      this.logger.warn(`a stream client could not catch up: ${String(error)}`);
      subscriber.close();
    } finally {
      release();
    }
  }

  /** Ends the streams whose API key was revoked or has expired, or whose session has ended. */
  private async closeEnded(): Promise<void> {
    const subscribers = [...this.streams.all()];
    const keyIds = new Set(subscribers.flatMap(({ caller }) => caller.keyId ?? []));
    const openSessions = await this.sessions.stillOpen(
      subscribers.flatMap(({ caller: { sessionId, orgId } }) =>
        sessionId === undefined ? [] : [{ sessionId, orgId }],
      ),
    );
    const validKeys = await this.keys.stillValid([...keyIds]);
    for (const subscriber of subscribers) {
      const { keyId, sessionId } = subscriber.caller;
      const isEnded = keyId !== null && !validKeys.has(keyId);
      if (isEnded || (sessionId !== undefined && !openSessions.has(sessionId))) subscriber.close();
    }
  }
}
