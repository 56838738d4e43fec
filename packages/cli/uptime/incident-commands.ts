import type { Incident, IncidentDetail, ListIncidentsQuery, UptimeClient } from '../../client/index.cjs';
import type { ExitCode } from './configuration-commands';
import { findIncident } from './incident-reference';
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
  { json, status, public: isPublic = false }: SayOptions,
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

/** Throws in words when there is none. */
async function incidentNamed(uptime: UptimeClient, name: string): Promise<IncidentDetail> {
  const found = await findIncident(uptime, name);
  if (found) return found;
  throw new CommandError(
    `No incident has the number (12) or the id (inc_…) ${shown(name)}; incidents --all shows those that there are.`,
  );
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
