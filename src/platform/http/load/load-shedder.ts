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

/** Time between two samples; the event loop is late by what it took longer. */
const SAMPLE_MS = 100;
/** Why a request is refused. */
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

/** Samples that must all be late: one long stall is over when it is noticed, and no reason to refuse a request. */
const SAMPLES = 5;
const LATE_MS = 250;

/** The most that one organization has of the open requests. */
const ORGANIZATION_SHARE = 1 / 5;
/** The most that all strangers have together; one of them, see `NetworkPlaces`. */
const STRANGERS_SHARE = 1 / 2;
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
/** What leaves the open requests once it is identified is not refused because its organization has its share of them. */
const PASSING: ReadonlySet<string> = new Set([STREAM, POLL, RESULTS]);
/** Whoever supervises the service is answered always. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);
/** Needed most when all else is refused; then a few per second and address must do. */
const METRICS = '/metrics';
const LATE_SCRAPES = { rate: 1, burst: 5 };
/** How long a stranger may take to send a body, and how many are waited for at once. */
const BODY_MS = 5000;
const MAX_BODIES = 256;
/** How long the bodies of pings are waited for is bounded by the server. */
const MAX_PING_BODIES = 1000;
/** For so long `/health/ready` says that strangers were turned away. */
const TOLD_MS = 60_000;

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
  /** Of the client. */
  networks: Networks;
  /** Whose request it is, an organization's (uuid) as a rule; `null` for a stranger's. */
  owner: string | null;
  /** Until it is identified it counts for nobody: what leaves the open requests then must not be refused before. */
  isPassing: boolean;
  /** Where it counts, beside all that are open; `null` while it does not. */
  held: 'stranger' | 'organization' | 'passing' | null;
  /** There is nothing left to do for it. */
  isOver: boolean;
}
type PlacedRequest = Request & { [PLACE]?: Place };

/**
 * Names the organization (uuid), or whoever else, that a request is of by what this process knows already; `null` for a stranger. It must be
 * cheap: it is called for every request, before anything else is done for it.
 */
export type Recognize = (request: Request) => string | Recognized | null;

/** `isPassing`: who answers the request calls `identified`, and counts it for its organization then. */
export interface Recognized {
  owner: string;
  isPassing: boolean;
}

/**
 * Refuses requests, before any work is done for them, while more are open than can be served soon or while the event loop
 * is late again and again: checks and deliveries go on, and clients learn from `Retry-After` when to come back.
 *
 * Nobody gets all of it. Whoever is known by a key, a session, a token or the address of a ping counts for its organization from the
 * first moment on. All others are strangers: together they have half of the places, a client a tenth of these, until they are
 * identified. A stranger holds a place only while something is done for it, never while it sends a body or reads a response.
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

  /** From now on whoever it names is no stranger. */
  recognize(recognize: Recognize): void {
    this.recognizers.push(recognize);
  }

  /** Express middleware; must come before the body is read. */
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
    // What a stranger does not read, or reads slowly, is nothing that is done for them.
    if (place.owner === null) response.once(ENDED, () => place.owner === null && end());
    return next();
  };

  /** Whose request it is, an organization's (uuid) as a rule; `null` for a stranger's. */
  ownerOf(request: Request): string | null {
    return (request as PlacedRequest)[PLACE]?.owner ?? null;
  }

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
      this.enterRoom(request, this.large, owner, 'results');
    this.identified(request, owner);
  }

  /** Counts the request for its organization (uuid) from now on. Throws `rate_limited` when that has its share open. */
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
   * Waits for the body of a request to a route that needs no key. A stranger holds no place meanwhile, and when too many send theirs, those
   * that have taken longest are cut off. Throws `request_timeout`, and `temporarily_unavailable` when there is no place afterwards.
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
   * Waits for the body of a ping whose address is known, as `sending` does, but apart from strangers: its organization (uuid) has a part of
   * this room, too. Only the server bounds how long it takes.
   */
  async sendingPing<Body>(request: Request, orgId: string, read: () => Promise<Body>): Promise<Body> {
    const place = (request as PlacedRequest)[PLACE];
    if (place) this.leave(place);
    const body = await this.arrival(request, read, this.pingBodies, [orgId], null);
    if (place) this.enterAgain(Object.assign(place, { owner: orgId, isPassing: false }));
    return body;
  }

  /** For `/health/ready`, which is ready all the same: whoever is known is served. */
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

  /** Why there is no place for it; `null` once it has one. */
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

  /** After a wait for the client, who may have left. Throws why there is no place any more. */
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

  /** From the open requests into a room of its own. */
  private move(request: Request, room: ByOwner, owner: string, reason: 'polls' | 'results'): void {
    const place = (request as PlacedRequest)[PLACE];
    if (!place?.held) return;
    this.enterRoom(request, room, owner, reason);
    this.leave(place);
  }

  /** Until the response is there, or the client has left. */
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

  /** Counts a refusal. `owner`: whose request it is, `null` for a stranger's. */
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

/** What the client still sends is not waited for: its connection ends with the response. */
function closeBehind(response: Response): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * API responses are never cached. Once a shutdown has begun, `Connection: close` keeps clients from sending another request on a
 * connection that is about to be reset. When it refuses, API requests get 503, so that a load balancer sends them elsewhere.
 */
export const refuseWhileDraining =
  (health: Health): RequestHandler =>
  (request, response, next) => {
    if (health.isLeaving) response.setHeader('Connection', 'close');
    if (!request.path.startsWith('/api/')) return next();
    response.setHeader('Cache-Control', 'no-store');
    return health.draining ? next(problems.shuttingDown()) : next();
  };
