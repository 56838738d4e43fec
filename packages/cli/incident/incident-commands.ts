import { type Command, Option } from 'commander';
import type { Incident, IncidentDetail, ListIncidentsQuery, UptimeClient } from '../../client/index.cjs';
import type { ExitCode } from '../uptime/configuration-commands';
import { findIncident } from './incident-reference';
import { incidentLines, incidentTable, updateLines } from './incident-text';
import { clientOf } from '../uptime/connection';
import { CommandError, type Io } from '../uptime/io';
import { allPages } from '../uptime/pages';
import type { AddCommand } from '../uptime/program';
import { painter, shown } from '../uptime/style';

interface Printed {
  json?: boolean;
}

interface SayOptions extends Printed {
  status?: NonNullable<Incident['status']>;
  public?: boolean;
}

interface AckOptions extends Printed {
  note?: string;
}

const STATUSES = ['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'] as const;

/** Adds `incidents`, and `incident` with its subcommands `update` and `ack`. */
export const addIncidentCommands: AddCommand = (program, { io, connection, end }): void => {
  const uptime = () => clientOf(connection());
  const inJson = (command: Command): Command => command.option('--json', 'what the API returns');

  inJson(program.command('incidents'))
    .description('list the incidents that are open; 2 when there are any')
    .option('--all', 'also those that are over')
    .action(async (options: Printed & { all?: boolean }) => end(await incidents(io, uptime(), options)));

  const one = inJson(program.command('incident <incident>'))
    .description('show an incident by its number or id, with its endpoints and what was said; 2 while it is open')
    .action(async (name: string, options: Printed) => end(await incident(io, uptime(), name, options)));

  // Commander assigns an option that both commands have to the parent command.
  inJson(one.command('update <incident> <text>'))
    .description('say something about it, for the organization alone unless --public')
    .addOption(new Option('--status <status>', 'where it is from now on').choices(STATUSES))
    .option('--public', 'also on the status pages that show it')
    .action(async (name: string, text: string, _: SayOptions, command: Command) =>
      end(await say(io, uptime(), name, text, command.optsWithGlobals<SayOptions>())),
    );

  inJson(one.command('ack <incident>'))
    .description('take all of it in hand: its alerts trigger no more, pagers are told')
    .option('--note <text>', 'what others should know')
    .action(async (name: string, _: AckOptions, command: Command) =>
      end(await acknowledge(io, uptime(), name, command.optsWithGlobals<AckOptions>())),
    );
};

/** Lists open incidents, with `all` also ended ones. Returns 2 if an incident is open. */
async function incidents(io: Io, uptime: UptimeClient, options: Printed & { all?: boolean }): Promise<ExitCode> {
  const query: ListIncidentsQuery = options.all ? {} : { state: 'open' };
  const { items } = await allPages((page) => uptime.listIncidents.withResponse({ query: { ...page, ...query } }));
  if (options.json) io.out(jsonText(items));
  else if (items.length === 0) io.out(options.all ? 'There has been no incident.\n' : 'No incident is open.\n');
  else io.out(`${incidentTable(items, painter(io.hasColour)).join('\n')}\n`);
  return items.some(({ state }) => state === 'open') ? 2 : 0;
}

/** Shows an incident with its endpoints and updates. Returns 2 if it is open. */
async function incident(io: Io, uptime: UptimeClient, name: string, { json }: Printed): Promise<ExitCode> {
  const found = await incidentNamed(uptime, name);
  io.out(json ? jsonText(found) : `${incidentLines(found, painter(io.hasColour)).join('\n')}\n`);
  return found.state === 'open' ? 2 : 0;
}

/** Posts an incident update. It is public only with `public`. */
async function say(
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

async function acknowledge(
  io: Io,
  uptime: UptimeClient,
  name: string,
  { json, note = '' }: AckOptions,
): Promise<ExitCode> {
  const { id, number } = await incidentNamed(uptime, name);
  const inHand = await uptime.acknowledgeIncident({ path: { id }, body: { note } });
  io.out(json ? jsonText(inHand) : `#${number} is in hand${inHand.by === null ? '' : ` of ${shown(inHand.by)}`}.\n`);
  return 0;
}

/** Throws: `CommandError` if the incident does not exist. */
async function incidentNamed(uptime: UptimeClient, name: string): Promise<IncidentDetail> {
  const found = await findIncident(uptime, name);
  if (found) return found;
  throw new CommandError(
    `No incident has the number (12) or the id (inc_…) ${shown(name)}; incidents --all shows those that there are.`,
  );
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
