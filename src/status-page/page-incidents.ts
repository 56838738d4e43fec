import { type Coverable, covers, type MaintenanceScope } from '../endpoint/suppression/cover';
import type { IncidentChanged } from '../incident/incident-events';
import type { IncidentSeverity, IncidentStatus } from '../incident/incident-row';
import { automaticTitle, toldStatus } from './incident-words';
import { opaqueId } from './page-maintenance';

/** A public update. Times are in milliseconds since the epoch. */
export interface PublicUpdate {
  at: number;
  editedAt: number | null;
  status: IncidentStatus | null;
  text: string;
}

/**
 * The period during which an endpoint was part of an incident, in milliseconds since the epoch. `until` is `null` while
 * it still is.
 */
export interface MemberTime {
  id: string;
  from: number;
  until: number | null;
}

/** A public incident with the data that a page needs. */
export interface PublicIncident extends MaintenanceScope {
  orgId: string;
  id: string;
  severity: IncidentSeverity | null;
  title: string | null;
  status: IncidentStatus | null;
  startedAt: Date;
  endedAt: Date | null;
  publicAt: Date;
  /** Contains only endpoints of the page. */
  members: MemberTime[];
  /** Every outage of these endpoints. Absent if each of them has had only one. */
  outages?: MemberTime[] | null;
  /** Newest first. Never empty. */
  updates: PublicUpdate[];
  /** True if there are older updates that were omitted because there are too many or they are too long. */
  more: boolean;
}

/** The properties of a page's endpoint that determine the wording about an incident. */
export interface AffectedEndpoint extends Coverable {
  name: string;
  /** True if the newest check succeeded without a warning. */
  works: boolean;
}

export interface StatusUpdate {
  at: string;
  /** `null` if the update didn't change the status. */
  status: IncidentStatus | null;
  text: string;
}

/** A period during which at least one of the endpoints shown was failing. */
export interface StatusPeriod {
  started_at: string;
  /** `null` while one of them still is. */
  ended_at: string | null;
}

/** The part of an incident that concerns the endpoints shown. */
export interface StatusIncident {
  /** A permanent ID that reveals nothing about the incident. */
  id: string;
  title: string;
  /** The last public status. */
  status: IncidentStatus;
  started_at: string;
  ended_at: string | null;
  /** Its outages, newest first, if the incident reopened. The time between two outages isn't downtime. */
  outages?: StatusPeriod[];
  /** The names of the affected endpoints that the page shows. Never empty. */
  endpoints: string[];
  /** True if all endpoints shown are affected. */
  everything: boolean;
  /** Newest first. */
  updates: StatusUpdate[];
  more: boolean;
  /** The times when the incident was first published and when its public content last changed. */
  published_at: string;
  updated_at: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Returns each incident that affects a shown endpoint, in order, using the names that the page shows. */
export const incidentsOf = (
  incidents: readonly PublicIncident[],
  shown: readonly AffectedEndpoint[],
): StatusIncident[] => incidents.flatMap((incident) => statusOf(incident, shown) ?? []);

function statusOf(incident: PublicIncident, shown: readonly AffectedEndpoint[]): StatusIncident | null {
  const members = new Set(incident.members.map(({ id }) => id));
  const affected = shown.filter((endpoint) => members.has(endpoint.id) || covers(incident, endpoint));
  if (affected.length === 0 || incident.updates.length === 0) return null;
  const { endedAt, publicAt, severity, updates } = incident;
  const names = affected.map(({ name }) => name);
  // An incident may be open although the checks have found that everything works again.
  const isNow = endedAt === null && (severity === null || affected.some(({ works }) => !works));
  const moments = [publicAt.getTime(), endedAt?.getTime() ?? 0, ...updates.map(({ at, editedAt }) => editedAt ?? at)];
  return {
    id: opaqueId(incident.id),
    title: incident.title ?? automaticTitle(severity, names, isNow),
    status: toldStatus({ isOver: endedAt !== null, status: incident.status, told: updates }),
    started_at: incident.startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    ...outagesOf(incident),
    endpoints: names,
    everything: affected.length === shown.length,
    updates: updates.map(({ at, status, text }) => ({ at: iso(at), status, text })),
    more: incident.more,
    published_at: publicAt.toISOString(),
    updated_at: iso(Math.max(...moments)),
  };
}

/** The maximum number of outages that a page lists for an incident. */
const MAX_OUTAGES = 50;

function outagesOf({ outages }: PublicIncident): Pick<StatusIncident, 'outages'> {
  const periods = periodsOf(outages ?? []);
  if (periods.length < 2) return {};
  return {
    outages: periods
      .toReversed()
      .slice(0, MAX_OUTAGES)
      .map(({ from, until }) => ({ started_at: iso(from), ended_at: until === null ? null : iso(until) })),
  };
}

/** Returns the periods that the outages cover together, oldest first. */
export function periodsOf(outages: readonly Omit<MemberTime, 'id'>[]): Omit<MemberTime, 'id'>[] {
  const periods: Omit<MemberTime, 'id'>[] = [];
  for (const { from, until } of outages.toSorted((a, b) => a.from - b.from)) {
    const last = periods.at(-1);
    if (last && (last.until === null || last.until >= from))
      last.until = last.until === null || until === null ? null : Math.max(last.until, until);
    else periods.push({ from, until });
  }
  return periods;
}

/** Returns how long an incident's endpoints were failing, in milliseconds. `now` is a time in ISO 8601. */
export const downtimeMs = (
  { started_at, ended_at, outages }: Pick<StatusIncident, 'started_at' | 'ended_at' | 'outages'>,
  now: string,
): number =>
  (outages ?? [{ started_at, ended_at }]).reduce(
    (sum, period) => sum + Date.parse(period.ended_at ?? now) - Date.parse(period.started_at),
    0,
  );

/** User actions that may remove public content from a page. */
const TAKEN_BACK: ReadonlySet<IncidentChanged['change']> = new Set(['updated', 'merged', 'split', 'deleted'] as const);

/**
 * Returns true if the change may alter what pages show. Automatic changes to an incident that isn't public are not
 * visible anywhere.
 */
export const mayShow = ({
  incident,
  change,
}: Pick<IncidentChanged, 'change'> & { incident: Pick<IncidentChanged['incident'], 'publicAt'> }): boolean =>
  change !== 'acknowledged' && (incident.publicAt !== null || TAKEN_BACK.has(change));
