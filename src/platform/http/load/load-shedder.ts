import { Injectable } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Config } from '../../config/config';
import { EventLoopLag } from '../../observability/event-loop-lag';
import { Metrics } from '../../observability/metrics';
import { problems } from '../../problem/problem';

/** Time between two samples; the event loop is late by what it took longer. */
const SAMPLE_MS = 100;
/** Samples that must all be late: one long stall is over when it is noticed, and no reason to refuse a request. */
const SAMPLES = 5;
const LATE_MS = 250;

/** Streams have a limit of their own: each stays open for as long as its page. */
const STREAM = '/api/v1/stream';

export interface Load {
  /** API requests without a complete response. */
  inFlight: number;
  /** How late the event loop was in each of the newest samples, milliseconds. */
  lateness: readonly number[];
}

/** Why a further API request must be refused, if it must. */
export function overloadedBy({ inFlight, lateness }: Load, maxInFlight: number): 'requests' | 'event_loop' | null {
  if (inFlight >= maxInFlight) return 'requests';
  return lateness.length >= SAMPLES && lateness.every((late) => late > LATE_MS) ? 'event_loop' : null;
}

/**
 * Refuses API requests, before any work is done for them, while more are open than can be served soon or while the event
 * loop is late again and again: checks and deliveries go on, and clients learn from `Retry-After` when to come back.
 */
@Injectable()
export class LoadShedder {
  private inFlight = 0;
  private lateness: number[] = [];
  private sampledAt: number | null = null;
  private readonly shed;

  constructor(
    private readonly config: Config,
    metrics: Metrics,
    lag: EventLoopLag,
  ) {
    lag.onBeat(() => this.sample());
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

  /** Express middleware; must come before the body is read. */
  readonly refuseWhileOverloaded: RequestHandler = (request, response, next) => {
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

  /** In the process's own time, not the beat's: a `Clock` that a test has moved says nothing about load. */
  private sample(): void {
    const now = performance.now();
    this.sampledAt ??= now;
    const elapsed = now - this.sampledAt;
    if (elapsed < SAMPLE_MS) return;
    this.lateness = [...this.lateness, elapsed - SAMPLE_MS].slice(-SAMPLES);
    this.sampledAt = now;
  }
}
