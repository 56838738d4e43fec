import { automaticTitle, toldStatus } from '../../../src/status-page/incident-words';
import type { Incident, IncidentStatus, IncidentUpdate, OverviewItem, PublicPage } from '../api/types';

/** An endpoint in an incident, with the fields that determine which pages show it. */
export interface Affected {
  endpoint_id: string;
  endpoint_name: string;
  website_id: string;
  /** The time when the endpoint recovered. */
  ended_at?: string | null;
}

/** Returns the endpoints that a scope covers, based on what the overview has loaded. */
export function coveredBy(
  scope: NonNullable<Incident['scope']>,
  items: readonly OverviewItem[],
  tagsOf: (websiteId: string) => readonly string[],
): Affected[] {
  const { all, website_ids = [], endpoint_ids = [], tags = [] } = scope;
  return items
    .filter(
      (item) =>
        all === true ||
        website_ids.includes(item.website.id) ||
        endpoint_ids.includes(item.id) ||
        [...item.tags, ...tagsOf(item.website.id)].some((tag) => tags.includes(tag)),
    )
    .map((item) => ({ endpoint_id: item.id, endpoint_name: item.name, website_id: item.website.id }));
}

/** A public page, and the names of the affected endpoints it shows. */
export interface ShownOn<P> {
  page: P;
  names: string[];
  /** Whether any of them is still affected. */
  isNow: boolean;
}

export function shownOn<P extends Pick<PublicPage, 'enabled' | 'groups' | 'website_id'>>(
  pages: readonly P[],
  affected: readonly Affected[],
): ShownOn<P>[] {
  return pages
    .filter(({ enabled }) => enabled)
    .map((page) => {
      const isEmpty = page.groups.every(({ endpoints, websites }) => endpoints.length + websites.length === 0);
      const shows = ({ endpoint_id, website_id }: Affected) =>
        isEmpty
          ? page.website_id === website_id
          : page.groups.some(
              ({ endpoints, websites }) => endpoints.includes(endpoint_id) || websites.includes(website_id),
            );
      const shown = affected.filter(shows);
      return {
        page,
        names: shown.map(({ endpoint_name }) => endpoint_name),
        isNow: shown.some(({ ended_at }) => (ended_at ?? null) === null),
      };
    })
    .filter(({ names }) => names.length > 0);
}

/**
 * Returns the title that customers see. It names only endpoints on the page, and doesn't say that a recovered endpoint
 * is down.
 */
export const publicTitle = (
  { title, severity }: Pick<Incident, 'title' | 'severity'>,
  { names, isNow }: Pick<ShownOn<unknown>, 'names' | 'isNow'>,
): string => title ?? automaticTitle(severity, names, isNow);

/** Returns the status that customers see. `said` is the next update's status, or `null`. */
export const publicStatus = (
  { state, status, updates }: Pick<Incident, 'state' | 'status'> & { updates: readonly IncidentUpdate[] },
  said: IncidentStatus | null = null,
): IncidentStatus =>
  toldStatus({
    isOver: state !== 'open',
    status,
    told: [{ status: said }, ...updates.filter((update) => update.public)],
  });

/** Adds months to a month: `2026-11` and 1 become `2026-12`. */
export function monthAfter(month: string, by: number): string {
  const [year = 0, index = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, index - 1 + by)).toISOString().slice(0, 7);
}

const named = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' });

/** Returns a name such as `November 2026`. */
export const monthText = (month: string): string => named.format(Date.parse(`${month}-01T00:00:00Z`));
