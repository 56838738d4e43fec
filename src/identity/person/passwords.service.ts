import { Injectable } from '@nestjs/common';
import { type Arrival, KnownFirst } from '../../platform/capacity/known-first';
import { Config } from '../../platform/config/config';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import { Clock } from '../../platform/time/clock';
import { IdentityMetrics } from '../identity.metrics';
import { comparePassword, findByPassword, HASH_COST, type HashCost, hashPassword } from './password-hash';
import { type KnownWords, normalizePassword, PASSWORD_LENGTH, weaknessOf } from './password-rule';

/** Maximum concurrent hashes in this process. They occupy libuv's threads, which also resolve names for checks. */
const AT_ONCE = 2;
/** Maximum waiting hashes. Above it, a sign-in is refused. Strangers beyond five are refused before anyone else. */
const WAITING = 20;
const STRANGERS_KEPT = 5;
/** Seconds until a retry makes sense, roughly the time that the waiting hashes take. */
const RETRY_SECONDS = 3;

/** The reason given when a password can't be set. */
export const NO_PASSWORDS = 'Passwords are turned off here. Sign in with single sign-on, or with a link.';
/** Longer than writing an entry of the audit log. */
const REFUSAL_MS = 50;

/** A caller who has already proven their identity, by a session or by the token of a link. */
const PROVEN: Arrival = { owner: '', isKnown: true };

/** Validates, hashes, and compares passwords. Every method that hashes throws `rate_limited` if many are waiting. */
@Injectable()
export class Passwords {
  private readonly places = new KnownFirst({ size: AT_ONCE, waiting: WAITING, strangersKept: STRANGERS_KEPT });
  /** Only the test kit lowers it. */
  cost: HashCost = HASH_COST;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: IdentityMetrics,
  ) {
    metrics.watchHashes(() => this.places.waiting);
  }

  /** False with PASSWORD_LOGIN=off. Then no password is accepted. */
  get areOn(): boolean {
    return this.config.passwordLogin;
  }

  /** Returns the problems of a new password, at `pointer`. Throws `conflict` with PASSWORD_LOGIN=off. */
  findingsIn(password: string, known: Omit<KnownWords, 'host'>, pointer = '/password'): FieldProblem[] {
    if (!this.areOn) throw problems.conflict(NO_PASSWORDS);
    const length = [...normalizePassword(password)].length;
    if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max)
      return [
        {
          pointer,
          code: 'out_of_range',
          message: `password must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters: several words are easy to remember`,
        },
      ];
    const host = this.config.publicUrl === null ? null : (readUrl(this.config.publicUrl)?.hostname ?? null);
    const weakness = weaknessOf(password, { ...known, host });
    return weakness === null ? [] : [{ pointer, code: 'too_weak', message: weakness }];
  }

  /**
   * Hashes a password. `like` is a stored password of the same email, whose salt the new one shares
   * (`PersonStore.saltOf`).
   */
  hash(password: string, like: string | null = null): Promise<string> {
    return this.inTurn(PROVEN, () => hashPassword(normalizePassword(password), this.cost, like));
  }

  /**
   * Compares a password with the stored one. A stored `null` takes the same time and never matches. `by` is the network
   * of the request, and whether the person has recently signed in from there. Known networks come before strangers, who
   * wait in turn by network.
   */
  compare(
    password: string,
    stored: string | null,
    by: Arrival = PROVEN,
  ): Promise<{ isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => comparePassword(normalizePassword(password), stored, this.cost));
  }

  /**
   * Finds the holder of the password among people with one email. Cost: one comparison, however many there are. `by` is
   * as in `compare`.
   */
  find<Holder extends { password: string | null }>(
    password: string,
    holders: readonly Holder[],
    by: Arrival = PROVEN,
  ): Promise<{ holder: Holder | null; isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => findByPassword(normalizePassword(password), holders, this.cost));
  }

  /**
   * Records a wrong password for an existing email. Takes a fixed minimum time, so that the time doesn't reveal whether
   * the email exists.
   */
  async afterWrong(record: () => Promise<unknown>): Promise<void> {
    await Promise.all([record(), this.clock.sleep(REFUSAL_MS)]);
  }

  private async inTurn<T>(by: Arrival, work: () => Promise<T>): Promise<T> {
    const release = await this.places.take(by);
    if (release === null) throw problems.rateLimited(RETRY_SECONDS);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
