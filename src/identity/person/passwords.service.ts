import { Injectable } from '@nestjs/common';
import { type Arrival, KnownFirst } from '../../platform/capacity/known-first';
import { Config } from '../../platform/config/config';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import { Clock } from '../../platform/time/clock';
import { IdentityMetrics } from '../identity.metrics';
import { comparePassword, findByPassword, HASH_COST, type HashCost, hashPassword } from './password-hash';
import { type KnownWords, normalizePassword, PASSWORD_LENGTH, weaknessOf } from './password-rule';

/**
 * The maximum number of concurrent hashes in this process. They occupy libuv threads, which also resolve names for
 * checks.
 */
const AT_ONCE = 2;
/**
 * The maximum number of waiting hashes. Above it, sign-ins are rejected, starting with strangers beyond the first five.
 */
const WAITING = 20;
const STRANGERS_KEPT = 5;
/** The seconds until a retry makes sense. This is roughly how long the waiting hashes take. */
const RETRY_SECONDS = 3;

/** The reason given when a password can't be set. */
export const NO_PASSWORDS =
  'Passwords are turned off on this installation. Sign in with single sign-on, or with a link.';
/** Longer than it takes to write an audit log entry. */
const REFUSAL_MS = 50;

/** A caller who has already proven their identity, by a session or a link's token. */
const PROVEN: Arrival = { owner: '', isKnown: true };

/** Validates, hashes, and compares passwords. Every method that hashes throws `rate_limited` if many are waiting. */
@Injectable()
export class Passwords {
  private readonly places = new KnownFirst({ size: AT_ONCE, waiting: WAITING, strangersKept: STRANGERS_KEPT });
  /** Only the test kit lowers the cost. */
  cost: HashCost = HASH_COST;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: IdentityMetrics,
  ) {
    metrics.watchHashes(() => this.places.waiting);
  }

  /** False with PASSWORD_LOGIN=off. In that case, no password is accepted. */
  get areOn(): boolean {
    return this.config.passwordLogin;
  }

  /** Returns the problems with a new password, at `pointer`. Throws `conflict` with PASSWORD_LOGIN=off. */
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
   * Hashes a password. `like` is a stored password for the same email, whose salt the new one shares
   * (`PersonStore.saltOf`).
   */
  hash(password: string, like: string | null = null): Promise<string> {
    return this.inTurn(PROVEN, () => hashPassword(normalizePassword(password), this.cost, like));
  }

  /**
   * Compares a password with the stored one. If the stored password is `null`, the comparison takes the same time and
   * never matches. `by` contains the request's network and whether the person recently signed in from there. Known
   * networks come before strangers, who take turns by network.
   */
  compare(
    password: string,
    stored: string | null,
    by: Arrival = PROVEN,
  ): Promise<{ isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => comparePassword(normalizePassword(password), stored, this.cost));
  }

  /**
   * Finds the person who has this password among people with the same email. Cost: one comparison, however many people
   * there are. `by` is as in `compare`.
   */
  find<Holder extends { password: string | null }>(
    password: string,
    holders: readonly Holder[],
    by: Arrival = PROVEN,
  ): Promise<{ holder: Holder | null; isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => findByPassword(normalizePassword(password), holders, this.cost));
  }

  /**
   * Records a wrong password for an existing email. Always takes a minimum time, so that the time doesn't reveal
   * whether the email exists.
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
