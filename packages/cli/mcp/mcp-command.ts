import type { Command } from 'commander';
import { isRecord } from '../../../src/platform/text/json';
import type { Connection } from '../uptime/connection';
import { CommandError, type Io } from '../uptime/io';
import type { AddCommand } from '../uptime/program';

/** Optional packages that only this command needs. If one is missing, the error message names it. */
const PACKAGES = ['@modelcontextprotocol/server', 'zod'];

const DESCRIPTION =
  'serve the Model Context Protocol (MCP) on standard input and output, so that an assistant can use this key';

/**
 * Adds `mcp`, which serves tools to AI assistants. It runs until the client disconnects or the process receives a stop
 * signal.
 */
export const addMcpCommand: AddCommand = (program: Command, { io, connection }): void => {
  program
    .command('mcp')
    .description(DESCRIPTION)
    .action(async () => serve(io, connection()));
};

/** Throws: `CommandError` if a package is missing, `UptimeError` if the service rejects the key or does not respond. */
async function serve(io: Io, connection: Connection): Promise<void> {
  const { serveMcp } = loadServer();
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  if (io.isInteractive)
    io.err('This command is for programs: an MCP client starts it and communicates with it. Press Ctrl-C to stop.\n');
  try {
    await serveMcp(io, connection, stop.signal);
  } catch (error) {
    // If the process is stopping, a failed request isn't an error.
    if (!stop.signal.aborted) throw error;
  }
}

/** Loads the server lazily. Its packages are optional, and other commands must start without them. */
function loadServer(): typeof import('./mcp-server') {
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- an optional package must be loaded lazily.
    return require('./mcp-server') as typeof import('./mcp-server');
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === null) throw error;
    throw new CommandError(
      `uptime mcp needs the optional package ${missing}, which is not installed. Run npm install --include=optional to install it.`,
    );
  }
}

/** Returns the name of the optional package that wasn't found, or null if the error has another cause. */
export function missingPackage(error: unknown): string | null {
  if (!isRecord(error) || error['code'] !== 'MODULE_NOT_FOUND') return null;
  const [, name = ''] = /^Cannot find module '([^']+)'/.exec(String(error['message'])) ?? [];
  return PACKAGES.find((each) => name === each || name.startsWith(`${each}/`)) ?? null;
}
