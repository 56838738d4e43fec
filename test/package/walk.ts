import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '../../src/testing/eventually';
import { closedPort } from '../../src/testing/servers/tcp-target';
import type { Step } from './page';

/** No start takes this long on an idle machine. A failing start exits earlier, with its reason. */
const START_LIMIT_MS = 300_000;
/** The address on the page. */
const SHOWN_ADDRESS = '127.0.0.1:3000';

/** The exit of commands, and their output on both streams. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Returns the machine's environment, without the variables that Jest or npm set for their processes. */
function personal(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  const npm = Object.entries(process.env).filter(([name]) =>
    /^npm_config_(registry|cache|cafile|userconfig)$/i.test(name),
  );
  return { PATH, HOME, NO_COLOR: '1', CI: 'true', ...(Object.fromEntries(npm) as Record<string, string>) };
}

/** A server that a reader has left running in a terminal. */
export class Running {
  private said = '';
  private readonly closed: Promise<unknown>;

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
    this.closed = once(child, 'close');
  }

  get log(): string {
    return this.said;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async ended(): Promise<Ended> {
    await this.closed;
    return { code: this.child.exitCode, output: this.said };
  }

  /** Sends Ctrl-C, which all processes of a terminal receive. Waits for the exit. */
  async stop(): Promise<void> {
    if (!this.hasEnded && this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGINT');
    await this.closed;
  }
}

/** A reader of the page, with a folder, a shell, and a port for the service. */
export class Reader {
  private running: Running | null = null;

  private constructor(
    readonly folder: string,
    /** The folder in `UPTIME_MONITOR`. */
    public checkout: string,
    private readonly port: number,
  ) {}

  static async in(folder: string, checkout: string): Promise<Reader> {
    return new Reader(folder, checkout, await closedPort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get log(): string {
    return this.running?.log ?? '';
  }

  /** Runs a step. A server replaces the previous one, and is ready when this resolves. */
  async carryOut(step: Step): Promise<Ended> {
    if (step.kind === 'commands') return step.serves ? this.serve(step.lines) : this.run(step.lines);
    const path = join(this.folder, step.path);
    if (existsSync(path)) throw new Error(`The page shows ${step.path} twice`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, step.text);
    return { code: 0, output: '' };
  }

  run(lines: string): Promise<Ended> {
    return new Running(this.shell(lines)).ended();
  }

  /** Resolves when the service is ready, or with its exit code if it exits instead. */
  async serve(lines: string): Promise<Ended> {
    await this.stop();
    const running = new Running(this.shell(lines));
    this.running = running;
    await eventually('the service to be ready', () => running.hasEnded || this.isReady(), START_LIMIT_MS);
    return { code: running.hasEnded ? 1 : 0, output: running.log };
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = null;
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private shell(lines: string): ChildProcess {
    const script = `set -e\n${lines.replaceAll(SHOWN_ADDRESS, `127.0.0.1:${this.port}`)}`;
    return spawn('bash', ['-c', script], {
      cwd: this.folder,
      env: { ...personal(), PORT: String(this.port), UPTIME_MONITOR: this.checkout },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }
}
