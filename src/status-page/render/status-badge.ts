import type * as BadgeMaker from 'badge-maker';
import type { StatusSnapshot } from '../status-snapshot';
import { type PageState, pageState } from './page-state';
import { uptimeOf, uptimeText } from './uptime';

/** Loads the package on first use, because its table of character widths takes 4 MB. */
const badgeMaker = (): typeof BadgeMaker => require('badge-maker') as typeof BadgeMaker;

/** The windows that an uptime badge can show, with their number of days. */
export const BADGE_WINDOWS = { '7d': 7, '30d': 30, '90d': 90 } as const;
export type BadgeWindow = keyof typeof BADGE_WINDOWS;

/** The background colors for white text (WCAG 2.2 AA). */
export const BADGE_COLORS: Readonly<Record<PageState, string>> = {
  up: '#12804f',
  down: '#c62828',
  degraded: '#b04a00',
  incident: '#7a3fb8',
  maintenance: '#1d5fc4',
  unknown: '#8a5a00',
  paused: '#5b6570',
};

/** Renders a badge with the state of the page, or with the uptime of all endpoints over a window. */
export function statusBadge(snapshot: StatusSnapshot, window: BadgeWindow | undefined): string {
  if (window === undefined) {
    const state = pageState(snapshot);
    return badgeMaker().makeBadge({ label: 'status', message: state, color: BADGE_COLORS[state] });
  }
  const days = snapshot.endpoints.flatMap((endpoint) => endpoint.days.slice(-BADGE_WINDOWS[window]));
  const color = uptimeColor(uptimeOf(days, Infinity));
  return badgeMaker().makeBadge({ label: `uptime ${window}`, message: uptimeText(days), color });
}

function uptimeColor(uptime: number | null): string {
  if (uptime === null) return BADGE_COLORS.paused;
  if (uptime >= 0.999) return BADGE_COLORS.up;
  return uptime >= 0.99 ? BADGE_COLORS.unknown : BADGE_COLORS.down;
}
