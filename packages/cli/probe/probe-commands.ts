import { type Command, Option } from 'commander';
import type { Probe, UptimeClient } from '../../client/index.cjs';
import type { ExitCode } from '../uptime/configuration-commands';
import { clientOf, type Connection } from '../uptime/connection';
import { CommandError, type Io } from '../uptime/io';
import { allPages } from '../uptime/pages';
import type { AddCommand } from '../uptime/program';
import { painter, shown } from '../uptime/style';
import { probeTable } from './probe-text';

interface Printed {
  json?: boolean;
}

interface ListOptions extends Printed {
  shared?: boolean;
  status?: Probe['status'];
}

interface RotateOptions extends Printed {
  shared?: boolean;
  grace?: string;
}

interface CreateOptions extends Printed {
  shared?: boolean;
  name?: string;
  region?: string;
  allowPrivate?: boolean;
}

const STATUSES = ['new', 'online', 'offline', 'disabled', 'unsupported'] as const;

/** Adds `probes`, also as `probe`, with its `ls`, `create`, `rotate`, and `rm` subcommands. */
export const addProbeCommands: AddCommand = (program, { io, connection, end }): void => {
  const uptime = () => clientOf(connection());
  const inJson = (command: Command): Command => command.option('--json', 'print the API response as JSON');
  const alsoShared = (command: Command): Command =>
    command.option(
      '--shared',
      'work with the probes that the operator shares; needs the operator token instead of an API key',
    );
  const probe = program
    .command('probes')
    .alias('probe')
    .description('manage probes: locations to check from, in addition to the service itself');

  inJson(alsoShared(probe.command('ls')))
    .description('list probes, including shared ones')
    .addOption(new Option('--status <status>', 'only probes with this status').choices(STATUSES))
    .action(async (options: ListOptions) => end(await list(io, uptime(), options)));

  inJson(alsoShared(probe.command('create <key>')))
    .description('create a probe and print its token, which is shown only once; needs an admin key')
    .option('--name <name>', 'display name; default: the key')
    .option('--region <region>', 'where the probe is, as free text')
    .option('--allow-private', 'let its checks reach private addresses')
    .action(async (key: string, options: CreateOptions) => end(await create(io, connection(), key, options)));

  inJson(alsoShared(probe.command('rotate <probe>')))
    .description(
      'create a new token for a probe (by key or ID); the old token stops working when the new one is first used',
    )
    .option('--grace <seconds>', 'how long the old token keeps working at most; default 3600; 0: it stops immediately')
    .action(async (name: string, options: RotateOptions) => end(await rotate(io, uptime(), name, options)));

  alsoShared(probe.command('rm <probe>'))
    .description('delete a probe (by key or ID) that no endpoint uses')
    .action(async (name: string, { shared }: { shared?: boolean }) => end(await remove(io, uptime(), name, shared)));
};

/** Returns the API methods for an organization's probes or for shared probes. */
const routesOf = (uptime: UptimeClient, shared = false) =>
  shared
    ? {
        shared,
        list: uptime.listSharedProbes,
        get: uptime.getSharedProbe,
        create: uptime.createSharedProbe,
        rotate: uptime.rotateSharedProbe,
        delete: uptime.deleteSharedProbe,
      }
    : {
        shared,
        list: uptime.listProbes,
        get: uptime.getProbe,
        create: uptime.createProbe,
        rotate: uptime.rotateProbe,
        delete: uptime.deleteProbe,
      };
type Routes = ReturnType<typeof routesOf>;

async function list(io: Io, uptime: UptimeClient, { json, status, shared }: ListOptions): Promise<ExitCode> {
  const found = await probes(routesOf(uptime, shared), status);
  if (json) io.out(jsonText(found));
  else
    io.out(found.length === 0 ? 'There are no probes.\n' : `${probeTable(found, painter(io.hasColour)).join('\n')}\n`);
  return 0;
}

/** Prints only the token to stdout. The instructions go to stderr. */
async function create(
  io: Io,
  connection: Connection,
  key: string,
  { json, name, region, allowPrivate, shared }: CreateOptions,
): Promise<ExitCode> {
  const body = { key, ...(name && { name }), ...(region && { region }), ...(allowPrivate && { allow_private: true }) };
  const made = await routesOf(clientOf(connection), shared).create({ body });
  io.out(json ? jsonText(made) : `${made.token}\n`);
  if (!json) io.err(startText(shared ? `shared/${made.key}` : made.key, connection.url));
  return 0;
}

async function rotate(
  io: Io,
  uptime: UptimeClient,
  name: string,
  { json, grace, shared }: RotateOptions,
): Promise<ExitCode> {
  const seconds = grace === undefined ? undefined : Number(grace);
  if (seconds !== undefined && !Number.isInteger(seconds))
    throw new CommandError(`--grace must be a whole number of seconds, not ${shown(grace ?? '')}`);
  const routes = routesOf(uptime, shared);
  const { id } = await probeNamed(routes, name);
  const rotated = await routes.rotate({ path: { id }, body: seconds === undefined ? {} : { grace: seconds } });
  io.out(json ? jsonText(rotated) : `${rotated.token}\n`);
  if (!json) io.err(endText(rotated.previous_until));
  return 0;
}

async function remove(io: Io, uptime: UptimeClient, name: string, shared?: boolean): Promise<ExitCode> {
  const routes = routesOf(uptime, shared);
  const { id, key } = await probeNamed(routes, name);
  await routes.delete({ path: { id } });
  io.out(`Deleted ${shown(key)}. Its token no longer works.\n`);
  return 0;
}

/** Finds a probe by ID or key. Shared probes can also be found by location. Throws: `CommandError` if there is none. */
async function probeNamed(routes: Routes, name: string): Promise<Probe> {
  if (/^pr_[0-9a-z]+$/.test(name)) return routes.get({ path: { id: name } });
  const wanted = routes.shared ? name.replace(/^shared\//, '') : name;
  // An organization's list also contains the shared probes.
  const found = (await probes(routes)).find(({ key, shared }) => key === wanted && shared === routes.shared);
  if (found) return found;
  const which = routes.shared ? 'No shared probe' : 'No probe of your organization';
  throw new CommandError(
    `${which} has the key or ID (pr_…) ${shown(name)}. Run "uptime probes ls" to list all probes.`,
  );
}

const probes = async (routes: Routes, status?: Probe['status']): Promise<Probe[]> =>
  (await allPages((page) => routes.list.withResponse({ query: { ...page, status } }))).items;

/**
 * The token is passed in an environment variable, because every user on the machine can read command-line arguments.
 */
const startText = (key: string, url: string): string => `
This is the token of ${shown(key)}. It is shown only once. Anyone who has it can read the endpoints that use the probe, with their credentials.
Start the probe at the location that it should check from:

  export PROBE_TOKEN=ump_…
  docker run -d --restart unless-stopped -e ROLE=probe -e PROBE_URL=${url} -e PROBE_TOKEN uptime-monitor
`;

const endText = (until: string | null): string =>
  until === null
    ? 'All other tokens of the probe have stopped working.\n'
    : `The old token stops working when this one is first used, or at ${until} at the latest.\n`;

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
