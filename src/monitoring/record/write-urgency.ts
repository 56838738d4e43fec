import type { Outcome } from '../../checker/checker';

/** Successes after a failure that may still resolve an alert: rules ask for two unless told otherwise. */
const WATCHED = 10;
const MAX_KNOWN = 100_000;

/**
 * Tells results that somebody may be waiting for (an endpoint's first, every failure, the successes after one) from those
 * of an endpoint that has long been up, which change nothing but its history. Only a hint for when to write: what a
 * result means is decided from the database. `maxKnown` bounds the memory; beyond it everything is news once more.
 */
export class WriteUrgency {
  /** Endpoint → results that are still news. */
  private readonly left = new Map<string, number>();

  constructor(private readonly maxKnown = MAX_KNOWN) {}

  isUrgent(endpointId: string, outcome: Outcome): boolean {
    const left = outcome === 'up' ? (this.left.get(endpointId) ?? 1) : WATCHED + 1;
    if (this.left.size >= this.maxKnown && !this.left.has(endpointId)) this.left.clear();
    this.left.set(endpointId, Math.max(0, left - 1));
    return left > 0;
  }
}
