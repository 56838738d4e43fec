import { type Delivery, type History, nameOf, overlap, type Span, type StoredCheck } from './history';

/** With the intervals and the timeout of a run, a location without results for longer has no vote (`silentAfterMs`). */
const VOTE_MS = 22_000;
/** The maximum difference between the clocks of database, probes, and this process, plus the time to write a batch. */
const TOLERANCE_MS = 5000;

/**
 * Returns broken promises about endpoints with several locations, one line each. An episode must not start before a
 * majority of them has seen the endpoint down. Disabled locations do not count.
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
