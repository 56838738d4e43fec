import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type { CheckOptions } from '../check-options';
import { ENDPOINT_BOUNDS } from '../endpoint-bounds';
import { UptimeError } from '../../client/index.cjs';
import {
  apply,
  convert,
  type ExitCode,
  exportDocument,
  plan,
  type PlanOptions,
  SOURCES,
} from './configuration-commands';
import { clientOf, type Connection, readKey, readServiceUrl } from './connection';
import { check, list, type ListOptions } from './endpoint-commands';
import { errorText } from './error-text';
import { CommandError, type Io } from './io';
import { tail } from './tail-command';

const AFTER_HELP = `
Environment:
  UPTIME_URL       URL of the service, such as https://uptime.example.com
  UPTIME_API_KEY   API key. plan, export, convert, tail, and every ls and show need only a key with the role "read".
                   probes create, rotate, and rm need "admin", or with --shared the operator token instead of a
                   key. mcp offers the tools that the role allows
  UPTIME_PING_URL  ping URL for "uptime run" (a secret, like a key)
  UPTIME_SECRET_X  value of {$secret: X} in a document; only the values that the document refers to are sent
  NO_COLOR         turns colors off

Exit codes:
  0  success
  1  error
  2  plan: there are changes; check: the target is not up (a warning counts as up);
     incidents ls, incidents show: open
run exits with the exit code of its command.

Examples:
  uptime plan monitors.yaml
  uptime apply monitors.yaml --prune
  uptime convert --from gatus config.yaml > monitors.yaml
  uptime endpoints ls --status down
  uptime incidents update 12 'The load balancer lost power.' --status identified
  uptime check https://shop.example.com/
  uptime probes create fra --region eu
  uptime check --local tcp://db.example.com:5432
  uptime run -- pg_dump --file shop.sql shop`;

interface ConnectionOptions {
  url?: string;
  keyFile?: string;
}

/** The part of the program that commands in other folders can use. */
export interface CommandScope {
  io: Io;
  /** Reads the connection from the options and the environment. Throws: `CommandError`. */
  connection: () => Connection;
  /** The words after `--`. They belong to another program and aren't parsed. */
  behind: readonly string[];
  /** Sets the exit code. */
  end: (code: number) => void;
}

export type AddCommand = (program: Command, scope: CommandScope) => void;

/**
 * Runs the command with its arguments. `others` adds more commands. Resolves with the exit code. Throws only if there
 * is a bug.
 */
export async function runUptime(
  args: readonly string[],
  io: Io,
  stop: AbortSignal = new AbortController().signal,
  others: readonly AddCommand[] = [],
): Promise<number> {
  let exitCode = 0;
  const end = (code: number) => void (exitCode = code);
  const program = buildProgram(io, stop, end);
  const { own, behind } = splitAtMark(args);
  for (const add of others)
    add(program, { io, connection: () => connectionOf(io, program.opts<ConnectionOptions>()), behind, end });
  try {
    await program.parseAsync(own, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CommandError) && !(error instanceof UptimeError)) throw error;
    io.err(`${error instanceof UptimeError ? errorText(error) : error.message}\n`);
    return 1;
  }
}

/**
 * Splits the arguments at `--` for `run`, which passes the rest to another program. For other commands, `--` has its
 * usual meaning.
 */
function splitAtMark(args: readonly string[]): { own: readonly string[]; behind: readonly string[] } {
  const mark = args.indexOf('--');
  if (mark === -1 || !args.slice(0, mark).includes('run')) return { own: args, behind: [] };
  return { own: args.slice(0, mark), behind: args.slice(mark + 1) };
}

function buildProgram(io: Io, stop: AbortSignal, end: (code: ExitCode) => void): Command {
  const program = new Command('uptime')
    .description('Manage monitors, run checks, and follow events from the command line.')
    .version(packageVersion(), '--version', 'print the version of this command')
    .option('--url <url>', 'URL of the service; default UPTIME_URL')
    .option('--key-file <file>', 'file that contains the API key; default UPTIME_API_KEY')
    .addHelpText('after', AFTER_HELP)
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHasColors: () => io.hasColour,
    })
    .exitOverride();
  const uptime = () => clientOf(connectionOf(io, program.opts<ConnectionOptions>()));

  program
    .command('plan <file>')
    .description('show what applying a document would change (- is standard input)')
    .option('--prune', "also delete resources that the document's owner declared earlier and that are no longer in it")
    .option('--json', 'print the API response as JSON')
    .action(async (file: string, options: PlanOptions) => end(await plan(io, uptime(), file, options)));

  program
    .command('apply <file>')
    .description('show the plan, ask for confirmation on a terminal, then apply all of it or nothing')
    .option('--prune', "also delete resources that the document's owner declared earlier and that are no longer in it")
    .option('--json', 'print the API response as JSON')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (file: string, options: PlanOptions & { yes?: boolean }) =>
      end(await apply(io, uptime(), file, options)),
    );

  program
    .command('export')
    .description('print the current configuration as a document')
    .option('--owner <owner>', 'only the resources that this owner declares')
    .option('--full', 'include settings that have their default value (recommended for version control)')
    .option('--json', 'print JSON instead of YAML')
    .action(async (options: { owner?: string; full?: boolean; json?: boolean }) =>
      end(await exportDocument(io, uptime(), options)),
    );

  program
    .command('convert <files...>')
    .description(
      "convert another program's files to a document, and report on standard error what is lost (stores nothing)",
    )
    .addOption(
      new Option('--from <program>', 'the program that the files come from').choices(SOURCES).makeOptionMandatory(),
    )
    .option('--json', 'print the document and the report as JSON, as the API returns them')
    .action(async (files: string[], options: { from: (typeof SOURCES)[number]; json?: boolean }) =>
      end(await convert(io, uptime(), files, options)),
    );

  const endpoints = program.command('endpoints').description('list endpoints');
  // `uptime ls` is the name in 0.1.0.
  for (const ls of [endpoints.command('ls'), program.command('ls', { hidden: true })])
    ls.description('list endpoints')
      .addOption(
        new Option('--status <status>', 'only endpoints with this status').choices(['up', 'down', 'unknown', 'paused']),
      )
      .option('--type <type>', 'only endpoints of this type: HTTPS, TCP, …')
      .option('--tag <tag>', 'only endpoints with this tag')
      .option('--location <location>', 'only endpoints that are checked from this location: local, or a probe')
      .option('-q, --quiet', 'print only IDs')
      .option('--json', 'print the API response as JSON')
      .action(async (options: ListOptions) => end(await list(io, uptime(), options)));

  program
    .command('check <words...>')
    .description('check a URL (nothing is stored) or an endpoint by ID, key, or key path (recorded) now')
    .usage('[options] [type] <target>')
    .option('--type <type>', 'check type, for targets without a scheme: TCP, DNS, ICMP, SSH, …')
    .option(
      '--local',
      'check a URL from this machine, without a service or a key; respects EGRESS_PRIVATE, EGRESS_ALLOW, EGRESS_DENY',
    )
    .option('-v, --verbose', 'also print phases, redirects, certificate, and records')
    .option('--json', 'print the API response as JSON')
    .optionsGroup('Options for URLs:')
    .option('--timeout <seconds>', 'total time limit; default 10')
    .option('--method <method>', 'HTTP method; default GET')
    .option("--header <'K: V'>", 'request header; may be repeated', repeated)
    .option('--body <text>', 'request body')
    .option('--no-follow', 'do not follow redirects')
    .option(
      '--insecure',
      "do not verify the server's certificate; cannot be used with anything that may be a credential",
    )
    .option('--ca <file>', 'trust only the certificates in this PEM file')
    .option('--server-name <name>', 'name for SNI and for certificate verification')
    .option(
      '--set <name=value>',
      'setting of the type, such as user=monitor or password=@file; may be repeated',
      repeated,
    )
    .option(
      '--warn-days <days>',
      `warn this many days before the certificate expires, or "none"; default ${ENDPOINT_BOUNDS.warnDays.default}`,
    )
    .option(
      '--assert <text>',
      "assertion that must pass: 'status_code in 200-299', 'json $.status equals ok'; may be repeated",
      repeated,
    )
    .option(
      '--warn <text>',
      "assertion that only causes a warning: 'response_time less_than 800'; may be repeated",
      repeated,
    )
    .action(async (words: string[], options: CheckOptions) => end(await check(io, uptime, words, options)));

  program
    .command('tail')
    .description('follow events: status changes, alerts, maintenance')
    .option('--json', 'print one JSON object per line')
    .action(async (options: { json?: boolean }) => end(await tail(io, uptime(), options, stop)));

  return program;
}

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Returns the version of the package that contains this file, whether built or not. */
function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
  return version;
}

const connectionOf = (io: Io, { url, keyFile }: ConnectionOptions): Connection => ({
  url: readServiceUrl(url ?? io.env['UPTIME_URL']),
  // UPTIME_KEY is the variable's name in 0.1.0.
  key: readKey(keyFile === undefined ? (io.env['UPTIME_API_KEY'] ?? io.env['UPTIME_KEY']) : keyIn(io, keyFile)),
});

function keyIn(io: Io, file: string): string {
  try {
    return readFileSync(resolve(io.folder, file), 'utf8');
  } catch (error) {
    throw new CommandError(
      `Could not read the key file ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
