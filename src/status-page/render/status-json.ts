import type { StatusMaintenance } from '../page-maintenance';
import type { StatusIncident } from '../page-incidents';
import type { StatusEndpoint, StatusHistory, StatusSnapshot } from '../status-snapshot';
import { uptimeOf, watchedOf } from './uptime';

/** The page for programs as one JSON document, in pieces of one endpoint each. `status` is the truth, whatever explains it. */
export function* statusJson(snapshot: StatusSnapshot): Generator<string> {
  const { slug, name, description, status, updated_at, endpoints, outages } = snapshot;
  const degraded = endpoints.some((endpoint) => endpoint.degraded);
  const maintenance = snapshot.maintenance.filter(({ state }) => state !== 'over').map(workToJson);
  const incidents = snapshot.incidents.map(incidentToJson);
  const page = { slug, name, description, status, degraded, updated_at, incidents, maintenance, outages };
  yield `${JSON.stringify(page).slice(0, -1)},"endpoints":[`;
  for (const [index, endpoint] of endpoints.entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(toJson(endpoint))}`;
  yield ']}';
}

/** A month of the page for programs. */
export function historyJson(history: StatusHistory): string {
  const { slug, name, month, earlier, later, outages } = history;
  return JSON.stringify({
    slug,
    name,
    month,
    earlier,
    later,
    incidents: history.incidents.map(incidentToJson),
    outages,
  });
}

const incidentToJson = ({ id, title, status, started_at, ended_at, endpoints, updates }: StatusIncident) => ({
  id,
  title,
  status,
  started_at,
  ended_at,
  endpoints,
  updates,
});

const workToJson = ({ id, name, description, starts_at, ends_at, state, endpoints }: StatusMaintenance) => ({
  id,
  name,
  description,
  starts_at,
  ends_at,
  active: state === 'active',
  endpoints,
});

const toJson = ({ name, group, status, degraded, maintenance, days }: StatusEndpoint) => ({
  name,
  group,
  status,
  degraded,
  maintenance,
  uptime_90d: uptimeOf(days),
  watched_90d: watchedOf(days),
  days: days.map((day) => ({
    date: day.date,
    checks: day.up + day.down,
    uptime: uptimeOf([day]),
    planned: day.planned,
  })),
});
