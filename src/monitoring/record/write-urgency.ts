import type { Outcome } from '../../checker/checker';
import { BoundedMap } from '../../platform/cache/bounded-map';

/** Successes after a failure that are written soon: they may resolve an alert, and rules ask for two by default. */
const WATCHED = 10;
/** A rule may ask for this many successes. */
const MAY_RESOLVE = 100;
const MAX_KNOWN = 100_000;

/** `may_change`: it may wait, but an alert may resolve with it. `quiet`: it changes nothing but history. */
export type Urgency = 'urgent' | 'may_change' | 'quiet';

/**
 * Which results are written soon: an endpoint's first, every failure, and the successes after one. Those of an endpoint
 * that has been up for long change only its history and may wait. A hint for when to write, nothing else: what a result
 * means is decided from the database. `maxKnown` bounds the memory; a forgotten endpoint's next result is urgent.
 */
export class WriteUrgency {
  /** Endpoint → how many of its next successes may resolve an alert. */
  private readonly left: BoundedMap<string, number>;

  constructor(maxKnown = MAX_KNOWN) {
    this.left = new BoundedMap(maxKnown);
  }

  of(endpointId: string, outcome: Outcome): Urgency {
    if (outcome !== 'up') {
      this.left.set(endpointId, MAY_RESOLVE);
      return 'urgent';
    }
    const left = this.left.get(endpointId);
    if (left === 0) return 'quiet';
    this.left.set(endpointId, left === undefined ? 0 : left - 1);
    return left === undefined || left > MAY_RESOLVE - WATCHED ? 'urgent' : 'may_change';
  }
}
