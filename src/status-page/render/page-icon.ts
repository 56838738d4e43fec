import type { PageState } from './page-state';
import { BADGE_COLORS } from './status-badge';

/** White marks on a square of 32 by 32. Each state has its own shape, which is still visible at 16 pixels. */
const MARKS: Readonly<Record<PageState, string>> = {
  up: 'M8 16.5l5.5 5.5L24 11',
  down: 'M16 7v11M16 24v.5',
  degraded: 'M7 19c4-8 7 4 11-2 2-3 4-5 7-6',
  incident: 'M16 7v11M16 24v.5',
  maintenance: 'M9 23 20 12M17 9a5 5 0 0 1 6 6',
  unknown: 'M8 16h16',
  paused: 'M12 9v14M20 9v14',
};

/** Draws the icon of a page, which shows its state in the browser's tab. */
export const pageIcon = (state: PageState): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${BADGE_COLORS[state]}"/><path d="${MARKS[state]}" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>\n`;
