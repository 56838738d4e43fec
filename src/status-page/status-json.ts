import { type StatusEndpoint, type StatusSnapshot, uptimeOf } from './status-snapshot';

/** The page for programs as one JSON document, in pieces of one endpoint each. */
export function* statusJson({ endpoints, ...page }: StatusSnapshot): Generator<string> {
  yield `${JSON.stringify(page).slice(0, -1)},"endpoints":[`;
  for (const [index, endpoint] of endpoints.entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(toJson(endpoint))}`;
  yield ']}';
}

const toJson = ({ name, status, days }: StatusEndpoint) => ({
  name,
  status,
  uptime_90d: uptimeOf(days),
  days: days.map((day) => ({ date: day.date, checks: day.up + day.down, uptime: uptimeOf([day]) })),
});
