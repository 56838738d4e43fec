import { isRecord } from '../../platform/text/json';
import { publicText } from '../incident-words';
import type { StatusMaintenance } from '../page-maintenance';
import type { StatusIncident } from '../page-incidents';
import type { StatusEndpoint, StatusHistory, StatusSnapshot } from '../status-snapshot';
import { uptimeOf, watchedOf } from './uptime';

/** Yields the machine-readable page as one JSON document, in pieces. `status` is derived only from the checks. */
export function* statusJson(snapshot: StatusSnapshot): Generator<string> {
  const { slug, name, description, status, updated_at, endpoints, outages } = snapshot;
  yield* jsonPieces({
    slug,
    name,
    description: publicText(description),
    status,
    degraded: endpoints.some((endpoint) => endpoint.degraded),
    updated_at,
    incidents: each(snapshot.incidents, incidentToJson),
    maintenance: each(
      snapshot.maintenance.filter(({ state }) => state !== 'over'),
      workToJson,
    ),
    outages,
    endpoints: each(endpoints, toJson),
  });
}

/** Yields a month of the page for programs, in pieces. */
export function* historyJson(history: StatusHistory): Generator<string> {
  const { slug, name, month, earlier, later, outages } = history;
  yield* jsonPieces({ slug, name, month, earlier, later, incidents: each(history.incidents, incidentToJson), outages });
}

/** Yields a value as JSON in pieces: one for each item of the lists that `each` creates, at any depth. */
function* jsonPieces(value: unknown): Generator<string> {
  if (isMade(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* jsonPieces(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (isRecord(value) && Object.values(value).some(isMade)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(member);
      before = ',';
    }
    yield '}';
  } else yield JSON.stringify(value);
}

const isMade = (value: unknown): value is Generator =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

function* each<Item>(items: readonly Item[], form: (item: Item) => unknown): Generator {
  for (const item of items) yield form(item);
}

const incidentToJson = ({ id, title, status, started_at, ended_at, outages, endpoints, updates }: StatusIncident) => ({
  id,
  title,
  status,
  started_at,
  ended_at,
  outages: outages ?? [{ started_at, ended_at }],
  endpoints,
  updates: each(updates, (update) => ({ ...update, text: publicText(update.text) })),
});

const workToJson = ({ id, name, description, starts_at, ends_at, state, endpoints }: StatusMaintenance) => ({
  id,
  name,
  description: publicText(description),
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
