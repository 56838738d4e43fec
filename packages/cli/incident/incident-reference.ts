import type { Incident, IncidentDetail, UptimeClient } from '../../client/index.cjs';

/** Finds an incident by its ID, or by its number (`12` or `#12`). Returns `null` if there is none. */
export async function findIncident(uptime: UptimeClient, name: string): Promise<IncidentDetail | null> {
  if (/^inc_[0-9a-z]+$/.test(name)) return uptime.getIncident({ path: { id: name } });
  const [, digits] = /^#?(\d{1,9})$/.exec(name) ?? [];
  if (digits === undefined) return null;
  for (const state of ['open', 'ended', 'merged'] as const) {
    const found = await numbered(uptime, Number(digits), state);
    if (found) return uptime.getIncident({ path: { id: found.id } });
  }
  return null;
}

/** Reads pages only until the incident is found. Most lookups are for recent incidents. */
async function numbered(uptime: UptimeClient, number: number, state: Incident['state']): Promise<Incident | undefined> {
  let cursor: string | undefined;
  do {
    const { data, headers } = await uptime.listIncidents.withResponse({ query: { state, cursor, limit: 1000 } });
    const found = data.find((each) => each.number === number);
    if (found) return found;
    cursor = headers.xNextCursor;
  } while (cursor !== undefined);
  return undefined;
}
