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

/** Adds `probe` with `ls`, `create`, `rotate` and `rm`. */
export const addProbeCommands: AddCommand = (program, { io, connection, end }): void => {
  const uptime = () => clientOf(connection());
  const inJson = (command: Command): Command => command.option('--json', 'what the API returns');
  const alsoShared = (command: Command): Command =>
    command.option('--shared', 'of those that the operator shares: with the operator token in place of a key');
  const probe = program.command('probe').description('places to check from, beside the service itself');

  inJson(alsoShared(probe.command('ls')))
    .description('list probes, shared ones included')
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .action(async (options: ListOptions) => end(await list(io, uptime(), options)));

  inJson(alsoShared(probe.command('create <key>')))
    .description('make a probe and print its token, this one time; needs an admin key')
    .option('--name <name>', 'what people call it; default the key')
    .option('--region <region>', 'where it is, in words')
    .option('--allow-private', 'its checks may reach private addresses')
    .action(async (key: string, options: CreateOptions) => end(await create(io, connection(), key, options)));

  inJson(alsoShared(probe.command('rotate <probe>')))
    .description('print a new token for a probe, by its key or id; the old one ends with the first use of the new one')
    .option('--grace <seconds>', 'how long the old token works at the most; default 3600, 0 not at all')
    .action(async (name: string, options: RotateOptions) => end(await rotate(io, uptime(), name, options)));

  alsoShared(probe.command('rm <probe>'))
    .description('delete a probe, by its key or id, that no endpoint names')
    .action(async (name: string, { shared }: { shared?: boolean }) => end(await remove(io, uptime(), name, shared)));
};

/** Returns the API methods for an organization's probes, or for shared probes. */
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
  else io.out(found.length === 0 ? 'There is no probe.\n' : `${probeTable(found, painter(io.hasColour)).join('\n')}\n`);
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
    throw new CommandError(`--grace is a whole number of seconds, not ${shown(grace ?? '')}`);
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
  io.out(`${shown(key)} is deleted; its token is refused.\n`);
  return 0;
}

/**
 * Finds a probe by ID or key. A shared probe is also found by its location. Throws: `CommandError` if there is none.
 */
async function probeNamed(routes: Routes, name: string): Promise<Probe> {
  if (/^pr_[0-9a-z]+$/.test(name)) return routes.get({ path: { id: name } });
  const wanted = routes.shared ? name.replace(/^shared\//, '') : name;
  // An organization's list also contains the shared probes.
  const found = (await probes(routes)).find(({ key, shared }) => key === wanted && shared === routes.shared);
  if (found) return found;
  const which = routes.shared ? 'No shared probe' : 'No probe of yours';
  throw new CommandError(`${which} has the key or the id (pr_…) ${shown(name)}; probe ls shows what there is.`);
}

const probes = async (routes: Routes, status?: Probe['status']): Promise<Probe[]> =>
  (await allPages((page) => routes.list.withResponse({ query: { ...page, status } }))).items;

/** The token is passed in the environment, because every user of the machine can read arguments. */
const startText = (key: string, url: string): string => `
This is the token of ${shown(key)}, shown this one time. Who has it reads the endpoints that name the probe, with their credentials.
Start the probe where it is to check from:

  export PROBE_TOKEN=ump_…
  docker run -d --restart unless-stopped -e ROLE=probe -e PROBE_URL=${url} -e PROBE_TOKEN uptime-monitor
`;

const endText = (until: string | null): string =>
  until === null
    ? 'No other token of the probe works.\n'
    : `The old token ends with the first use of this one, at ${until} at the latest.\n`;

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
