import type { Outcome } from '../../checker/checker';
import { BoundedMap } from '../../platform/cache/bounded-map';

/** Successes after a failure that may still resolve an alert: rules ask for two by default. */
const WATCHED = 10;
const MAX_KNOWN = 100_000;

/**
 * Which results are written soon: an endpoint's first, every failure, and the successes after one. Those of an endpoint
 * that has been up for long change only its history and may wait. A hint for when to write, nothing else: what a result
 * means is decided from the database. `maxKnown` bounds the memory; a forgotten endpoint's next result is urgent.
 */
export class WriteUrgency {
  /** Endpoint → how many of its next successes are urgent. */
  private readonly left: BoundedMap<string, number>;

  constructor(maxKnown = MAX_KNOWN) {
    this.left = new BoundedMap(maxKnown);
  }

  isUrgent(endpointId: string, outcome: Outcome): boolean {
    const left = outcome === 'up' ? (this.left.get(endpointId) ?? 1) : WATCHED + 1;
    if (left > 0) this.left.set(endpointId, left - 1);
    return left > 0;
  }
}
