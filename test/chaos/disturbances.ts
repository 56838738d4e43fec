import type { Span } from './history';

/** After a lost response, a write may still take effect for this long. */
const AMBIGUITY_MS = 30_000;

/** Records when clients changed a notification route or stopped it: one span per write, by alert or contact. */
export class Disturbances {
  readonly spans = new Map<string, Span[]>();

  /** Records the start of a write. Returns a function to call at its end. */
  begin(names: readonly string[]): (end: 'certain' | 'ambiguous') => void {
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    for (const name of names) this.spans.set(name, [...(this.spans.get(name) ?? []), span]);
    return (end) => {
      span.to = Date.now() + (end === 'ambiguous' ? AMBIGUITY_MS : 0);
    };
  }

  /** Returns when the last of them was over, or 0 without any. */
  lastOf(...names: string[]): number {
    return Math.max(0, ...names.flatMap((name) => (this.spans.get(name) ?? []).map(({ to }) => to)));
  }
}
