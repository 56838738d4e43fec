import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';

const ROOT = join(__dirname, '..', '..', '..');
const MAIN = join(ROOT, 'dist', 'main.js');
const LIMIT_MS = 60_000;

/** Options for starting the process. */
export interface StartOptions {
  env?: Readonly<Record<string, string>>;
  /** Uses a separate terminal instead of pipes. */
  terminal?: boolean;
  /** A module that is loaded before the service, to make something unavailable. */
  preload?: string;
  /** The prefix for the command. It must end in an exec. */
  entry?: readonly string[];
}

/**
 * The built service (call `buildService` first) as a user starts it: in a separate folder with only the given
 * environment variables, with or without a terminal. Tests see only its output and how it exits.
 */
export class StartProcess {
  /** The output so far, from both streams. */
  said = '';
  private readonly closed: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.said += chunk.toString().replaceAll('\r\n', '\n')));
    this.closed = once(child, 'close');
  }

  static launch(folder: string, { env = {}, terminal = false, preload, entry = [] }: StartOptions = {}): StartProcess {
    const words = [...entry, process.execPath, ...(preload === undefined ? [] : ['-r', preload]), MAIN];
    const [command = '', ...rest] = terminal
      ? ['script', '--quiet', '--return', '--flush', '--command', `exec ${words.join(' ')}`, '/dev/null']
      : words;
    return new StartProcess(
      spawn(command, rest, {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'warn', NO_COLOR: '1', SHELL: '/bin/sh', ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
  }

  /** Returns its URL after it has printed everything that a start prints. */
  async url(): Promise<string> {
    await eventually('the start', () => /running at [^]*?(┘|"[^\n]*\n)/.test(this.said) || this.hasEnded, LIMIT_MS);
    const [, url] = /running at (http:\/\/[^\s│]+)\s/.exec(this.said) ?? [];
    if (url === undefined) throw new Error(`the service did not start:\n${this.said}`);
    return url;
  }

  /** `null` if the process couldn't be started. */
  get pid(): number | null {
    return this.child.pid ?? null;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with its exit code or signal after all of its output has arrived. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    await this.closed;
    return this.child.exitCode ?? this.child.signalCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends Ctrl-C to its terminal, or SIGTERM if it has none, and waits for the process to exit. */
  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.child.stdin?.write('\u0003');
      this.child.kill('SIGTERM');
    }
    await this.closed;
  }
}

export class StartFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'uptime-start-'));
  private readonly launched: StartProcess[] = [];

  launch(options: StartOptions = {}): StartProcess {
    const started = StartProcess.launch(this.path, options);
    this.launched.push(started);
    return started;
  }

  async stop(): Promise<void> {
    for (const each of this.launched) await each.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Occupies a port on 127.0.0.1. */
export async function takenPort(): Promise<{ port: string; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: String((server.address() as AddressInfo).port), server };
}
