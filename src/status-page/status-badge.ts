import { makeBadge } from 'badge-maker';
import { BADGE_WINDOWS, type BadgeWindow } from './status-page.dto';
import { percent } from './status-html';
import { type StatusSnapshot, uptimeOf } from './status-snapshot';

const COLORS = { up: '#12804f', down: '#c62828', unknown: '#8a5a00', paused: '#5b6570' } as const;

/** A badge with the status, or with the uptime of all endpoints over a window. */
export function statusBadge(snapshot: StatusSnapshot, window: BadgeWindow | undefined): string {
  if (window === undefined)
    return makeBadge({ label: 'status', message: snapshot.status, color: COLORS[snapshot.status] });
  const days = snapshot.endpoints.flatMap((endpoint) => endpoint.days.slice(-BADGE_WINDOWS[window]));
  const uptime = uptimeOf(days, Infinity);
  return makeBadge({ label: `uptime ${window}`, message: percent(uptime), color: uptimeColor(uptime) });
}

function uptimeColor(uptime: number | null): string {
  if (uptime === null) return COLORS.paused;
  if (uptime >= 0.999) return COLORS.up;
  return uptime >= 0.99 ? COLORS.unknown : COLORS.down;
}
