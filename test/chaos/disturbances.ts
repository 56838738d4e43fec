import type { Span } from './history';

/** After a response that got lost, a write may still happen for this long. */
const AMBIGUITY_MS = 30_000;

/** When clients changed where something notifies, or stopped it: by alert or contact, one span for each write. */
export class Disturbances {
  readonly spans = new Map<string, Span[]>();

  /** A write begins; returns what to call at its end. */
  begin(names: readonly string[]): (end: 'certain' | 'ambiguous') => void {
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    for (const name of names) this.spans.set(name, [...(this.spans.get(name) ?? []), span]);
    return (end) => {
      span.to = Date.now() + (end === 'ambiguous' ? AMBIGUITY_MS : 0);
    };
  }

  /** When the last of them was over; 0 without any. */
  lastOf(...names: string[]): number {
    return Math.max(0, ...names.flatMap((name) => (this.spans.get(name) ?? []).map(({ to }) => to)));
  }
}
