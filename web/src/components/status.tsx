import type { Shown } from '../logic/overview-order';

/** One shape per status, so that color is never the only difference (WCAG 1.4.1). */
const SHAPES: Record<Shown, string> = {
  up: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0ZM3.2 6.2 5.2 8.2 8.9 4.2 8 3.4 5.2 6.4 4 5.3Z',
  down: 'M6 .4 11.8 11H.2ZM5.3 4v3.6h1.4V4Zm0 4.4v1.3h1.4V8.4Z',
  degraded: 'M6 0 12 6 6 12 0 6ZM5.3 3v3.8h1.4V3Zm0 4.6V9h1.4V7.6Z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0Zm0 1.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM4.7 5.3h2.6v1.4H4.7Z',
  paused: 'M2 1h3v10H2Zm5 0h3v10H7Z',
};

const WORDS: Record<Shown, string> = {
  up: 'Up',
  down: 'Down',
  degraded: 'Degraded',
  unknown: 'Unknown',
  paused: 'Paused',
};

/** The shape for a status. `size` is in pixels. */
export const Shape = ({ status, size = 12 }: { status: Shown; size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" fill="currentColor" fill-rule="evenodd">
    <path d={SHAPES[status]} />
  </svg>
);

/** Shows a status as a shape, word, and color. */
export const StatusPill = ({ status, word = WORDS[status], id }: { status: Shown; word?: string; id?: string }) => (
  <span class={`status ${status}`} id={id}>
    <Shape status={status} />
    {word}
  </span>
);

export const statusWord = (status: Shown): string => WORDS[status];
