import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { UptimeError } from '../../client/index.cjs';
import { readUrl } from '../../../src/platform/text/read-url';
import { clientOf, type Connection } from './connection';
import { endpointWithKey } from './endpoint-commands';
import { errorText } from './error-text';
import { CommandError, type Io } from './io';
import { OutputTail } from './output-tail';
import { ownPipe } from './own-pipes';
import type { AddCommand } from './program';
import { sendPing } from './send-ping';

/** How many bytes of a ping body the service keeps. See `Ping-Body-Limit`. */
const BODY_BYTES = 10_000;
/** The timeout for the request that looks up the ping URL. */
const LOOK_UP_MS = 10_000;
/** How long the final ping waits for a start ping that is still being sent. */
const START_GRACE_MS = 2_000;

/**
 * How long to wait for more output after the job has exited. A process that it left running may hold the pipe open
 * forever.
 */
const LAST_OUTPUT_MS = 1_000;

/** Signals that stop or control a job. A terminal also sends its own signals directly to the job. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Adds `run`, which reports to a heartbeat when a command starts and exits. */
export const addRunCommand: AddCommand = (program: Command, { io, connection, behind, end }): void => {
  program
    .command('run [key]')
    .description(
      'run a command and report its start, exit code, and last output to a heartbeat (never makes the job fail)',
    )
    .usage('[key] [--website <key>] -- <command> [words...]')
    .option('--website <key>', 'website key, if several heartbeats have the same key')
    .addHelpText('after', HELP)
    .action(async (key: string | undefined, { website }: { website?: string }) => {
      const [command, ...words] = behind;
      if (command === undefined)
        throw new CommandError('Put the command to run after --, as in: uptime run -- pg_dump shop');
      const path = [...(website === undefined ? [] : [website]), ...(key === undefined ? [] : [key])].join('/');
      const address = async () => (path === '' ? addressOf(io) : lookUp(connection(), path));
      end(await run(io, address, command, words));
    });
};

const HELP = `
Without a key, the pings go to UPTIME_PING_URL. With a key, the command asks the service for the ping URL of that heartbeat.
UPTIME_API_KEY then needs the role "write", because keys with the role "read" cannot see ping URLs.`;

function addressOf(io: Io): URL {
  const text = (io.env['UPTIME_PING_URL'] ?? '').trim();
  if (text === '')
    throw new CommandError('UPTIME_PING_URL is not set. Set it to the ping URL from the page of the heartbeat.');
  const url = readUrl(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CommandError('UPTIME_PING_URL must be an http:// or https:// URL.');
}

/** Looks up the ping URL for a heartbeat by its key path. */
async function lookUp(connection: Connection, path: string): Promise<URL> {
  const { heartbeat } = await endpointWithKey(clientOf(connection, { timeoutMs: LOOK_UP_MS }), path);
  if (!heartbeat) throw new CommandError(`${path} is not a heartbeat.`);
  if (heartbeat.ping_id.includes('*'))
    throw new CommandError('The API key cannot see ping URLs. It needs the role "write".');
  return new URL(`${connection.url}/ping/${heartbeat.ping_id}`);
}

/** Runs the command with its own input, output, and signals. Resolves with the exit code that a shell would report. */
async function run(io: Io, address: () => Promise<URL>, command: string, words: readonly string[]): Promise<number> {
  const tell = new Teller(io, address);
  const tail = new OutputTail(BODY_BYTES);
  const pipes = [ownPipe(), ownPipe()];
  const child = spawn(command, words, { stdio: ['inherit', ...pipes.map((pipe) => pipe?.write ?? 'pipe')] });
  for (const pipe of pipes) pipe?.closeWrite();
  const stop = new AbortController();
  // From here on, signals don't stop this process. It must outlive the job to report how it exited.
  const take = (signal: NodeJS.Signals) => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (!isRunning) stop.abort();
    else if (!io.isInteractive || !TERMINAL_SIGNALS.includes(signal)) child.kill(signal);
  };
  for (const signal of [...SIGNALS, ...TERMINAL_SIGNALS]) process.on(signal, take);
  const start = tell.start();
  const outputs = [
    passOn(pipes[0]?.read ?? child.stdout, io.stdout, tail),
    passOn(pipes[1]?.read ?? child.stderr, io.stderr, tail),
  ];
  const code = await exitCodeOf(child, (text) => {
    io.err(`${text}\n`);
    tail.add(Buffer.from(text));
  });
  await within(LAST_OUTPUT_MS, Promise.all(outputs));
  await start.settled();
  await tell.end(code, tail.read(), stop.signal);
  return code;
}

/** Reports one run to a heartbeat. If a report fails, it only prints a line to standard error. */
class Teller {
  private readonly runId = randomUUID();
  private readonly address: Promise<URL | null>;

  constructor(
    private readonly io: Io,
    address: () => Promise<URL>,
  ) {
    this.address = address().catch((error: unknown) => {
      if (!(error instanceof CommandError) && !(error instanceof UptimeError)) throw error;
      this.complain(error instanceof UptimeError ? errorText(error) : error.message);
      return null;
    });
  }

  /** Sends the start ping. The job doesn't wait for it. */
  start(): { settled(): Promise<void> } {
    const stop = new AbortController();
    const sent = this.send('start', Buffer.alloc(0), stop.signal);
    return {
      settled: async () => {
        await within(START_GRACE_MS, sent);
        stop.abort();
        await sent;
      },
    };
  }

  /** Retries for 30 s, or until `stop` is aborted. */
  async end(code: number, output: Buffer, stop: AbortSignal): Promise<void> {
    await this.send(String(code), output, stop);
    if (stop.aborted) this.complain('a signal arrived before the service received the end of the run');
  }

  private async send(what: string, body: Buffer, signal: AbortSignal): Promise<void> {
    const address = await this.address;
    if (!address) return;
    const url = new URL(address);
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${what}`;
    url.searchParams.set('rid', this.runId);
    const failure = await sendPing({ url, body }, signal);
    if (failure !== null) this.complain(failure);
  }

  private complain(why: string): void {
    this.io.err(`uptime run: could not send ping: ${why}\n`);
  }
}

/**
 * Passes the job's output through unchanged, as fast as it is read. If the reader stops, the job gets SIGPIPE as usual.
 * Resolves at the end of the output.
 */
function passOn(from: Readable | null, to: Writable, tail: OutputTail): Promise<void> {
  if (!from) return Promise.resolve();
  from.on('data', (chunk: Buffer) => tail.add(chunk));
  from.pipe(to, { end: false });
  to.on('error', () => from.destroy());
  return new Promise((settle) => from.once('close', settle));
}

/** Resolves when the promise does, or after `ms`. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const isDone = new AbortController();
  await Promise.race([promise, sleep(ms, undefined, { signal: isDone.signal }).catch(() => undefined)]);
  isDone.abort();
}

/**
 * Returns the exit code that a shell would report: 127 if the command wasn't found, 126 if it isn't executable, and 128
 * plus the signal number if it was killed by a signal.
 */
const exitCodeOf = (child: ChildProcess, say: (text: string) => void): Promise<number> =>
  new Promise((settle) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const [program = ''] = child.spawnargs;
      say(error.code === 'ENOENT' ? `${program}: command not found` : `${program}: ${error.message}`);
      settle(error.code === 'ENOENT' ? 127 : 126);
    });
    child.once('exit', (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
