import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { addIncidentCommands } from '../../../packages/cli/incident/incident-commands';
import { addProbeCommands } from '../../../packages/cli/probe/probe-commands';
import type { Io } from '../../../packages/cli/uptime/io';
import { runUptime } from '../../../packages/cli/uptime/program';

/** Options for running the `uptime` command. */
export interface UptimeRun {
  env?: Record<string, string>;
  stdin?: string | Buffer;
  /** The input that a user types on a terminal. If missing, there is no terminal. */
  typed?: string | (() => Promise<string>);
  folder?: string;
  /** Stops `tail`. */
  stop?: AbortSignal;
  /** Called after every line on standard output, with the output so far. */
  onOutput?: (soFar: string) => void;
}

export interface UptimeResult {
  code: number;
  out: string;
  err: string;
}

/** Runs the command in this process, without its entry point. */
export async function uptime(
  url: string,
  key: string | null,
  args: string[],
  run: UptimeRun = {},
): Promise<UptimeResult> {
  const result = { out: '', err: '' };
  const io: Io = {
    env: { UPTIME_URL: url, ...(key === null ? {} : { UPTIME_API_KEY: key }), ...run.env },
    folder: run.folder ?? tmpdir(),
    stdin: Readable.from(run.stdin === undefined ? [] : [Buffer.from(run.stdin)]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    out: (text) => {
      result.out += text;
      run.onOutput?.(result.out);
    },
    err: (text) => (result.err += text),
    isInteractive: run.typed !== undefined,
    hasColour: false,
    ask: (question) => {
      result.err += question;
      return typeof run.typed === 'function' ? run.typed() : Promise.resolve(run.typed ?? '');
    },
  };
  const code = await runUptime(args, io, run.stop, [addIncidentCommands, addProbeCommands]);
  return { code, ...result };
}
