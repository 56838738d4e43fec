import type { PageState } from './page-state';

/** One shape per state, so that colour alone conveys nothing. */
const SHAPES: Readonly<Record<PageState, string>> = {
  up: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0ZM3.2 6.2 5.2 8.2 8.9 4.2 8 3.4 5.2 6.4 4 5.3Z',
  down: 'M6 .4 11.8 11H.2ZM5.3 4v3.6h1.4V4Zm0 4.4v1.3h1.4V8.4Z',
  degraded: 'M6 0l6 6-6 6-6-6ZM5.3 2.7v4h1.4v-4Zm0 4.9V9h1.4V7.6Z',
  maintenance:
    'M11.7 2.7 9.6 4.8 7.7 4.3 7.2 2.4 9.3.3A3.6 3.6 0 0 0 4.6 4.9L.6 8.9a1.77 1.77 0 0 0 2.5 2.5l4-4a3.6 3.6 0 0 0 4.6-4.7Z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0Zm0 1.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM4.7 5.3h2.6v1.4H4.7Z',
  paused: 'M2 1h3v10H2Zm5 0h3v10H7Z',
};

export const shape = (state: PageState, size: number): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 12 12" fill="currentColor" fill-rule="evenodd" aria-hidden="true"><path d="${SHAPES[state]}"/></svg>`;
