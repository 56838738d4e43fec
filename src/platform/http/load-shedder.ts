import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { problems } from '../problem/problem';

const BEAT_MS = 100;
/** Beats that must all have come late: one long stall is over when it is noticed, and no reason to refuse anybody. */
const BEATS = 5;
const LATE_MS = 250;

/** Streams are counted by their own limit: each stays open for as long as its page. */
const STREAM = '/api/v1/stream';

export interface Load {
  /** API requests that have not been answered yet. */
  inFlight: number;
  /** How late each of the newest beats of the event loop came, milliseconds. */
  lateness: readonly number[];
}

/** Why a further API request must be refused, if it must. */
export function overloadedBy({ inFlight, lateness }: Load, maxInFlight: number): 'requests' | 'event_loop' | null {
  if (inFlight >= maxInFlight) return 'requests';
  return lateness.length >= BEATS && lateness.every((late) => late > LATE_MS) ? 'event_loop' : null;
}

/**
 * Refuses API requests, before anything is done for them, while more are open than can be served soon or while the event
 * loop keeps coming late: checks and deliveries go on, and clients are told when to come back.
 */
@Injectable()
export class LoadShedder implements OnModuleInit, OnModuleDestroy {
  private inFlight = 0;
  private lateness: number[] = [];
  private beatAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly shed;

  constructor(
    private readonly config: Config,
    metrics: Metrics,
  ) {
    this.shed = metrics.counter({
      name: 'uptime_requests_shed_total',
      help: 'API requests refused with 503 to stay alive.',
      labelNames: ['reason'],
    });
    metrics.watch(
      { name: 'uptime_requests_in_flight', help: 'API requests that are being answered.' },
      () => this.inFlight,
    );
  }

  onModuleInit(): void {
    this.beatAt = performance.now();
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Express middleware; must come before the body is read. */
  readonly answer: RequestHandler = (request, response, next) => {
    if (!request.path.startsWith('/api/') || request.path === STREAM) return next();
    const reason = overloadedBy(
      { inFlight: this.inFlight, lateness: this.lateness },
      this.config.maxConcurrentRequests,
    );
    if (reason) {
      this.shed.inc({ reason });
      return next(problems.temporarilyUnavailable());
    }
    this.inFlight++;
    response.once('close', () => this.inFlight--);
    return next();
  };

  private beat(): void {
    const now = performance.now();
    this.lateness = [...this.lateness, now - this.beatAt - BEAT_MS].slice(-BEATS);
    this.beatAt = now;
  }
}
