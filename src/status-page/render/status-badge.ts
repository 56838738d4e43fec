import { makeBadge } from 'badge-maker';
import type { StatusSnapshot } from '../status-snapshot';
import { uptimeOf, uptimeText } from './uptime';

/** Windows an uptime badge can show, with their days. */
export const BADGE_WINDOWS = { '7d': 7, '30d': 30, '90d': 90 } as const;
export type BadgeWindow = keyof typeof BADGE_WINDOWS;

const COLORS = { up: '#12804f', down: '#c62828', unknown: '#8a5a00', paused: '#5b6570' } as const;

/** A badge with the status, or with the uptime of all endpoints over a window. */
export function statusBadge(snapshot: StatusSnapshot, window: BadgeWindow | undefined): string {
  if (window === undefined)
    return makeBadge({ label: 'status', message: snapshot.status, color: COLORS[snapshot.status] });
  const days = snapshot.endpoints.flatMap((endpoint) => endpoint.days.slice(-BADGE_WINDOWS[window]));
  const color = uptimeColor(uptimeOf(days, Infinity));
  return makeBadge({ label: `uptime ${window}`, message: uptimeText(days), color });
}

function uptimeColor(uptime: number | null): string {
  if (uptime === null) return COLORS.paused;
  if (uptime >= 0.999) return COLORS.up;
  return uptime >= 0.99 ? COLORS.unknown : COLORS.down;
}
