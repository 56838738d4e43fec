import { Injectable } from '@nestjs/common';
import { type Arrival, KnownFirst } from '../../platform/capacity/known-first';
import { Config } from '../../platform/config/config';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import { Clock } from '../../platform/time/clock';
import { IdentityMetrics } from '../identity.metrics';
import { comparePassword, findByPassword, HASH_COST, type HashCost, hashPassword } from './password-hash';
import { type KnownWords, normalizePassword, PASSWORD_LENGTH, weaknessOf } from './password-rule';

/** Hashes at once in this process: they sit in libuv's threads, which look up names for checks. */
const AT_ONCE = 2;
/** Further ones that wait; beyond them a sign-in is refused, of strangers those beyond five before any other. */
const WAITING = 20;
const STRANGERS_KEPT = 5;
/** Seconds until it is worth to try again: what the waiting ones take, about. */
const RETRY_SECONDS = 3;

/** Why there is no password to be set. */
export const NO_PASSWORDS = 'Passwords are turned off here. Sign in with single sign-on, or with a link.';
/** More than an entry of the audit log takes. */
const REFUSAL_MS = 50;

/** Who has proven in another way who they are: by a session, or by the token of a link. */
const PROVEN: Arrival = { owner: '', isKnown: true };

/** What a password may be, and the hashes of those there are. Every method that hashes throws `rate_limited` when many wait. */
@Injectable()
export class Passwords {
  private readonly places = new KnownFirst({ size: AT_ONCE, waiting: WAITING, strangersKept: STRANGERS_KEPT });
  /** Only the test kit makes it cheaper. */
  cost: HashCost = HASH_COST;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: IdentityMetrics,
  ) {
    metrics.watchHashes(() => this.places.waiting);
  }

  /** False with PASSWORDS=off: none is taken. */
  get areOn(): boolean {
    return this.config.passwords;
  }

  /** What is wrong with a new password, at `pointer`; nothing for a good one. Throws `conflict` with PASSWORDS=off. */
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

  /** `like`: a stored password of the same email, whose salt the new one shares (`PersonStore.saltOf`). */
  hash(password: string, like: string | null = null): Promise<string> {
    return this.inTurn(PROVEN, () => hashPassword(normalizePassword(password), this.cost, like));
  }

  /**
   * Whether it is the stored one; `null`, where there is none, takes the same time and is wrong. `by`: the network that it comes from, and whether
   * the person has signed in from there lately. They come before strangers, who wait in turn, network by network.
   */
  compare(
    password: string,
    stored: string | null,
    by: Arrival = PROVEN,
  ): Promise<{ isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => comparePassword(normalizePassword(password), stored, this.cost));
  }

  /** Whose it is of people with one email: the work of one comparison, however many there are. `by`: as in `compare`. */
  find<Holder extends { password: string | null }>(
    password: string,
    holders: readonly Holder[],
    by: Arrival = PROVEN,
  ): Promise<{ holder: Holder | null; isRight: boolean; isOutdated: boolean }> {
    return this.inTurn(by, () => findByPassword(normalizePassword(password), holders, this.cost));
  }

  /** What is written of a wrong one, where somebody has the e-mail: nobody can tell by the time whether somebody has. */
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
