import type { Destination } from '../destination';
import type { Attempt } from './attempt';
import type { Busy } from './destination-queries';

/** The limits on attempts in flight in this process. */
export interface Limits {
  total: number;
  /** The part of `total` that is reserved for organizations with no attempt in flight, one each. */
  reserved: number;
  perOrg: number;
  /**
   * The limit per host and organization. Many organizations may send to one provider, and only their own receivers
   * there may hang.
   */
  perHost: number;
  perDestination: number;
}

/** See `roomOf` for the effect of receivers that hang, each for fifteen seconds. */
export const CONCURRENCY_LIMITS: Limits = { total: 64, reserved: 8, perOrg: 32, perHost: 16, perDestination: 4 };

/**
 * Returns how many more attempts an organization with `own` attempts in flight may start if a total of `inFlight` are
 * in flight. It never gets more than it leaves free for the others. On its own, it gets half of the total. Alongside n
 * others that take all they can, it gets a share of 1 / (n + 2). Attempts can't be interrupted, so organizations that
 * come later can't use the ones already taken. The last ones are reserved for organizations without any.
 */
export function roomOf({ total, reserved, perOrg }: Limits, inFlight: number, own: number): number {
  const free = total - inFlight;
  const shared = Math.min(Math.floor((free - own) / 2), free - reserved, perOrg - own);
  return Math.max(shared, own === 0 && free > 0 ? 1 : 0, 0);
}

interface Count {
  orgId: string;
  /** The destination or the host. */
  key: string;
  count: number;
}

export class ConcurrencyLimits {
  private readonly inFlight = new Set<Attempt>();

  constructor(private readonly limits: Limits = CONCURRENCY_LIMITS) {}

  get free(): number {
    return this.limits.total - this.inFlight.size;
  }

  take(attempt: Attempt): void {
    this.inFlight.add(attempt);
  }

  release(attempt: Attempt): void {
    this.inFlight.delete(attempt);
  }

  /** Returns how many more attempts may start at a destination. Ignores the limit for its host. */
  freeAt({ orgId, destination }: Destination): number {
    let [ofOrg, ofDestination] = [0, 0];
    for (const attempt of this.inFlight) {
      if (attempt.orgId !== orgId) continue;
      ofOrg++;
      if (attempt.destination === destination) ofDestination++;
    }
    return Math.min(roomOf(this.limits, this.inFlight.size, ofOrg), this.limits.perDestination - ofDestination);
  }

  /** Returns everything that has reached its limit. */
  busy(): Busy {
    const orgs = this.countBy(() => '');
    return {
      orgs: orgs.filter(({ count }) => roomOf(this.limits, this.inFlight.size, count) === 0).map(({ orgId }) => orgId),
      destinations: this.full(({ destination }) => destination, this.limits.perDestination),
      hosts: this.full(({ host }) => host, this.limits.perHost),
    };
  }

  private full(keyOf: (attempt: Attempt) => string | null, limit: number): { orgId: string; key: string }[] {
    return this.countBy(keyOf).filter(({ count }) => count >= limit);
  }

  private countBy(keyOf: (attempt: Attempt) => string | null): Count[] {
    const counts = new Map<string, Count>();
    for (const attempt of this.inFlight) {
      const key = keyOf(attempt);
      if (key === null) continue;
      const of = `${attempt.orgId} ${key}`;
      const known = counts.get(of);
      if (known) known.count++;
      else counts.set(of, { orgId: attempt.orgId, key, count: 1 });
    }
    return [...counts.values()];
  }
}
