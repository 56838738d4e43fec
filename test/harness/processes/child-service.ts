import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

/** Builds what the child processes run, unless it is built already. */
export function buildService(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the service could not be built: ${stderr}`);
}

/** The built service in a process of its own, to be killed. */
export class ChildService {
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output = `${this.output}${chunk.toString()}`.slice(-4000)));
  }

  static start(env: Readonly<Record<string, string>>): ChildService {
    const child = spawn(process.execPath, ['dist/main.js'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ChildService(child);
  }

  /** Like `kill -9`. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Settles when the process is gone; throws when anything but SIGKILL ended it. */
  async killed(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    if (this.child.signalCode !== 'SIGKILL')
      throw new Error(`the process ended with ${this.child.exitCode ?? this.child.signalCode}:\n${this.output}`);
  }

  /** As a supervisor does. Returns the exit code. */
  async terminate(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }
}
