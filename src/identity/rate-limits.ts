import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LoadShedder } from '../platform/http/load/load-shedder';
import { clientAddress, networkOf } from '../platform/access/client-network';
import { Config } from '../platform/config/config';
import { type Problem, problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import type { Caller, ProbeCaller } from '../platform/access/caller';
import type { CostOf } from '../platform/access/cost';
import { TokenBuckets } from '../platform/capacity/token-bucket';

/** Requests without a key that one address may send to routes that need none, before anything of them is read. */
const VISITS = { rate: 20, burst: 40 };
/** Wrong credentials that one address may send: 20 at once, then one every three seconds. */
const FAILED_SIGN_INS = { rate: 1 / 3, burst: 20 };
/** Sign-ins with one key: 20 at once, then one every ten seconds. Each makes a session and an entry in the audit log. */
const SIGN_INS = { rate: 1 / 10, burst: 20 };
/** All keys of one organization together have as many tokens as three keys: an admin can make more keys. */
const KEYS_PER_ORGANIZATION = 3;
/** Look-ups of credentials that this process does not know yet, of all addresses: about a tenth of a core at most. */
const LOOK_UPS = { rate: 200, burst: 1000 };
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
 * one. Each process counts for itself.
 */
@Injectable()
export class RateLimits {
  private readonly requests: TokenBuckets | null;
  private readonly organizations: TokenBuckets | null;
  private readonly visits: TokenBuckets;
  private readonly signIns: TokenBuckets;
  private readonly failures: TokenBuckets;
  private readonly guesses: TokenBuckets;
  private readonly strangers: TokenBuckets;
  private readonly lookUps: TokenBuckets;
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
    this.visits = new TokenBuckets(VISITS.rate, VISITS.burst, monotonic);
    this.signIns = new TokenBuckets(SIGN_INS.rate, SIGN_INS.burst, monotonic);
    this.failures = new TokenBuckets(FAILED_SIGN_INS.rate, FAILED_SIGN_INS.burst, monotonic);
    this.guesses = new TokenBuckets(GUESSES.rate, GUESSES.burst, monotonic);
    this.strangers = new TokenBuckets(STRANGERS.rate, STRANGERS.burst, monotonic);
    this.lookUps = new TokenBuckets(LOOK_UPS.rate, LOOK_UPS.burst, monotonic);
    this.probes = new TokenBuckets(PROBE_REQUESTS.rate, PROBE_REQUESTS.burst, monotonic);
    this.doubtfulLookUps = new TokenBuckets(DOUBTFUL_LOOK_UPS.rate, DOUBTFUL_LOOK_UPS.burst, monotonic);
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

  /** Counts a request of a person (uuid) to their own account, as one with a key. Throws `rate_limited`. */
  countPerson(personId: string): void {
    refuse(this.requests?.take(personId) ?? 0);
  }

  /** Counts a request of a probe, and its place among the open ones. Throws `rate_limited`, or `temporarily_unavailable`. */
  countProbe(request: Request, { probeId, orgId }: ProbeCaller): void {
    refuse(this.probes.take(probeId));
    this.load.identifiedProbe(request, probeId, orgId);
  }

  /** Counts a request to a route that needs no key, by its address. Throws `rate_limited`. */
  countVisit(request: Request): void {
    refuse(this.visits.take(networkOf(clientAddress(request))));
  }

  /** Counts a sign-in with the key (uuid). Throws `rate_limited`. */
  countSignIn(keyId: string): void {
    refuse(this.signIns.take(keyId));
  }

  /**
   * Call it before a credential is looked up that this process does not know: what an address that has sent many wrong ones
   * may still have looked up, and what all together may, is bounded. Throws `rate_limited`.
   */
  admitLookUp(request: Request): void {
    const isDoubtful = this.failures.waitFor(networkOf(clientAddress(request))) > 0;
    refuse((isDoubtful ? this.doubtfulLookUps : this.lookUps).take(ALL));
  }

  /**
   * Compares a password if the address may guess at this e-mail. `isKnown`: it has signed in from this network lately, so strangers
   * who guess do not keep its owner out. An attempt counts as wrong until it proves right, or is not judged: of many that are sent at
   * once no more are compared than of those one after the other. Throws `rate_limited`.
   */
  async guess<Result extends { isRight: boolean }>(
    request: Request,
    email: string,
    isKnown: boolean,
    compare: () => Promise<Result>,
  ): Promise<Result> {
    const guesser = `${networkOf(clientAddress(request))} ${email}`;
    refuse(this.guesses.waitFor(guesser));
    refuse(isKnown ? 0 : this.strangers.take(email));
    this.guesses.take(guesser);
    let isWrong = false;
    try {
      const result = await compare();
      isWrong = !result.isRight;
      return result;
    } finally {
      if (!isWrong) this.guesses.giveBack(guesser);
      if (!isWrong && !isKnown) this.strangers.giveBack(email);
    }
  }

  /**
   * Call it before a ping is taken. `owner`: the organization (uuid) of an address that this process knows, which the request then
   * counts for among the open ones, as with a key; of others `null`. Throws `rate_limited`.
   */
  admitPing(request: Request, owner: string | null): void {
    if (owner === null) this.admitLookUp(request);
    else this.load.identified(request, owner);
  }

  /** Counts a wrong credential and returns the problem for it: the same for every kind of wrong one, until an address sends many. */
  refusal(request: Request, wrong = problems.unauthenticated()): Problem {
    const wait = this.failures.take(networkOf(clientAddress(request)));
    return wait > 0 ? problems.rateLimited(Math.ceil(wait)) : wrong;
  }
}

function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw problems.rateLimited(Math.ceil(waitSeconds));
}
