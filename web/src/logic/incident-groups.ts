import type { AlertEvent } from '../api/types';

/** What happened on one endpoint in one outage, newest first. */
export interface IncidentGroup {
  /** The oldest event: the same while newer ones join. */
  key: string;
  events: AlertEvent[];
}

interface Span {
  from: number;
  to: number;
  events: AlertEvent[];
}

/** An event covers its incident so far: from the first failing check to itself. */
const spanOf = (event: AlertEvent): Span => ({
  from: Date.parse(event.started_at ?? event.created_at),
  to: Date.parse(event.created_at),
  events: [event],
});

/**
 * Events, newest first, as one group for each outage of an endpoint: those whose times overlap belong together, whichever
 * alert they are of. Several alerts on an endpoint trigger by thresholds of their own, but fail since the same check.
 */
export function incidentGroups(events: readonly AlertEvent[]): IncidentGroup[] {
  const spans = new Map<string, Span[]>();
  for (const event of events) {
    const joined = spanOf(event);
    const apart: Span[] = [];
    for (const span of spans.get(event.endpoint_id) ?? []) {
      if (span.from > joined.to || span.to < joined.from) {
        apart.push(span);
        continue;
      }
      joined.from = Math.min(joined.from, span.from);
      joined.to = Math.max(joined.to, span.to);
      joined.events.push(...span.events);
    }
    spans.set(event.endpoint_id, [...apart, joined]);
  }
  const order = new Map(events.map(({ id }, index) => [id, index]));
  const place = ({ id }: { id: string }) => order.get(id) ?? 0;
  return [...spans.values()]
    .flat()
    .map(({ events: all }) => ({ key: '', events: all.sort((a, b) => place(a) - place(b)) }))
    .map((group) => ({ ...group, key: group.events.at(-1)?.id ?? '' }))
    .sort((a, b) => place(a.events[0] ?? { id: '' }) - place(b.events[0] ?? { id: '' }));
}
