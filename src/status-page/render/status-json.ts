import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';
import { uptimeOf, watchedOf } from './uptime';

/** The page for programs as one JSON document, in pieces of one endpoint each. */
export function* statusJson(snapshot: StatusSnapshot): Generator<string> {
  const { slug, name, description, status, updated_at, endpoints, outages } = snapshot;
  const page = { slug, name, description, status, updated_at, outages };
  yield `${JSON.stringify(page).slice(0, -1)},"endpoints":[`;
  for (const [index, endpoint] of endpoints.entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(toJson(endpoint))}`;
  yield ']}';
}

const toJson = ({ name, group, status, days }: StatusEndpoint) => ({
  name,
  group,
  status,
  uptime_90d: uptimeOf(days),
  watched_90d: watchedOf(days),
  days: days.map((day) => ({ date: day.date, checks: day.up + day.down, uptime: uptimeOf([day]) })),
});
