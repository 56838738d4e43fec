import { createHash } from 'node:crypto';
import { type Coverable, covers, maintenanceAt, type Occurrence } from '../endpoint/suppression/cover';
import { DAY_MS } from '../platform/time/time-units';

/** How far ahead a page announces maintenance, and how long its feed keeps completed maintenance. */
export const AHEAD_MS = 7 * DAY_MS;
export const BACK_MS = 2 * DAY_MS;
/** The maximum number of unfinished occurrences that a page shows per window. */
export const MAX_PER_WINDOW = 7;

/** An occurrence of a public window, with the window's current texts. */
export interface Announcement extends Occurrence {
  description: string;
  /** `null` if the window was deleted. */
  recurring: boolean | null;
  announcedAt: Date | null;
  changedAt: Date | null;
}

/** The name of an endpoint, and the properties that determine which windows cover it. */
export interface ShownEndpoint extends Coverable {
  name: string;
}

/** Announced maintenance that affects endpoints on the page. */
export interface StatusMaintenance {
  /**
   * An ID that stays the same for the lifetime of the window, even if a one-off window is postponed. It reveals nothing
   * about the window.
   */
  id: string;
  /** An ID that is the same for all occurrences of one window. It reveals nothing about the window. */
  window: string;
  name: string;
  description: string;
  starts_at: string;
  ends_at: string;
  state: 'over' | 'active' | 'planned';
  /** The names of the covered endpoints that the page shows. Never empty. */
  endpoints: string[];
  /** True if it covers all endpoints shown. */
  everything: boolean;
  /** The times when this announcement first became visible and when its content last changed. */
  published_at: string;
  updated_at: string;
}

/** Announced maintenance in progress on one endpoint. */
export interface EndpointMaintenance {
  name: string;
  until: string;
}

/** Returns the announced maintenance for the endpoints shown, soonest first. */
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

/** Returns the announced maintenance in progress on an endpoint, or `null`. */
export function endpointMaintenance(
  announcements: readonly Announcement[],
  endpoint: Coverable,
  now: Date,
): EndpointMaintenance | null {
  const found = maintenanceAt(announcements, endpoint, now);
  return found && { name: found.name, until: found.until.toISOString() };
}

/**
 * Merges occurrences of one window. If a window is changed while it runs, the occurrence ends and another one starts at
 * that moment. The two are merged. A one-off window occurs once, however often it was postponed.
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

/** Returns a UUID (version 8) that is derived from a text and doesn't reveal it. */
export function opaqueId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const OPAQUE = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/;

/** Returns whether a text has the form of `opaqueId`. */
export const isOpaqueId = (text: string): boolean => OPAQUE.test(text);

/** Returns the `LIKE` pattern for the SHA-256 hash in hexadecimal of the text that an ID was derived from. */
export const opaquePattern = (id: string): string => id.replace(OPAQUE, '$1$2_$3_$4$5%');
