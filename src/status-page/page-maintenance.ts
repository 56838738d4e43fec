import { createHash } from 'node:crypto';
import { type Coverable, covers, maintenanceAt, type Occurrence } from '../endpoint/suppression/cover';
import { DAY_MS } from '../platform/time/time-units';

/** How far ahead a page announces, and for how long its feed keeps what is over. */
export const AHEAD_MS = 7 * DAY_MS;
export const BACK_MS = 2 * DAY_MS;
/** Of one window a page shows no more occurrences that are not over. */
export const MAX_PER_WINDOW = 7;

/** An occurrence of a public window, with what its window says now. */
export interface Announcement extends Occurrence {
  description: string;
  /** `null`: the window was deleted. */
  recurring: boolean | null;
  announcedAt: Date | null;
  changedAt: Date | null;
}

/** What decides which windows cover an endpoint, and what it is called. */
export interface ShownEndpoint extends Coverable {
  name: string;
}

/** A time of announced work, as far as it is about what a page shows. */
export interface StatusMaintenance {
  /** Stays the same while the window exists, also when a one-off is put off; tells nothing of it. */
  id: string;
  /** Equal for all occurrences of one window; tells nothing of it. */
  window: string;
  name: string;
  description: string;
  starts_at: string;
  ends_at: string;
  state: 'over' | 'active' | 'planned';
  /** Names of the shown endpoints that it covers; never empty. */
  endpoints: string[];
  /** It covers all that is shown. */
  everything: boolean;
  /** When it was there to be read first, and when that last became something else. */
  published_at: string;
  updated_at: string;
}

/** Announced work that is under way on one endpoint. */
export interface EndpointMaintenance {
  name: string;
  until: string;
}

/** Announced work on what is shown, soonest first. */
export function maintenanceOf(
  announcements: readonly Announcement[],
  shown: readonly ShownEndpoint[],
  now: Date,
): StatusMaintenance[] {
  const byWindow = new Map<string, Announcement[]>();
  for (const row of announcements) byWindow.set(row.windowId, [...(byWindow.get(row.windowId) ?? []), row]);
  return [...byWindow.values()]
    .flatMap((rows) => joined(rows).map((row, _, all) => ({ ...row, recurring: row.recurring ?? all.length > 1 })))
    .flatMap((row) => statusOf(row, shown, now) ?? [])
    .sort((a, b) => (a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : a.id < b.id ? -1 : 1));
}

/** What is under way on an endpoint; `null` when nothing announced is. */
export function endpointMaintenance(
  announcements: readonly Announcement[],
  endpoint: Coverable,
  now: Date,
): EndpointMaintenance | null {
  const found = maintenanceAt(announcements, endpoint, now);
  return found && { name: found.name, until: found.until.toISOString() };
}

/**
 * The occurrences of one window, where one that was changed while it ran is one again: it has been ended, and another has
 * begun at that moment. A one-off happens once, however often it was put off.
 */
function joined(rows: readonly Announcement[]): Announcement[] {
  const all: Announcement[] = [];
  for (const row of rows.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())) {
    const before = all.at(-1);
    if (before && before.endsAt.getTime() === row.startsAt.getTime()) {
      all.splice(-1, 1, { ...row, startsAt: before.startsAt });
    } else all.push(row);
  }
  return all.at(-1)?.recurring === false ? all.slice(-1) : all;
}

function statusOf(row: Announcement, shown: readonly ShownEndpoint[], now: Date): StatusMaintenance | null {
  const endpoints = shown.filter((endpoint) => covers(row, endpoint)).map(({ name }) => name);
  if (endpoints.length === 0) return null;
  const { windowId, startsAt, endsAt, recurring, announcedAt, changedAt } = row;
  const state = endsAt <= now ? 'over' : startsAt <= now ? 'active' : 'planned';
  const published = latest(announcedAt, new Date(startsAt.getTime() - AHEAD_MS));
  const updated = { over: endsAt, active: latest(changedAt, startsAt), planned: latest(changedAt, published) }[state];
  return {
    id: opaqueId(recurring === true ? `${windowId} ${startsAt.getTime()}` : windowId),
    window: opaqueId(`window ${windowId}`),
    name: row.name,
    description: row.description,
    starts_at: startsAt.toISOString(),
    ends_at: endsAt.toISOString(),
    state,
    endpoints,
    everything: endpoints.length === shown.length,
    published_at: published.toISOString(),
    updated_at: updated.toISOString(),
  };
}

const latest = (a: Date | null, b: Date): Date => (a !== null && a > b ? a : b);

/** A UUID (version 8) that is made of a text, from which nobody gets the text back. */
export function opaqueId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
