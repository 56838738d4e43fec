import type { MaintenanceScope } from '../endpoint/suppression/cover';
import { authorName } from '../platform/access/author';
import { nextSpans, type Span, spansFrom, type WindowTimes } from './window-times';

/** The number of future occurrences that a window shows. */
const NEXT = 3;

/** A stored window with its scope. */
export interface WindowRow extends WindowTimes, MaintenanceScope {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly description: string;
  readonly scopeId: string;
  readonly mute: boolean;
  readonly excludeFromUptime: boolean;
  readonly public: boolean;
  readonly externalKey: string | null;
  readonly owner: string | null;
  readonly createdBy: string | null;
  readonly createdById: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /**
   * The window's position in the list. It is the start of a one-off window, or the next start of a recurring one (the
   * last start if there is no next one).
   */
  readonly listedAt: Date;
  /** The end of the current occurrence. */
  readonly activeUntil: Date | null;
}

const COLUMNS = `m.id, m.org_id AS "orgId", m.name, m.description, m.scope_id AS "scopeId", m.starts_at AS "startsAt",
  m.ends_at AS "endsAt", m.cron, m.timezone, m.duration_seconds AS "durationSeconds", m.mute,
  m.exclude_from_uptime AS "excludeFromUptime", m.public, m.external_key AS "externalKey", m.owner, ${authorName('m.created_by', 'm.created_by_id')} AS "createdBy",
  m.created_by_id AS "createdById", m.created_at AS "createdAt", m.updated_at AS "updatedAt", m.listed_at AS "listedAt",
  s.covers_all AS "coversAll", s.website_ids AS "websiteIds", s.endpoint_ids AS "endpointIds", s.tags`;

/**
 * SQL for the end of the window's current occurrence at `now`, which is a parameter. The newest started occurrence ends
 * last. Cost: one primary key lookup.
 */
export const runningUntil = (now: string): string => `(SELECT CASE WHEN o.ends_at > ${now} THEN o.ends_at END
    FROM maintenance_occurrence o WHERE o.window_id = m.id AND o.starts_at <= ${now} ORDER BY o.starts_at DESC LIMIT 1)`;

/** SQL for windows `m` with their scopes `s`. `now` is a parameter. */
export const selectWindows = (now: string): string => `
  SELECT ${COLUMNS}, ${runningUntil(now)} AS "activeUntil"
    FROM maintenance_window m JOIN maintenance_scope s ON s.id = m.scope_id`;

/** Returns the parts of a window that depend on the current time. */
export function currentOf(
  row: WindowTimes & Pick<WindowRow, 'activeUntil'>,
  now: Date,
): { status: 'scheduled' | 'active' | 'ended'; next: Span[] } {
  const next = nextSpans(row, now, NEXT + 1)
    .filter(({ startsAt }) => startsAt > now)
    .slice(0, NEXT);
  return { status: row.activeUntil ? 'active' : next.length > 0 ? 'scheduled' : 'ended', next };
}

export function listedAt(times: WindowTimes, now: Date, before: Date): Date {
  if (times.cron === null) return times.startsAt ?? before;
  for (const { startsAt } of spansFrom(times, now)) if (startsAt > now) return startsAt;
  return before < now ? before : now;
}
