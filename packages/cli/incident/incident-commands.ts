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

/**
 * Adds `incidents` with its `ls`, `show`, `update`, and `ack` subcommands. `incidents` alone is `incidents ls`. The
 * earlier form `incident <incident>`, with `update` and `ack`, is hidden but still valid.
 */
export const addIncidentCommands: AddCommand = (program, { io, connection, end }): void => {
  const uptime = () => clientOf(connection());
  const inJson = (command: Command): Command => command.option('--json', 'print the API response as JSON');
  const show = async (name: string, options: Printed) => end(await incident(io, uptime(), name, options));

  const group = program.command('incidents').description('list, show, update, and acknowledge incidents');

  inJson(group.command('ls', { isDefault: true }))
    .description('list open incidents (exit code 2 if there are any)')
    .option('--all', 'also list incidents that have ended')
    .action(async (options: Printed & { all?: boolean }) => end(await incidents(io, uptime(), options)));

  inJson(group.command('show <incident>'))
    .description('show an incident by number or ID, with its endpoints and updates (exit code 2 if it is open)')
    .action(show);

  const earlier = inJson(program.command('incident <incident>', { hidden: true }))
    .description('the same as incidents show')
    .action(show);

  for (const parent of [group, earlier]) {
    // If both commands define an option, Commander assigns it to the parent.
    inJson(parent.command('update <incident> <text>'))
      .description('post an update (internal unless --public)')
      .addOption(new Option('--status <status>', 'the new status of the incident').choices(STATUSES))
      .option('--public', 'also show the update on the status pages that show the incident')
      .action(async (name: string, text: string, _: SayOptions, command: Command) =>
        end(await say(io, uptime(), name, text, command.optsWithGlobals<SayOptions>())),
      );

    inJson(parent.command('ack <incident>'))
      .description('acknowledge the incident: its alerts stop triggering and pagers are updated')
      .option('--note <text>', 'a note for your team')
      .action(async (name: string, _: AckOptions, command: Command) =>
        end(await acknowledge(io, uptime(), name, command.optsWithGlobals<AckOptions>())),
      );
  }
};

/** Lists open incidents, or all incidents with `all`. Returns 2 if an incident is open. */
async function incidents(io: Io, uptime: UptimeClient, options: Printed & { all?: boolean }): Promise<ExitCode> {
  const query: ListIncidentsQuery = options.all ? {} : { state: 'open' };
  const { items } = await allPages((page) => uptime.listIncidents.withResponse({ query: { ...page, ...query } }));
  if (options.json) io.out(jsonText(items));
  else if (items.length === 0) io.out(options.all ? 'There are no incidents.\n' : 'No incidents are open.\n');
  else io.out(`${incidentTable(items, painter(io.hasColour)).join('\n')}\n`);
  return items.some(({ state }) => state === 'open') ? 2 : 0;
}

/** Shows an incident with its endpoints and updates. Returns 2 if it is open. */
async function incident(io: Io, uptime: UptimeClient, name: string, { json }: Printed): Promise<ExitCode> {
  const found = await incidentNamed(uptime, name);
  io.out(json ? jsonText(found) : `${incidentLines(found, painter(io.hasColour)).join('\n')}\n`);
  return found.state === 'open' ? 2 : 0;
}

/** Posts an incident update. The update is public only if `public` is set. */
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
  const reader = said.public ? 'public' : 'internal';
  const lines = [`Posted an update to #${number} (${reader}):`, ...updateLines(said, painter(io.hasColour))];
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
  io.out(
    json ? jsonText(inHand) : `#${number} is acknowledged${inHand.by === null ? '' : ` by ${shown(inHand.by)}`}.\n`,
  );
  return 0;
}

/** Throws: `CommandError` if the incident does not exist. */
async function incidentNamed(uptime: UptimeClient, name: string): Promise<IncidentDetail> {
  const found = await findIncident(uptime, name);
  if (found) return found;
  throw new CommandError(
    `No incident has the number (12) or ID (inc_…) ${shown(name)}. Run "uptime incidents ls --all" to list all incidents.`,
  );
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
