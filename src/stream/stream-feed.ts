import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import type { Response } from 'express';
import { ApiKeyService } from '../identity/api-key/api-key.service';
import type { Caller } from '../platform/access/caller';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { frame } from './stream-message';
import { formatPosition, isAfter, type StreamPosition } from './stream-position';
import { StreamReader } from './stream-reader';
import { StreamSubscriber } from './stream-subscriber';

const POLL_MS = 1000;
const PAGE = 1000;
/** In polls, so in seconds. */
const PING_EVERY = 10;
const CHECK_KEYS_EVERY = 5;
const MAX_PER_ORGANIZATION = 100;
const MAX_OPEN = 2000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/**
 * The live stream: each process polls the database once a second for all its clients, and not at all without one. The
 * database is the only source, so it does not matter which instance ran a check, or whether one restarted in between.
 * Polling is no BackgroundJob: without clients its time of last success would age as if it failed.
 */
@Injectable()
export class StreamFeed implements OnModuleDestroy {
  private readonly logger = new Logger(StreamFeed.name);
  private readonly subscribers = new Set<StreamSubscriber>();
  private position: StreamPosition | null = null;
  private timer: NodeJS.Timeout | null = null;
  private polling: Promise<void> = Promise.resolve();
  private readonly pruning: BackgroundJob;
  private ticks = 0;
  private failing = false;

  constructor(
    private readonly reader: StreamReader,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.pruning = jobs.create({ name: 'stream-retention', role: 'any', run: () => this.reader.prune() });
  }

  /**
   * Responds with the stream, from after the event `lastId` or from now. A client that was away for too long gets `reset`
   * first: it must read the lists again. Throws `rate_limited` when its organization has too many streams open.
   */
  async open(caller: Caller, lastId: string | undefined, response: Response): Promise<void> {
    this.admit(caller);
    const now = await this.reader.now();
    const known = lastId === undefined ? null : await this.reader.positionOf(caller.orgId, lastId);
    const start = known && !isAfter(known, now) ? known : now;
    const isReset = lastId !== undefined && start !== known;
    response.writeHead(200, HEADERS);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const subscriber = new StreamSubscriber(caller, response, start);
    if (isReset) subscriber.write(frame('reset', {}, null));
    subscriber.write(
      `retry: 1000\n${frame('ready', {}, lastId === undefined || isReset ? this.greeting(start) : null)}`,
    );
    this.add(subscriber, now);
    response.on('close', () => this.drop(subscriber));
    await this.catchUp(subscriber);
  }

  /**
   * Ends every connection, so that the server can close: clients resume at another instance or after the restart. Lets the
   * poll in progress end before the database closes.
   */
  async onModuleDestroy(): Promise<void> {
    for (const subscriber of this.subscribers) subscriber.close();
    this.subscribers.clear();
    this.stop();
    await this.polling;
  }

  @Cron(CronExpression.EVERY_HOUR)
  prune(): Promise<void> {
    return this.pruning.tick();
  }

  private greeting(position: StreamPosition): string {
    return formatPosition(position, this.clock.now().getTime());
  }

  private admit(caller: Caller): void {
    let own = 0;
    for (const subscriber of this.subscribers) if (subscriber.caller.orgId === caller.orgId) own++;
    if (own >= MAX_PER_ORGANIZATION) throw problems.rateLimited(10);
    if (this.subscribers.size >= MAX_OPEN) throw problems.temporarilyUnavailable();
  }

  private add(subscriber: StreamSubscriber, now: StreamPosition): void {
    this.subscribers.add(subscriber);
    if (this.timer) return;
    this.position = now;
    this.schedule();
  }

  private drop(subscriber: StreamSubscriber): void {
    this.subscribers.delete(subscriber);
    if (this.subscribers.size === 0) this.stop();
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
      if (this.ticks++ % CHECK_KEYS_EVERY === 0) await this.closeRevoked();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn(`polling the stream failed, will try again: ${String(error)}`);
      this.failing = true;
    }
    if (this.ticks % PING_EVERY === 0)
      for (const subscriber of this.subscribers) subscriber.write(frame('ping', {}, null));
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
      for (const item of items) for (const subscriber of this.subscribers) subscriber.offer(item);
      if (items.length < PAGE) return;
    }
  }

  /** The response has begun, so an error can only end it; the client reconnects. */
  private async catchUp(subscriber: StreamSubscriber): Promise<void> {
    try {
      for (;;) {
        const items = await this.reader.after(subscriber.resumeFrom, subscriber.caller.orgId, PAGE);
        subscriber.catchUp(items);
        if (items.length < PAGE || subscriber.isClosed) break;
      }
      subscriber.goLive();
    } catch (error) {
      this.logger.warn(`a client of the stream could not catch up: ${String(error)}`);
      subscriber.close();
    }
  }

  /** Ends the streams whose API key was revoked or has expired. */
  private async closeRevoked(): Promise<void> {
    const keyIds = new Set([...this.subscribers].map(({ caller }) => caller.keyId).filter((id) => id !== null));
    for (const keyId of keyIds) {
      if (await this.keys.callerOfKey(keyId)) continue;
      for (const subscriber of this.subscribers) if (subscriber.caller.keyId === keyId) subscriber.close();
    }
  }
}
