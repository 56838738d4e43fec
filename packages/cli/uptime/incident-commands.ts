import type { Incident, IncidentDetail, ListIncidentsQuery, UptimeClient } from '../../client/index.cjs';
import type { ExitCode } from './configuration-commands';
import { incidentLines, incidentTable, updateLines } from './incident-text';
import { CommandError, type Io } from './io';
import { allPages } from './pages';
import { painter, shown } from './style';

interface Printed {
  json?: boolean;
}

export interface SayOptions extends Printed {
  status?: NonNullable<Incident['status']>;
  public?: boolean;
}

/** Lists what is open; `all`: and what is over. 2: something is open. */
export async function incidents(io: Io, uptime: UptimeClient, options: Printed & { all?: boolean }): Promise<ExitCode> {
  const query: ListIncidentsQuery = options.all ? {} : { state: 'open' };
  const { items } = await allPages((page) => uptime.listIncidents.withResponse({ query: { ...page, ...query } }));
  if (options.json) io.out(jsonText(items));
  else if (items.length === 0) io.out(options.all ? 'There has been no incident.\n' : 'No incident is open.\n');
  else io.out(`${incidentTable(items, painter(io.hasColour)).join('\n')}\n`);
  return items.some(({ state }) => state === 'open') ? 2 : 0;
}

/** Shows one with its endpoints and what was said. 2: it is open. */
export async function incident(io: Io, uptime: UptimeClient, name: string, { json }: Printed): Promise<ExitCode> {
  const found = await incidentNamed(uptime, name);
  io.out(json ? jsonText(found) : `${incidentLines(found, painter(io.hasColour)).join('\n')}\n`);
  return found.state === 'open' ? 2 : 0;
}

/** Says something about it; to customers only with `public`. */
export async function say(
  io: Io,
  uptime: UptimeClient,
  name: string,
  text: string,
  { json, status = undefined, public: isPublic = false }: SayOptions,
): Promise<ExitCode> {
  const { id, number } = await incidentNamed(uptime, name);
  const body = { text, public: isPublic, ...(status && { status }) };
  const said = await uptime.createIncidentUpdate({ path: { id }, body });
  const reader = said.public ? 'on the status pages that show it' : 'for the organization alone';
  const lines = [`Said of #${number}, ${reader}:`, ...updateLines(said, painter(io.hasColour))];
  io.out(json ? jsonText(said) : `${lines.join('\n')}\n`);
  return 0;
}

/** Takes all of it in hand. */
export async function acknowledge(
  io: Io,
  uptime: UptimeClient,
  name: string,
  { json, note = '' }: Printed & { note?: string },
): Promise<ExitCode> {
  const { id, number } = await incidentNamed(uptime, name);
  const inHand = await uptime.acknowledgeIncident({ path: { id }, body: { note } });
  io.out(json ? jsonText(inHand) : `#${number} is in hand${inHand.by === null ? '' : ` of ${shown(inHand.by)}`}.\n`);
  return 0;
}

/** By its number, `12` or `#12`, or by its id. */
async function incidentNamed(uptime: UptimeClient, name: string): Promise<IncidentDetail> {
  if (/^inc_[0-9a-z]+$/.test(name)) return uptime.getIncident({ path: { id: name } });
  const [, digits] = /^#?(\d{1,9})$/.exec(name) ?? [];
  if (digits === undefined)
    throw new CommandError(
      `${shown(name)} is no number of an incident (12) and no id of one (inc_…); incidents shows them.`,
    );
  for (const state of ['open', 'ended', 'merged'] as const) {
    const found = await numbered(uptime, Number(digits), state);
    if (found) return uptime.getIncident({ path: { id: found.id } });
  }
  throw new CommandError(`There is no incident #${digits}; incidents --all shows those that there are.`);
}

/** Reads no further than to the page that has it: it is nearly always a new one. */
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

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
