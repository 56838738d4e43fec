import type { Busy } from './destination-queries';
import type { Attempt } from './attempt';

/** Messages in flight at once in this process. */
export interface Limits {
  total: number;
  perOrg: number;
  perHost: number;
  perDestination: number;
}

/**
 * A provider that takes its fifteen seconds fills its host's slots and no more; an organization whose providers all do
 * fills half of the slots. The others go on.
 */
export const CONCURRENCY_LIMITS: Limits = { total: 64, perOrg: 32, perHost: 16, perDestination: 4 };

/** Counts the messages in flight. */
export class ConcurrencyLimits {
  private readonly flying = new Set<Attempt>();

  constructor(private readonly limits: Limits = CONCURRENCY_LIMITS) {}

  get free(): number {
    return this.limits.total - this.flying.size;
  }

  get taken(): number {
    return this.flying.size;
  }

  take(shipment: Attempt): void {
    this.flying.add(shipment);
  }

  release(shipment: Attempt): void {
    this.flying.delete(shipment);
  }

  /** How many more may leave for a destination, as far as its host is not known to be full. */
  freeAt(orgId: string, destination: string): number {
    const ofOrg = this.count((shipment) => shipment.orgId === orgId);
    const ofDestination = this.count((shipment) => shipment.destination === destination);
    return Math.min(this.free, this.limits.perOrg - ofOrg, this.limits.perDestination - ofDestination);
  }

  /** Everything that must not get more. */
  busy(): Busy {
    return {
      orgs: this.full(({ orgId }) => orgId, this.limits.perOrg),
      destinations: this.full(({ destination }) => destination, this.limits.perDestination),
      hosts: this.full(({ host }) => host, this.limits.perHost),
    };
  }

  private count(belongs: (shipment: Attempt) => boolean): number {
    let count = 0;
    for (const shipment of this.flying) if (belongs(shipment)) count++;
    return count;
  }

  private full(keyOf: (shipment: Attempt) => string | null, limit: number): string[] {
    const counts = new Map<string, number>();
    for (const shipment of this.flying) {
      const key = keyOf(shipment);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
  }
}
