import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { clientAddress, networkOf } from '../../access/client-network';
import { TokenBuckets } from '../../capacity/token-bucket';
import { Config } from '../../config/config';
import { type Beat, EventLoopLag } from '../../observability/event-loop-lag';
import { Metrics } from '../../observability/metrics';
import { problems } from '../../problem/problem';
import { ByOwner } from '../../capacity/by-owner';
import type { Health } from '../../observability/health';

/** Time between two samples; the event loop is late by what it took longer. */
const SAMPLE_MS = 100;
/** Samples that must all be late: one long stall is over when it is noticed, and no reason to refuse a request. */
const SAMPLES = 5;
const LATE_MS = 250;

/** The most that one organization has of the open requests. */
const ORGANIZATION_SHARE = 1 / 5;
/**
 * The most that one address has without a known key. Behind a reverse proxy all requests have its address, but each one
 * only until its key is known, a matter of milliseconds.
 */
const ADDRESS_SHARE = 1 / 2;
/** Streams have a limit of their own: each stays open for as long as its page. They count here until they are identified. */
const STREAM = '/api/v1/stream';
/** Probes wait here for something to do, each for as long as it may: they have a room of their own, and count here until they are identified. */
const POLL = '/api/v1/probe/poll';
const MAX_POLLS = 2000;
/** Here they send what they have kept, all at once after an absence of the service. More bytes than these, packed or not, are hundreds of results … */
const RESULTS = '/api/v1/probe/results';
const LARGE_BYTES = { gzip: 8 * 1024, identity: 96 * 1024 };
/** … of which so many requests are read at a time, and so many of one organization; others come again. */
const MAX_LARGE = 12;
const LARGE_OF_ONE = 8;
/**
 * Up to these bytes they have a room of their own, and count here until they are identified: each waits for a commit, a thousand probes
 * send at once what has changed, and the history that they kept is in nobody's way.
 */
const SMALL_BYTES = { gzip: 2 * 1024, identity: 16 * 1024 };
const MAX_SMALL = 1000;
const SMALL_OF_ONE = 500;
/** Whoever supervises the service is answered always. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);
/** Needed most when all else is refused; then a few per second and address must do. */
const METRICS = '/metrics';
const LATE_SCRAPES = { rate: 1, burst: 5 };

export interface Load {
  /** Requests without a complete response. */
  inFlight: number;
  /** How late the event loop was in each of the newest samples, milliseconds. */
  lateness: readonly number[];
}

/** Why a further request must be refused, if it must. */
export function overloadedBy({ inFlight, lateness }: Load, maxInFlight: number): 'requests' | 'event_loop' | null {
  if (inFlight >= maxInFlight) return 'requests';
  return isLate(lateness) ? 'event_loop' : null;
}

const isLate = (lateness: readonly number[]): boolean =>
  lateness.length >= SAMPLES && lateness.every((late) => late > LATE_MS);

/** What announces no length may be. */
const isLargerThan = (bytes: typeof LARGE_BYTES, { headers }: Request): boolean =>
  Number(headers['content-length'] ?? Infinity) >
  (headers['content-encoding']?.toLowerCase() === 'gzip' ? bytes.gzip : bytes.identity);

/** One open request is the least that anybody gets. */
const shareOf = (part: number, most: number): number => Math.max(1, Math.floor(most * part));

const PLACE = Symbol('http:place');
/** The place of a request among the open ones. */
interface Place {
  /** Whose share it is: an organization (uuid) or a client's network. */
  holder: string;
  /** The shares in which it counts; `null` once it counts no more. */
  shares: ByOwner | null;
}
type PlacedRequest = Request & { [PLACE]?: Place };

/**
 * Refuses requests, before any work is done for them, while more are open than can be served soon or while the event loop
 * is late again and again: checks and deliveries go on, and clients learn from `Retry-After` when to come back. Nobody
 * gets all of it: until its key is known a request counts for its address, then for its organization.
 */
@Injectable()
export class LoadShedder {
  private inFlight = 0;
  private lateness: number[] = [];
  private sampledAt: number | null = null;
  private readonly organizations: ByOwner;
  private readonly addresses: ByOwner;
  private readonly polls = new ByOwner(MAX_POLLS);
  private readonly large = new ByOwner(MAX_LARGE, LARGE_OF_ONE);
  private readonly small = new ByOwner(MAX_SMALL, SMALL_OF_ONE);
  private readonly scrapes = new TokenBuckets(LATE_SCRAPES.rate, LATE_SCRAPES.burst, () => performance.now(), 1000);
  private readonly shed;

  constructor(
    private readonly config: Config,
    metrics: Metrics,
    private readonly lag: EventLoopLag,
  ) {
    this.organizations = new ByOwner(Infinity, shareOf(ORGANIZATION_SHARE, config.maxConcurrentRequests));
    this.addresses = new ByOwner(Infinity, shareOf(ADDRESS_SHARE, config.maxConcurrentRequests));
    lag.onBeat((beat) => this.sample(beat));
    this.shed = metrics.counter({
      name: 'uptime_requests_shed_total',
      help: 'Requests refused to stay alive: with 503, or 429 for one organization that has too many open.',
      labelNames: ['reason'],
    });
    metrics.watch({ name: 'uptime_polls_in_flight', help: 'Polls of probes that are open.' }, () => this.polls.used);
    metrics.watch(
      { name: 'uptime_requests_in_flight', help: 'Requests that are being answered.' },
      () => this.inFlight,
    );
  }

  /** Express middleware; must come before the body is read. */
  readonly refuseWhileOverloaded: RequestHandler = (request, response, next) => {
    if (HEALTH_PATHS.has(request.path)) return next();
    const network = networkOf(clientAddress(request));
    const reason = request.path === METRICS ? this.refusedScrape(network) : this.refusedRequest(network);
    if (reason) {
      this.shed.inc({ reason });
      return next(problems.temporarilyUnavailable());
    }
    if (request.path === METRICS) return next();
    const place: Place = { holder: network, shares: this.addresses };
    Object.assign(request, { [PLACE]: place });
    this.inFlight++;
    this.lag.enter();
    response.once('close', () => this.leave(place));
    return next();
  };

  /**
   * Counts the request of a probe (uuid) for its organization, a shared one's for itself. Throws `temporarily_unavailable` when too
   * many poll, or send much.
   */
  identifiedProbe(request: Request, probeId: string, orgId: string | null): void {
    const owner = orgId ?? probeId;
    if (request.path === POLL) return this.move(request, this.polls, probeId, 'polls');
    if (request.path === RESULTS && !isLargerThan(SMALL_BYTES, request))
      return this.move(request, this.small, owner, 'results');
    if (request.path === RESULTS && isLargerThan(LARGE_BYTES, request))
      this.enter(request, this.large, owner, 'results');
    this.identified(request, owner);
  }

  /** From the open requests into a room of its own. */
  private move(request: Request, room: ByOwner, owner: string, reason: 'polls' | 'results'): void {
    const place = (request as PlacedRequest)[PLACE];
    if (!place?.shares) return;
    this.enter(request, room, owner, reason);
    this.leave(place);
  }

  /** Until the response is there, or the client has left. */
  private enter(request: Request, room: ByOwner, owner: string, reason: 'polls' | 'results'): void {
    if (!room.tryTake(owner)) {
      this.shed.inc({ reason });
      throw problems.temporarilyUnavailable();
    }
    request.res?.once('close', () => room.release(owner));
  }

  /** Counts the request for its organization (uuid) from now on. Throws `rate_limited` when that has its share open. */
  identified(request: Request, orgId: string): void {
    const place = (request as PlacedRequest)[PLACE];
    if (!place?.shares) return;
    if (request.path === STREAM) return this.leave(place);
    if (!this.organizations.tryTake(orgId)) {
      this.shed.inc({ reason: 'organization' });
      throw problems.rateLimited(1);
    }
    place.shares.release(place.holder);
    Object.assign(place, { holder: orgId, shares: this.organizations });
  }

  private refusedRequest(network: string): 'requests' | 'event_loop' | 'address' | null {
    const load = { inFlight: this.inFlight, lateness: this.lateness };
    return (
      overloadedBy(load, this.config.maxConcurrentRequests) ??
      (this.addresses.tryTake(network) ? null : ('address' as const))
    );
  }

  private refusedScrape(network: string): 'event_loop' | null {
    return isLate(this.lateness) && this.scrapes.take(network) > 0 ? 'event_loop' : null;
  }

  private leave(place: Place): void {
    if (!place.shares) return;
    place.shares.release(place.holder);
    place.shares = null;
    this.inFlight--;
    this.lag.leave();
  }

  /** In the process's own time, not the beat's: a `Clock` that a test has moved says nothing about load. */
  private sample({ intendedMs }: Beat): void {
    const now = performance.now();
    this.sampledAt ??= now;
    const elapsed = now - this.sampledAt;
    if (elapsed < SAMPLE_MS) return;
    this.lateness = [...this.lateness, elapsed - Math.max(SAMPLE_MS, intendedMs)].slice(-SAMPLES);
    this.sampledAt = now;
  }
}

/**
 * API responses are never cached. During shutdown `Connection: close` keeps clients from sending another request on a
 * connection that is about to be reset, and API requests get 503, so that a load balancer sends them elsewhere.
 */
export const refuseWhileDraining =
  (health: Health): RequestHandler =>
  (request, response, next) => {
    if (health.draining) response.setHeader('Connection', 'close');
    if (!request.path.startsWith('/api/')) return next();
    response.setHeader('Cache-Control', 'no-store');
    return health.draining ? next(problems.shuttingDown()) : next();
  };
