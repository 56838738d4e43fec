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

/** Requests without a known key that one address may send, whatever they ask for. Far more than a browser, and less than a core can serve. */
const ANONYMOUS = { rate: 200, burst: 400 };
/** Public status pages and links of messages have limits of their own, which a setting raises. */
const COUNTED_ELSEWHERE = /^\/(status|ack)\//;
/** Supervisors may share their address with those whom a reverse proxy stands for. */
const HEALTH = /^\/health\//;
/** Requests without a key that one address may send to routes that need none, before anything of them is read. */
const VISITS = { rate: 20, burst: 40 };
/** Wrong credentials that one address may send: 20 at once, then one every three seconds. */
const FAILED_SIGN_INS = { rate: 1 / 3, burst: 20 };
/**
 * Sign-ins with one key or of one person, and changes of the account: 20 at once, then one every ten seconds. Each adds a session, or an
 * entry in the audit log that no quota of the organization counts.
 */
const SIGN_INS = { rate: 1 / 10, burst: 20 };
/** All keys of one organization together have as many tokens as three keys: an admin can make more keys. */
const KEYS_PER_ORGANIZATION = 3;
/** Requests of one organization to whatever there is or is not: as many times those that routes take of it. */
const OF_ANY_KIND = 3;
/**
 * Look-ups of what this process does not know yet, of all addresses: about a tenth of a core at most. Each kind has its own, so that a flood
 * of one kind leaves room for the others. `checked`: keys and tokens of probes whose checksum is right; `ping`: addresses of pings;
 * `password`: e-mails from networks from which nobody has signed in lately, `familiar`: from the others; `other`: cookies, links, keys without a checksum.
 */
const LOOK_UPS = {
  checked: { rate: 80, burst: 400 },
  ping: { rate: 40, burst: 200 },
  password: { rate: 30, burst: 150 },
  familiar: { rate: 20, burst: 100 },
  other: { rate: 30, burst: 150 },
} as const satisfies Record<string, Rate>;
export type LookUp = keyof typeof LOOK_UPS;
/** Look-ups for addresses that have sent too many wrong ones, all of them together. */
const DOUBTFUL_LOOK_UPS = { rate: 20, burst: 20 };
/** Wrong passwords for one e-mail from one address: 10 at once, then one in 30 seconds. */
const GUESSES = { rate: 1 / 30, burst: 10 };
/** Wrong passwords for one e-mail from all networks that it has not signed in from lately: 100 at once, then one a minute. */
const STRANGERS = { rate: 1 / 60, burst: 100 };
/** Requests with the token of one probe: 60 at once, then 20 a second, whatever holds for keys. */
const PROBE_REQUESTS = { rate: 20, burst: 60 };
const ALL = 'all';

/**
 * Limits of requests by key and by organization, of sign-ins by key, of requests without a key and of wrong credentials by address, an IPv6 /64 being
 * one, and a /48 and a /32 ten and a hundred of them. Clients that a proxy does not tell apart share no limit by address. Each process counts for
 * itself.
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
   * Express middleware, behind whatever has limits of its own: refuses requests of an address without a known key, or of an organization, that
   * sends very many, also to paths that do not exist.
   */
  readonly refuseFloods: RequestHandler = (request, response, next) => {
    const owner = this.load.ownerOf(request);
    const wait = owner === null ? this.waitOfStranger(request) : (this.ofAnyKind?.take(owner) ?? 0);
    return wait === 0 ? next() : writeProblem(request, response, problems.rateLimited(Math.ceil(wait)));
  };

  /** A proxy that is trusted and forwards for nobody, such as a load balancer that asks for health, is bounded by nothing. */
  private waitOfStranger(request: Request): number {
    if (COUNTED_ELSEWHERE.test(request.path)) return 0;
    const buckets = HEALTH.test(request.path) ? this.supervisors : this.anonymous;
    const wait = buckets.take(clientNetworks(request));
    return wait > 0 && isTrustedProxy(request, clientAddress(request)) ? 0 : wait;
  }

  /**
   * Counts a request with the key, or any request with AUTH=off: its cost in tokens, and its place among the open requests
   * of its organization. Throws `rate_limited`.
   */
  countRequest(request: Request, { keyId, orgId, person }: Caller, costOf?: CostOf): void {
    this.load.identified(request, orgId);
    if (this.requests === null) return;
    const cost = costOf?.(request, this.clock.now().getTime()) ?? 1;
    refuse(this.requests.take(keyId ?? person?.id ?? orgId, cost));
    refuse(this.organizations?.take(orgId, cost) ?? 0);
  }

  /** Counts a request of a person (uuid) to their own account, as one with a key, in the organization (uuid) of their session. Throws `rate_limited`. */
  countPerson(request: Request, personId: string, orgId: string | null): void {
    this.load.identified(request, orgId ?? personId);
    refuse(this.requests?.take(personId) ?? 0);
  }

  /** Counts a request of a probe, and its place among the open ones. Throws `rate_limited`, or `temporarily_unavailable`. */
  countProbe(request: Request, { probeId, orgId }: ProbeCaller): void {
    refuse(this.probes.take(probeId));
    this.load.identifiedProbe(request, probeId, orgId);
  }

  /** Counts a request to a route that needs no key, by its address. Throws `rate_limited`. */
  countVisit(request: Request): void {
    refuse(this.visits.take(clientNetworks(request)));
  }

  /** Counts a sign-in with the key or of the person (uuid), or a change of their account. Throws `rate_limited`. */
  countSignIn(id: string): void {
    refuse(this.signIns.take(id));
  }

  /**
   * Call it before a credential is looked up that this process does not know: what an address that has sent many wrong ones
   * may still have looked up, and what all together may, is bounded. Throws `rate_limited`.
   */
  admitLookUp(request: Request, of: LookUp): void {
    const isDoubtful = this.failures.waitFor(clientNetworks(request)) > 0;
    refuse((isDoubtful ? this.doubtfulLookUps : this.lookUps.get(of))?.take(ALL) ?? 0);
  }

  /**
   * Compares a password if the address may guess at this email. `isKnown`: a person with the email has signed in from this network lately, so strangers who guess do not keep them out. If strangers may not guess any more, `compare` is called with `onlyKnown`, and leaves out the accounts that are not known there. An attempt counts as wrong until it proves right, or is not judged: of many that are
   * sent at once no more are compared than of those one after the other. Throws `rate_limited`.
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
    // Counted for known networks as well, so that the limit does not reveal who else has the email.
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

  /** Counts a wrong credential and returns the problem for it: the same for every kind of wrong one, until an address sends many. */
  refusal(request: Request, wrong = problems.unauthenticated()): Problem {
    const wait = this.failures.take(clientNetworks(request));
    return wait > 0 ? problems.rateLimited(Math.ceil(wait)) : wrong;
  }
}

/** The network of the client alone; `null` when a proxy does not tell its clients apart, and others would be counted with it. */
export function ownNetworkOf(request: Request): string | null {
  const { address, isKnown } = clientOf(request);
  return isKnown ? networkOf(address) : null;
}

function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw problems.rateLimited(Math.ceil(waitSeconds));
}
