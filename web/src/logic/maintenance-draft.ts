import type { MaintenanceScope, MaintenanceWindow, Occurrence } from '../api/types';
import { cronOf, tagsIn, type Weekly, weeklyOf } from './maintenance';
import { fieldOf, instantOf, OWN_ZONE } from './zoned-time';

/** A scope that is being edited. Tags are kept as typed. */
export interface ScopeDraft {
  all: boolean;
  website_ids: readonly string[];
  endpoint_ids: readonly string[];
  tags: string;
}

/** A maintenance window that is being edited. Values are kept as typed. */
export interface Draft {
  name: string;
  description: string;
  scope: ScopeDraft;
  kind: 'once' | 'weekly' | 'cron';
  weekly: Weekly;
  cron: string;
  timezone: string;
  minutes: string;
  /** In the format used by `datetime-local` fields. */
  starts_at: string;
  ends_at: string;
  mute: boolean;
  exclude_from_uptime: boolean;
  public: boolean;
}

export const EVERYTHING: ScopeDraft = { all: true, website_ids: [], endpoint_ids: [], tags: '' };

const HOUR_MS = 3_600_000;
const SUNDAY_NIGHT: Weekly = { days: [0], time: '02:00' };

/**
 * Returns a new one-time window that starts at the next full hour. It is public if there is a public page to announce
 * it on.
 */
export function newDraft(nowMs: number, hasPage: boolean): Draft {
  const hour = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  return {
    name: '',
    description: '',
    scope: EVERYTHING,
    kind: 'once',
    weekly: SUNDAY_NIGHT,
    cron: cronOf(SUNDAY_NIGHT),
    timezone: OWN_ZONE,
    minutes: '120',
    starts_at: fieldOf(new Date(hour).toISOString()),
    ends_at: fieldOf(new Date(hour + HOUR_MS).toISOString()),
    mute: true,
    exclude_from_uptime: true,
    public: hasPage,
  };
}

/** Returns a draft of a stored window. If a cron expression has only days and a time, it is shown that way. */
export function draftOf(stored: MaintenanceWindow): Draft {
  const { cron, scope, duration } = stored;
  const weekly = cron === null ? null : weeklyOf(cron);
  const [name, description] = [stored.name, stored.description];
  return {
    name,
    description,
    scope: {
      all: scope.all === true,
      website_ids: scope.website_ids ?? [],
      endpoint_ids: scope.endpoint_ids ?? [],
      tags: (scope.tags ?? []).join(', '),
    },
    kind: cron === null ? 'once' : weekly ? 'weekly' : 'cron',
    weekly: weekly ?? SUNDAY_NIGHT,
    cron: cron ?? cronOf(SUNDAY_NIGHT),
    timezone: stored.timezone ?? OWN_ZONE,
    minutes: String((duration ?? 7200) / 60),
    starts_at: fieldOf(stored.starts_at),
    ends_at: fieldOf(stored.ends_at),
    mute: stored.mute,
    exclude_from_uptime: stored.exclude_from_uptime,
    public: stored.public,
  };
}

/** Returns the scope for a request: everything, or the nonempty lists. */
export function scopeOf({ all, website_ids, endpoint_ids, tags: typed }: ScopeDraft): MaintenanceScope {
  if (all) return { all: true };
  const tags = tagsIn(typed);
  return {
    ...(website_ids.length > 0 && { website_ids: [...website_ids] }),
    ...(endpoint_ids.length > 0 && { endpoint_ids: [...endpoint_ids] }),
    ...(tags.length > 0 && { tags }),
  };
}

/** Returns the times for a request that creates the window, without unused fields. */
export function timesOf(draft: Draft, stored: MaintenanceWindow | null): Record<string, unknown> {
  const starts_at = instantOf(draft.starts_at, stored?.starts_at ?? null);
  const ends_at = instantOf(draft.ends_at, stored?.ends_at ?? null);
  const bounds = { ...(starts_at !== null && { starts_at }), ...(ends_at !== null && { ends_at }) };
  if (draft.kind === 'once') return bounds;
  const { cron, timezone, minutes } = draft;
  return { cron: cron.trim(), timezone, duration: Math.round(Number(minutes) * 60), ...bounds };
}

/**
 * Returns how to find the next times. The service computes them for a window that would be created. It would reject the
 * start of a window that has already started, so that start is left out. For a one-time window that has started, the
 * times are already known.
 */
export function previewOf(
  draft: Draft,
  stored: MaintenanceWindow | null,
  nowMs: number,
): { times: Record<string, unknown>; known: Occurrence | null } {
  const times = timesOf(draft, stored);
  const { starts_at, ends_at, ...rest } = times;
  const hasBegun = typeof starts_at === 'string' && starts_at === stored?.starts_at && Date.parse(starts_at) < nowMs;
  if (!hasBegun) return { times, known: null };
  if (draft.kind !== 'once') return { times: { ...rest, ...(ends_at !== undefined && { ends_at }) }, known: null };
  const isWhole = typeof ends_at === 'string' && Date.parse(ends_at) > Date.parse(starts_at);
  return { times, known: isWhole ? { starts_at, ends_at } : null };
}

const NO_TIMES = { starts_at: null, ends_at: null, cron: null, timezone: null, duration: null };

/** Returns the request body that creates or changes the window. A change also clears fields that are no longer used. */
export const requestOf = (draft: Draft, stored: MaintenanceWindow | null): Record<string, unknown> => ({
  name: draft.name.trim(),
  ...((stored || draft.description !== '') && { description: draft.description }),
  scope: scopeOf(draft.scope),
  ...(stored && NO_TIMES),
  ...timesOf(draft, stored),
  mute: draft.mute,
  exclude_from_uptime: draft.exclude_from_uptime,
  public: draft.public,
});
