import type { Attempt } from './attempt';
import type { Busy } from './destination-queries';

/** Attempts in flight at once in this process. */
export interface Limits {
  total: number;
  perOrg: number;
  perHost: number;
  perDestination: number;
}

/**
 * A provider that takes its fifteen seconds uses up its host's limit and no more; an organization whose providers all do
 * uses up half of the total. The others go on.
 */
export const CONCURRENCY_LIMITS: Limits = { total: 64, perOrg: 32, perHost: 16, perDestination: 4 };

/** Counts the attempts in flight. */
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

  /** How many more attempts may start at a destination, as far as its host is not known to be at its limit. */
  freeAt(orgId: string, destination: string): number {
    const ofOrg = this.count((attempt) => attempt.orgId === orgId);
    const ofDestination = this.count((attempt) => attempt.destination === destination);
    return Math.min(this.free, this.limits.perOrg - ofOrg, this.limits.perDestination - ofDestination);
  }

  /** Everything that is at its limit. */
  busy(): Busy {
    return {
      orgs: this.full(({ orgId }) => orgId, this.limits.perOrg),
      destinations: this.full(({ destination }) => destination, this.limits.perDestination),
      hosts: this.full(({ host }) => host, this.limits.perHost),
    };
  }

  private count(belongs: (attempt: Attempt) => boolean): number {
    let count = 0;
    for (const attempt of this.inFlight) if (belongs(attempt)) count++;
    return count;
  }

  private full(keyOf: (attempt: Attempt) => string | null, limit: number): string[] {
    const counts = new Map<string, number>();
    for (const attempt of this.inFlight) {
      const key = keyOf(attempt);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
  }
}
