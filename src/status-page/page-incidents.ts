import { type Coverable, covers, type MaintenanceScope } from '../endpoint/suppression/cover';
import type { IncidentChanged } from '../incident/incident-events';
import type { IncidentSeverity, IncidentStatus } from '../incident/incident-row';
import { automaticTitle, toldStatus } from './incident-words';
import { opaqueId } from './page-maintenance';

/** What was said publicly. Times are milliseconds since the epoch. */
export interface PublicUpdate {
  at: number;
  editedAt: number | null;
  status: IncidentStatus | null;
  text: string;
}

/** When an endpoint was in an incident, in milliseconds since the epoch; `until`: `null` while it is. */
export interface MemberTime {
  id: string;
  from: number;
  until: number | null;
}

/** A public incident as a page reads it. */
export interface PublicIncident extends MaintenanceScope {
  orgId: string;
  id: string;
  severity: IncidentSeverity | null;
  title: string | null;
  status: IncidentStatus | null;
  startedAt: Date;
  endedAt: Date | null;
  publicAt: Date;
  /** Of the endpoints of the page alone. */
  members: MemberTime[];
  /** Newest first; never empty. */
  updates: PublicUpdate[];
  /** There were older ones, which are too many or too long. */
  more: boolean;
}

/** An endpoint of a page, as far as an incident's words depend on it. */
export interface AffectedEndpoint extends Coverable {
  name: string;
  /** Its newest check says that it works, and without a warning. */
  works: boolean;
}

export interface StatusUpdate {
  at: string;
  /** `null`: it changed nothing about the status. */
  status: IncidentStatus | null;
  text: string;
}

/** An incident as far as it is about what a page shows. */
export interface StatusIncident {
  /** Stays the same for ever; tells nothing of it. */
  id: string;
  title: string;
  /** What was said publicly last. */
  status: IncidentStatus;
  started_at: string;
  ended_at: string | null;
  /** Names of the shown endpoints that it is about; never empty. */
  endpoints: string[];
  /** It is about all that is shown. */
  everything: boolean;
  /** Newest first. */
  updates: StatusUpdate[];
  more: boolean;
  /** When there was something to read first, and when that last became something else. */
  published_at: string;
  updated_at: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Each incident that is about something shown, in their order, under the names that the page shows. */
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
  // Also while it is open: the checks may say that all of it works again.
  const isNow = endedAt === null && (severity === null || affected.some(({ works }) => !works));
  const moments = [publicAt.getTime(), endedAt?.getTime() ?? 0, ...updates.map(({ at, editedAt }) => editedAt ?? at)];
  return {
    id: opaqueId(incident.id),
    title: incident.title ?? automaticTitle(severity, names, isNow),
    status: toldStatus({ isOver: endedAt !== null, status: incident.status, told: updates }),
    started_at: incident.startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    endpoints: names,
    everything: affected.length === shown.length,
    updates: updates.map(({ at, status, text }) => ({ at: iso(at), status, text })),
    more: incident.more,
    published_at: publicAt.toISOString(),
    updated_at: iso(Math.max(...moments)),
  };
}

/** Acts of people that may take from a page what was public. */
const TAKEN_BACK: ReadonlySet<IncidentChanged['change']> = new Set(['updated', 'merged', 'split', 'deleted'] as const);

/** Whether pages may look otherwise after it. What checks do to an incident that is not public is seen nowhere. */
export const mayShow = ({
  incident,
  change,
}: Pick<IncidentChanged, 'change'> & { incident: Pick<IncidentChanged['incident'], 'publicAt'> }): boolean =>
  change !== 'acknowledged' && (incident.publicAt !== null || TAKEN_BACK.has(change));
