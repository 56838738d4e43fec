import { type Delivery, type History, nameOf, overlap, type Span, type StoredCheck } from './history';

/** With the intervals and the timeout of a run a location that has said nothing for longer has no vote (`silentAfterMs`). */
const VOTE_MS = 22_000;
/** How far the clocks of database, probes and this process differ, and how long a batch takes to be written. */
const TOLERANCE_MS = 5000;

/**
 * Broken promises about endpoints with several locations, one line each: no episode begins before as many of them as the majority
 * has have seen the endpoint down. What is disabled does not count among them.
 */
export function locationProperties({ deliveries, pagerDeliveries, checks, placed, disabled }: History): string[] {
  const down = checks.filter(({ endpoint, outcome }) => outcome === 'down' && placed.has(endpoint));
  return [...deliveries, ...pagerDeliveries].flatMap((delivery) => {
    const of = placed.get(delivery.endpoint);
    if (delivery.kind !== 'triggered' || of === undefined) return [];
    const during: Span = { from: delivery.at - VOTE_MS - TOLERANCE_MS, to: delivery.at + TOLERANCE_MS };
    const out = new Set(disabled.filter((span) => overlap(span, during)).map(({ probe }) => probe)).size;
    const seen = locationsIn(down, delivery, during);
    const needed = Math.floor(Math.max(1, of - out) / 2) + 1;
    if (seen >= needed) return [];
    return [`no quorum: ${nameOf(delivery)} began when ${seen} of ${of} locations saw ${delivery.endpoint} down`];
  });
}

const locationsIn = (down: readonly StoredCheck[], { endpoint }: Delivery, { from, to }: Span): number =>
  new Set(
    down.filter((one) => one.endpoint === endpoint && one.at >= from && one.at <= to).map(({ location }) => location),
  ).size;
