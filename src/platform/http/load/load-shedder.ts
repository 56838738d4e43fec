import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { clientNetworks } from '../../access/client-network';
import { type Networks, NetworkPlaces, WaitingRoom } from '../../capacity/by-network';
import { ByOwner } from '../../capacity/by-owner';
import { TokenBuckets } from '../../capacity/token-bucket';
import { Config } from '../../config/config';
import { type Beat, EventLoopLag } from '../../observability/event-loop-lag';
import type { Health, HealthFinding } from '../../observability/health';
import { Metrics } from '../../observability/metrics';
import { Problem, problems } from '../../problem/problem';
import { writeProblem } from '../write-problem';
import { ENDED } from './unread-responses';

/** The time between two samples. A longer gap shows how late the event loop is. */
const SAMPLE_MS = 100;
const REFUSALS = [
  'requests',
  'event_loop',
  'strangers',
  'address',
  'organization',
  'polls',
  'results',
  'bodies',
] as const;

/**
 * The number of samples that must all be late. A single long stall is already over when it is noticed, so requests need
 * not be rejected.
 */
const SAMPLES = 5;
const LATE_MS = 250;

/** One organization's maximum share of the open requests. */
const ORGANIZATION_SHARE = 1 / 5;
/** The maximum share for all strangers together. For the share of a single stranger, see `NetworkPlaces`. */
const STRANGERS_SHARE = 1 / 2;
/**
 * Streams have a separate limit, because each one stays open as long as its page. They count here until they are
 * identified.
 */
const STREAM = '/api/v1/stream';
/**
 * Probes use long polling on this path. These requests have a separate limit and count here until they are identified.
 */
const POLL = '/api/v1/probe/poll';
const MAX_POLLS = 2000;
/**
 * Probes upload stored results on this path. They do so all at the same time after the service was unavailable. A body
 * above these sizes, compressed or not, contains hundreds of results.
 */
const RESULTS = '/api/v1/probe/results';
const LARGE_BYTES = { gzip: 8 * 1024, identity: 96 * 1024 };
/** How many large uploads are read at the same time, in total and per organization. Others have to retry. */
const MAX_LARGE = 12;
const LARGE_OF_ONE = 8;
/**
 * Uploads up to these sizes have a separate limit and count here until they are identified. Each one waits for a
 * commit, and a thousand probes may report changes at the same time. Large uploads of stored history don't block them.
 */
const SMALL_BYTES = { gzip: 2 * 1024, identity: 16 * 1024 };
const MAX_SMALL = 1000;
const SMALL_OF_ONE = 500;
/**
 * Requests to these paths no longer count as open requests once they are identified. They are not rejected if their
 * organization has used up its share.
 */
const PASSING: ReadonlySet<string> = new Set([STREAM, POLL, RESULTS]);
/** Health checks are always served. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);
/** Metrics matter most when everything else is rejected. In that case, each address gets a few requests per second. */
const METRICS = '/metrics';
const LATE_SCRAPES = { rate: 1, burst: 5 };
/** How long a stranger may take to send a body, and how many such bodies are awaited at the same time. */
const BODY_MS = 5000;
const MAX_BODIES = 256;
/** The server limits how long ping bodies may take. */
const MAX_PING_BODIES = 1000;
/** How long `/health/ready` reports that strangers were rejected. */
const TOLD_MS = 60_000;

export interface Load {
  /** The number of requests whose response is incomplete. */
  inFlight: number;
  /** How late the event loop was in each of the latest samples, in milliseconds. */
  lateness: readonly number[];
}

/** Returns why another request must be rejected, or `null` if it need not be. */
export function overloadedBy({ inFlight, lateness }: Load, maxInFlight: number): 'requests' | 'event_loop' | null {
  if (inFlight >= maxInFlight) return 'requests';
  return isLate(lateness) ? 'event_loop' : null;
}

const isLate = (lateness: readonly number[]): boolean =>
  lateness.length >= SAMPLES && lateness.every((late) => late > LATE_MS);

/** A body of unknown length is treated as large. */
const isLargerThan = (bytes: typeof LARGE_BYTES, { headers }: Request): boolean =>
  Number(headers['content-length'] ?? Infinity) >
  (headers['content-encoding']?.toLowerCase() === 'gzip' ? bytes.gzip : bytes.identity);

/** Each owner may have at least one open request. */
const shareOf = (part: number, most: number): number => Math.max(1, Math.floor(most * part));

const PLACE = Symbol('http:place');
/** A request's slot among the open requests. */
interface Place {
  networks: Networks;
  /** The request's owner, usually an organization (UUID), or `null` for a stranger. */
  owner: string | null;
  /**
   * True until a request that will leave the open requests is identified. In the meantime it counts for no owner, so
   * that it isn't rejected before it leaves.
   */
  isPassing: boolean;
  /** The slot that the request holds in addition to the open requests, or `null` if it holds none. */
  held: 'stranger' | 'organization' | 'passing' | null;
  /** Whether all work for the request is done. */
  isOver: boolean;
}
type PlacedRequest = Request & { [PLACE]?: Place };

/**
 * Returns a request's owner based on what this process already knows: usually an organization (UUID), or `null` for a
 * stranger. Must be cheap, because it runs first for every request.
 */
export type Recognize = (request: Request) => string | Recognized | null;

/** `isPassing`: the handler later calls `identified`, which counts the request for its organization. */
export interface Recognized {
  owner: string;
  isPassing: boolean;
}

/**
 * Rejects requests before doing any work for them if too many are open or the event loop is repeatedly late. Checks and
 * deliveries continue, and the `Retry-After` header contains the time after which clients should retry.
 *
 * Capacity is shared. Requests with a known key, session, token, or ping URL count for their organization from the
 * start. All others are strangers until they are identified. Strangers together may use half of the slots, and each
 * client may use a tenth of that half. A stranger holds a slot only while the service works on the request, and not
 * while it sends a body or reads a response.
 */
@Injectable()
export class LoadShedder {
  private inFlight = 0;
  private lateness: number[] = [];
  private sampledAt: number | null = null;
  private readonly organizations: ByOwner;
  private readonly strangers: NetworkPlaces;
  private readonly bodies = new WaitingRoom(MAX_BODIES);
  private readonly pingBodies = new WaitingRoom(MAX_PING_BODIES);
  private readonly polls = new ByOwner(MAX_POLLS);
  private readonly large = new ByOwner(MAX_LARGE, LARGE_OF_ONE);
  private readonly small = new ByOwner(MAX_SMALL, SMALL_OF_ONE);
  private readonly scrapes = new TokenBuckets(LATE_SCRAPES.rate, LATE_SCRAPES.burst, () => performance.now(), 1000);
  private readonly recognizers: Recognize[] = [];
  private turnedAway: { since: number; last: number; count: number } | null = null;
  private readonly shed;

  constructor(
    private readonly config: Config,
    metrics: Metrics,
    private readonly lag: EventLoopLag,
  ) {
    const { maxConcurrentRequests } = config;
    this.organizations = new ByOwner(Infinity, shareOf(ORGANIZATION_SHARE, maxConcurrentRequests));
    this.strangers = new NetworkPlaces(shareOf(STRANGERS_SHARE, maxConcurrentRequests));
    lag.onBeat((beat) => this.sample(beat));
    this.shed = metrics.labelledCounter({
      name: 'uptime_requests_shed_total',
      help: 'Requests that were rejected to protect the service: with 503, with 408 for a body that took too long, or with 429 for one organization with too many open requests.',
      values: { reason: REFUSALS },
    });
    metrics.watch({ name: 'uptime_polls_in_flight', help: 'Polls of probes that are open.' }, () => this.polls.used);
    metrics.watch(
      { name: 'uptime_requests_in_flight', help: 'Requests that are being processed.' },
      () => this.inFlight,
    );
    metrics.watch(
      {
        name: 'uptime_strangers_in_flight',
        help: 'Requests in flight without a known key, session or ping URL.',
      },
      () => this.strangers.used,
    );
    metrics.watch(
      { name: 'uptime_bodies_awaited', help: 'Requests without a key, and pings, whose bodies have not arrived yet.' },
      () => this.bodies.waiting + this.pingBodies.waiting,
    );
  }

  /** Adds a function that identifies requests. The owners that it returns no longer count as strangers. */
  recognize(recognize: Recognize): void {
    this.recognizers.push(recognize);
  }

  /** Express middleware. Register it before the body is read. */
  readonly refuseWhileOverloaded: RequestHandler = (request, response, next) => {
    if (HEALTH_PATHS.has(request.path)) return next();
    const networks = clientNetworks(request);
    if (request.path === METRICS) {
      if (!this.refusesScrape(networks[0] ?? '')) return next();
      return writeProblem(request, response, this.refused('event_loop', null));
    }
    const known = this.recognized(request);
    const isPassing = PASSING.has(request.path) || (typeof known === 'object' && known !== null && known.isPassing);
    const owner = typeof known === 'object' ? (known?.owner ?? null) : known;
    const place: Place = { networks, owner, isPassing, held: null, isOver: false };
    const refusal = this.enter(place);
    if (refusal) return writeProblem(request, response, refusal);
    Object.assign(request, { [PLACE]: place });
    const end = (): void => {
      place.isOver = true;
      this.leave(place);
    };
    response.once('close', end);
    // A stranger that reads the response slowly or never must not hold a slot.
    if (place.owner === null) response.once(ENDED, () => place.owner === null && end());
    return next();
  };

  /** Returns the request's owner, usually an organization (UUID), or `null` for a stranger. */
  ownerOf(request: Request): string | null {
    return (request as PlacedRequest)[PLACE]?.owner ?? null;
  }

  /**
   * Counts a probe's (UUID) request for its organization, or for the probe itself if it is shared. Throws
   * `temporarily_unavailable` if too many probes are polling or uploading.
   */
  identifiedProbe(request: Request, probeId: string, orgId: string | null): void {
    const owner = orgId ?? probeId;
    if (request.path === POLL) return this.move(request, this.polls, probeId, 'polls');
    if (request.path === RESULTS && !isLargerThan(SMALL_BYTES, request))
      return this.move(request, this.small, owner, 'results');
    if (request.path === RESULTS && isLargerThan(LARGE_BYTES, request))
      this.enterRoom(request, this.large, owner, 'results');
    this.identified(request, owner);
  }

  /**
   * Counts the request for its organization (UUID) from now on. Throws `rate_limited` if the organization has used up
   * its share.
   */
  identified(request: Request, orgId: string): void {
    const place = (request as PlacedRequest)[PLACE];
    if (!place?.held || (place.held === 'organization' && place.owner === orgId)) return;
    if (request.path === STREAM) return this.leave(place);
    if (!this.organizations.hasShareFor(orgId)) throw this.refused('organization', orgId);
    this.leave(place);
    place.owner = orgId;
    this.hold(place, 'organization');
  }

  /**
   * Waits for the body of a request to a route that needs no key. A stranger holds no slot while it sends. If too many
   * strangers send bodies, the slowest ones are cut off. Throws `request_timeout`, or `temporarily_unavailable` if no
   * slot is free afterwards.
   */
  async sending<Body>(request: Request, read: () => Promise<Body>): Promise<Body> {
    const place = (request as PlacedRequest)[PLACE];
    if (place?.held !== 'stranger') return this.arrival(request, read, this.bodies, clientNetworks(request), BODY_MS);
    this.leave(place);
    const body = await this.arrival(request, read, this.bodies, place.networks, BODY_MS);
    this.enterAgain(place);
    return body;
  }

  /**
   * Waits for the body of a ping with a known URL, like `sending`, but separately from strangers. Each organization
   * (UUID) has a share of this limit. Only the server limits how long a body takes.
   */
  async sendingPing<Body>(request: Request, orgId: string, read: () => Promise<Body>): Promise<Body> {
    const place = (request as PlacedRequest)[PLACE];
    if (place) this.leave(place);
    const body = await this.arrival(request, read, this.pingBodies, [orgId], null);
    if (place) this.enterAgain(Object.assign(place, { owner: orgId, isPassing: false }));
    return body;
  }

  /** Returns the finding for `/health/ready`. The service stays ready, because known callers are still served. */
  finding(): HealthFinding {
    const away = this.turnedAway;
    if (!away || performance.now() - away.last > TOLD_MS) return { ok: true };
    const seconds = Math.max(1, Math.round((performance.now() - away.since) / 1000));
    return {
      ok: true,
      detail: `shedding load: ${away.count} requests without a known key, session or ping URL were rejected in ${seconds} s`,
    };
  }

  private recognized(request: Request): ReturnType<Recognize> {
    for (const recognize of this.recognizers) {
      const known = recognize(request);
      if (known !== null) return known;
    }
    return null;
  }

  /** Assigns a slot to the request. Returns a problem if there is none, otherwise `null`. */
  private enter(place: Place): Problem | null {
    const { owner, networks, isPassing } = place;
    const overload = overloadedBy(
      { inFlight: this.inFlight, lateness: this.lateness },
      this.config.maxConcurrentRequests,
    );
    if (overload) return this.refused(overload, owner);
    if (owner === null) {
      const full = this.strangers.fullFor(networks);
      if (full) return this.refused(full, owner);
      this.hold(place, 'stranger');
    } else if (isPassing) this.hold(place, 'passing');
    else if (this.organizations.hasShareFor(owner)) this.hold(place, 'organization');
    else return this.refused('organization', owner);
    return null;
  }

  /**
   * Takes a slot again after waiting for a client, which may have disconnected. Throws a problem if no slot is free.
   */
  private enterAgain(place: Place): void {
    const refusal = place.isOver ? null : this.enter(place);
    if (refusal) throw refusal;
  }

  private hold(place: Place, as: 'stranger' | 'organization' | 'passing'): void {
    if (as === 'stranger') this.strangers.take(place.networks);
    if (as === 'organization') this.organizations.take(place.owner);
    place.held = as;
    this.inFlight++;
    this.lag.enter();
  }

  private leave(place: Place): void {
    if (place.held === null) return;
    if (place.held === 'stranger') this.strangers.release(place.networks);
    if (place.held === 'organization') this.organizations.release(place.owner);
    place.held = null;
    this.inFlight--;
    this.lag.leave();
  }

  /** Moves a request from the open requests to a separate limit. */
  private move(request: Request, room: ByOwner, owner: string, reason: 'polls' | 'results'): void {
    const place = (request as PlacedRequest)[PLACE];
    if (!place?.held) return;
    this.enterRoom(request, room, owner, reason);
    this.leave(place);
  }

  /** Holds a slot until the response is complete or the client has disconnected. */
  private enterRoom(request: Request, room: ByOwner, owner: string, reason: 'polls' | 'results'): void {
    if (!room.tryTake(owner)) throw this.refused(reason, owner);
    request.res?.once('close', () => room.release(owner));
  }

  private async arrival<Body>(
    request: Request,
    read: () => Promise<Body>,
    room: WaitingRoom,
    networks: Networks,
    limitMs: number | null,
  ): Promise<Body> {
    let leave = (): void => {};
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const sendAway = () => {
        if (request.res) closeBehind(request.res);
        reject(this.refused('bodies', null));
      };
      leave = room.enter(networks, sendAway);
      if (limitMs !== null) timer = setTimeout(sendAway, limitMs);
    });
    try {
      return await Promise.race([read(), tooLate]);
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /** Counts a rejection and returns its problem. `owner` is `null` for a stranger. */
  private refused(reason: (typeof REFUSALS)[number], owner: string | null): Problem {
    this.shed.inc({ reason });
    if (reason === 'organization') return problems.rateLimited(1);
    if (owner === null) this.noteTurnedAway();
    return reason === 'bodies' ? problems.bodyTooSlow() : problems.temporarilyUnavailable();
  }

  private noteTurnedAway(): void {
    const now = performance.now();
    const away = this.turnedAway;
    if (away && now - away.last <= TOLD_MS) Object.assign(away, { last: now, count: away.count + 1 });
    else this.turnedAway = { since: now, last: now, count: 1 };
  }

  private refusesScrape(network: string): boolean {
    return isLate(this.lateness) && this.scrapes.take(network) > 0;
  }

  /** Uses the process's own time and not the beat's, because a `Clock` that a test moves does not indicate load. */
  private sample({ intendedMs }: Beat): void {
    const now = performance.now();
    this.sampledAt ??= now;
    const elapsed = now - this.sampledAt;
    if (elapsed < SAMPLE_MS) return;
    this.lateness = [...this.lateness, elapsed - Math.max(SAMPLE_MS, intendedMs)].slice(-SAMPLES);
    this.sampledAt = now;
  }
}

/** Closes the connection after the response instead of waiting for the rest of the client's data. */
function closeBehind(response: Response): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Disables caching of API responses. During a shutdown, `Connection: close` keeps clients from reusing a connection
 * that is about to be reset. Once the service rejects work, API requests get 503, so that a load balancer sends them
 * elsewhere.
 */
export const refuseWhileDraining =
  (health: Health): RequestHandler =>
  (request, response, next) => {
    if (health.isLeaving) response.setHeader('Connection', 'close');
    if (!request.path.startsWith('/api/')) return next();
    response.setHeader('Cache-Control', 'no-store');
    return health.draining ? next(problems.shuttingDown()) : next();
  };
