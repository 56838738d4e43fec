import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { LoadShedder } from '../platform/http/load/load-shedder';
import { clientAddress, clientNetworks, clientOf, isTrustedProxy, networkOf } from '../platform/access/client-network';
import { Config } from '../platform/config/config';
import { writeProblem } from '../platform/http/write-problem';
import { type Problem, problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import type { Caller, ProbeCaller } from '../platform/access/caller';
import type { CostOf } from '../platform/access/cost';
import { NetworkBuckets, type Rate } from '../platform/capacity/by-network';
import { TokenBuckets } from '../platform/capacity/token-bucket';

/**
 * Limit per address for requests without a known key, to any path. This is far more than a browser sends and less than
 * one core can serve.
 */
const ANONYMOUS = { rate: 200, burst: 400 };
/** Public status pages and links in messages have separate limits, which the operator can raise in a setting. */
const COUNTED_ELSEWHERE = /^\/(status|ack)\//;
/**
 * Health checks are counted separately, because a supervisor may share its address with clients behind a reverse proxy.
 */
const HEALTH = /^\/health\//;
/** Limit per address for requests without a key to routes that need none. Counted before any of the request is read. */
const VISITS = { rate: 20, burst: 40 };
/** Limit for wrong credentials per address: 20 immediately, then one every three seconds. */
const FAILED_SIGN_INS = { rate: 1 / 3, burst: 20 };
/**
 * Limit per key or person for sign-ins and account changes: 20 immediately, then one every ten seconds. Each one adds a
 * session or an audit log entry that isn't counted toward the organization's quota.
 */
const SIGN_INS = { rate: 1 / 10, burst: 20 };
/**
 * All keys in one organization together have as many tokens as three keys. Otherwise, an admin could raise the limit by
 * creating keys.
 */
const KEYS_PER_ORGANIZATION = 3;
/** An organization's limit for requests to any path, existing or not, as a multiple of the limit for its routes. */
const OF_ANY_KIND = 3;
/**
 * Limits on lookups of credentials that are new to this process, for all addresses together. The lookups take at most
 * about a tenth of a core. Each kind has a separate limit, so that a flood of one kind leaves room for the others:
 * - `checked`: keys and probe tokens with a correct checksum.
 * - `ping`: ping URLs.
 * - `password`: emails from networks without a recent sign-in.
 * - `familiar`: emails from all other networks.
 * - `other`: cookies, links, and keys without a checksum.
 */
const LOOK_UPS = {
  checked: { rate: 80, burst: 400 },
  ping: { rate: 40, burst: 200 },
  password: { rate: 30, burst: 150 },
  familiar: { rate: 20, burst: 100 },
  other: { rate: 30, burst: 150 },
} as const satisfies Record<string, Rate>;
export type LookUp = keyof typeof LOOK_UPS;
/** Shared limit on lookups for all addresses that have sent too many wrong credentials. */
const DOUBTFUL_LOOK_UPS = { rate: 20, burst: 20 };
/** Limit on wrong passwords for one email from one address: 10 immediately, then one every 30 seconds. */
const GUESSES = { rate: 1 / 30, burst: 10 };
/**
 * Limit on wrong passwords for one email from all networks without a recent sign-in: 100 immediately, then one per
 * minute.
 */
const STRANGERS = { rate: 1 / 60, burst: 100 };
/** Limit on requests with one probe's token: 60 immediately, then 20 per second, independent of the limit for keys. */
const PROBE_REQUESTS = { rate: 20, burst: 60 };
const ALL = 'all';

/**
 * Limits requests by key and by organization, and sign-ins by key. Limits requests without a key, and wrong
 * credentials, by address. An IPv6 /64 counts as one address, a /48 as ten, and a /32 as a hundred. If a proxy doesn't
 * distinguish its clients, the limits by address don't apply to them. Each process counts separately.
 */
@Injectable()
export class RateLimits {
  private readonly requests: TokenBuckets | null;
  private readonly organizations: TokenBuckets | null;
  private readonly ofAnyKind: TokenBuckets | null;
  private readonly anonymous: NetworkBuckets;
  private readonly supervisors: NetworkBuckets;
  private readonly visits: NetworkBuckets;
  private readonly signIns: TokenBuckets;
  private readonly failures: NetworkBuckets;
  private readonly guesses: TokenBuckets;
  private readonly strangers: TokenBuckets;
  private readonly lookUps: ReadonlyMap<LookUp, TokenBuckets>;
  private readonly doubtfulLookUps: TokenBuckets;
  private readonly probes: TokenBuckets;

  constructor(
    { rateLimitPerSecond: rate }: Config,
    private readonly clock: Clock,
    private readonly load: LoadShedder,
  ) {
    const monotonic = () => clock.monotonic();
    const ofAllKeys = rate * KEYS_PER_ORGANIZATION;
    this.requests = rate === 0 ? null : new TokenBuckets(rate, rate * 2, monotonic);
    this.organizations = rate === 0 ? null : new TokenBuckets(ofAllKeys, ofAllKeys * 2, monotonic);
    const ofAnyKind = Math.max(ofAllKeys * OF_ANY_KIND, ANONYMOUS.rate);
    this.ofAnyKind = rate === 0 ? null : new TokenBuckets(ofAnyKind, ofAnyKind * 2, monotonic);
    this.anonymous = new NetworkBuckets(ANONYMOUS, monotonic);
    this.supervisors = new NetworkBuckets(ANONYMOUS, monotonic);
    this.visits = new NetworkBuckets(VISITS, monotonic);
    this.signIns = new TokenBuckets(SIGN_INS.rate, SIGN_INS.burst, monotonic);
    this.failures = new NetworkBuckets(FAILED_SIGN_INS, monotonic);
    this.guesses = new TokenBuckets(GUESSES.rate, GUESSES.burst, monotonic);
    this.strangers = new TokenBuckets(STRANGERS.rate, STRANGERS.burst, monotonic);
    this.lookUps = new Map(
      (Object.entries(LOOK_UPS) as [LookUp, Rate][]).map(([of, { rate: each, burst }]) => [
        of,
        new TokenBuckets(each, burst, monotonic),
      ]),
    );
    this.probes = new TokenBuckets(PROBE_REQUESTS.rate, PROBE_REQUESTS.burst, monotonic);
    this.doubtfulLookUps = new TokenBuckets(DOUBTFUL_LOOK_UPS.rate, DOUBTFUL_LOOK_UPS.burst, monotonic);
  }

  /**
   * Express middleware. Rejects requests from an address without a known key, or from an organization, that sends too
   * many. This includes requests to paths that don't exist. Register it after routes that have separate limits.
   */
  readonly refuseFloods: RequestHandler = (request, response, next) => {
    const owner = this.load.ownerOf(request);
    const wait = owner === null ? this.waitOfStranger(request) : (this.ofAnyKind?.take(owner) ?? 0);
    return wait === 0 ? next() : writeProblem(request, response, problems.rateLimited(Math.ceil(wait)));
  };

  /**
   * Returns the seconds to wait. There is no limit for requests that a trusted proxy sends itself, such as a load
   * balancer's health checks.
   */
  private waitOfStranger(request: Request): number {
    if (COUNTED_ELSEWHERE.test(request.path)) return 0;
    const buckets = HEALTH.test(request.path) ? this.supervisors : this.anonymous;
    const wait = buckets.take(clientNetworks(request));
    return wait > 0 && isTrustedProxy(request, clientAddress(request)) ? 0 : wait;
  }

  /**
   * Counts a request with a key, or any request with AUTH=off. Deducts its cost in tokens and adds it to the
   * organization's open requests. Throws `rate_limited`.
   */
  countRequest(request: Request, { keyId, orgId, person }: Caller, costOf?: CostOf): void {
    this.load.identified(request, orgId);
    if (this.requests === null) return;
    const cost = costOf?.(request, this.clock.now().getTime()) ?? 1;
    refuse(this.requests.take(keyId ?? person?.id ?? orgId, cost));
    refuse(this.organizations?.take(orgId, cost) ?? 0);
  }

  /**
   * Counts a person's (UUID) request to their own account like a request with a key, in the organization (UUID) of
   * their session. Throws `rate_limited`.
   */
  countPerson(request: Request, personId: string, orgId: string | null): void {
    this.load.identified(request, orgId ?? personId);
    refuse(this.requests?.take(personId) ?? 0);
  }

  /** Counts a probe's request and adds it to the open requests. Throws `rate_limited` or `temporarily_unavailable`. */
  countProbe(request: Request, { probeId, orgId }: ProbeCaller): void {
    refuse(this.probes.take(probeId));
    this.load.identifiedProbe(request, probeId, orgId);
  }

  /** Counts a request to a route that needs no key, by address. Throws `rate_limited`. */
  countVisit(request: Request): void {
    refuse(this.visits.take(clientNetworks(request)));
  }

  /** Counts a sign-in with a key or by a person (UUID), or a change to the person's account. Throws `rate_limited`. */
  countSignIn(id: string): void {
    refuse(this.signIns.take(id));
  }

  /**
   * Limits lookups of credentials that are new to this process. Call this before each lookup. Addresses that have sent
   * many wrong credentials share a lower limit. Throws `rate_limited`.
   */
  admitLookUp(request: Request, of: LookUp): void {
    const isDoubtful = this.failures.waitFor(clientNetworks(request)) > 0;
    refuse((isDoubtful ? this.doubtfulLookUps : this.lookUps.get(of))?.take(ALL) ?? 0);
  }

  /**
   * Compares a password if the address is still allowed to guess for this email. `isKnown` means that a person with the
   * email recently signed in from this network. This keeps strangers who guess from locking that person out. If
   * strangers are no longer allowed to guess, `compare` is called with `onlyKnown` and skips accounts that are not
   * known on that network.
   *
   * An attempt counts as wrong until it turns out to be right or is not evaluated. This way, parallel attempts get no
   * more comparisons than sequential ones. Throws `rate_limited`.
   */
  async guess<Result extends { isRight: boolean }>(
    request: Request,
    email: string,
    isKnown: boolean,
    compare: (onlyKnown: boolean) => Promise<Result>,
  ): Promise<Result> {
    const network = ownNetworkOf(request);
    const guesser = network === null ? null : `${network} ${email}`;
    refuse(guesser === null ? 0 : this.guesses.waitFor(guesser));
    // Known networks are counted too, so that the limit doesn't reveal who else uses the email.
    const wait = this.strangers.take(email);
    refuse(isKnown ? 0 : wait);
    if (guesser !== null) this.guesses.take(guesser);
    let isWrong = false;
    try {
      const result = await compare(wait > 0);
      isWrong = !result.isRight;
      return result;
    } finally {
      if (!isWrong && guesser !== null) this.guesses.giveBack(guesser);
      if (!isWrong && wait === 0) this.strangers.giveBack(email);
    }
  }

  /**
   * Counts a wrong credential and returns its problem. The problem is the same for every kind of wrong credential until
   * an address sends too many.
   */
  refusal(request: Request, wrong = problems.unauthenticated()): Problem {
    const wait = this.failures.take(clientNetworks(request));
    return wait > 0 ? problems.rateLimited(Math.ceil(wait)) : wrong;
  }
}

/**
 * Returns the client's network. Returns `null` if a proxy doesn't distinguish its clients, because other clients would
 * be counted with it.
 */
export function ownNetworkOf(request: Request): string | null {
  const { address, isKnown } = clientOf(request);
  return isKnown ? networkOf(address) : null;
}

function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw problems.rateLimited(Math.ceil(waitSeconds));
}
