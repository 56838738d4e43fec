import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../machine/free-port';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Debian installs each server under its major version, outside PATH. */
function binDirectories(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== ''),
  ];
}

/** Returns the directory with `initdb` and `postgres`, or `null` if PostgreSQL isn't installed. */
export const findPostgres = (): string | null =>
  binDirectories().find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres'))) ?? null;

/** PostgreSQL refuses to run as root, so it runs as `postgres`, or as `nobody` if that user doesn't exist. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('There is no user to run PostgreSQL as.');
  return { uid: Number(uid), gid: Number(gid) };
}

export interface ClusterOptions {
  /** Additional settings, such as `max_connections=20`. `%d` is the directory that contains `files`. */
  readonly settings?: readonly string[];
  /** The contents of files that only the server's user may read, by filename. */
  readonly files?: Readonly<Record<string, string>>;
  /** The directory with the programs for one version. Default: the result of `findPostgres`. */
  readonly bin?: string;
  /** Environment variables for the server, in addition to the test's variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A separate PostgreSQL server on a free loopback port and in a temporary directory, for tests that stop, kill, or
 * freeze it. `fsync` is on, as in production.
 */
export class PostgresCluster {
  private server: ChildProcess | null = null;
  private guard: ChildProcess | null = null;
  private output = '';

  private constructor(
    private readonly bin: string,
    /** Contains the server's data, files, and sockets. */
    readonly directory: string,
    private readonly user: { uid: number; gid: number } | null,
    readonly port: number,
    private readonly options: ClusterOptions,
  ) {}

  /** Throws if PostgreSQL isn't installed. */
  static start(options: ClusterOptions = {}): Promise<PostgresCluster> {
    return PostgresCluster.create(options, 'initdb', (data) => [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ]);
  }

  /** Starts a standby that replicates asynchronously from the server on that port, until `promote`. */
  static standby(primaryPort: number, options: ClusterOptions = {}): Promise<PostgresCluster> {
    return PostgresCluster.create(options, 'pg_basebackup', (data) => {
      const primary = ['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'postgres'];
      return [...primary, '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    });
  }

  private static async create(
    options: ClusterOptions,
    program: string,
    argumentsFor: (data: string) => string[],
  ): Promise<PostgresCluster> {
    const bin = options.bin ?? findPostgres();
    if (bin === null) throw new Error('PostgreSQL is not installed: neither in /usr/lib/postgresql nor in the path.');
    const user = serverUser();
    const directory = mkdtempSync(join(tmpdir(), 'uptime-postgres-'));
    if (user !== null) chownSync(directory, user.uid, user.gid);
    for (const [name, text] of Object.entries(options.files ?? {})) {
      const file = join(directory, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (user !== null) chownSync(file, user.uid, user.gid);
    }
    const cluster = new PostgresCluster(bin, directory, user, await freePort(), options);
    try {
      // Doesn't use `execFileSync`, because a proxy in this process may be between the two servers.
      await promisify(execFile)(join(bin, program), argumentsFor(cluster.data), { ...user, cwd: directory });
      await cluster.run();
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
    return cluster;
  }

  /** The URL of the maintenance database, for a superuser without a password. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** The postmaster's process ID while it is running. */
  get pid(): number | null {
    return this.server?.pid ?? null;
  }

  /** Stops the server like an administrator would. Open transactions are rolled back, and connections are closed. */
  async stop(): Promise<void> {
    await this.end(() => this.server?.kill('SIGINT'));
  }

  /** Kills the server and every process it forked with SIGKILL, as in a crash. */
  async kill(): Promise<void> {
    await this.end(() => this.signalAll('SIGKILL'));
  }

  /** Restarts on the same port and data after `stop` or `kill`, including crash recovery. */
  async restart(): Promise<void> {
    if (this.server !== null) await this.stop();
    await this.run();
  }

  /** Freezes the server. It keeps its connections but doesn't respond until `thaw`. */
  freeze(): void {
    this.signalAll('SIGSTOP');
  }

  thaw(): void {
    this.signalAll('SIGCONT');
  }

  async remove(): Promise<void> {
    if (this.server !== null) {
      this.thaw();
      await this.kill();
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.directory, 'data');
  }

  private async run(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.directory}`,
      `port=${this.port}`,
      'logging_collector=off',
      ...(this.options.settings ?? []).map((setting) => setting.replaceAll('%d', this.directory)),
    ];
    const server = spawn(join(this.bin, 'postgres'), ['-D', this.data, ...settings.flatMap((each) => ['-c', each])], {
      ...this.user,
      cwd: this.directory,
      env: { ...process.env, ...this.options.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.output = '';
    server.stderr.on('data', (chunk: Buffer) => {
      this.output = `${this.output}${chunk.toString()}`.slice(-4000);
    });
    this.server = server;
    this.guard = this.watchOver(server);
    await this.untilReady(server);
  }

  /**
   * The server would keep running if the test run were killed. This shell detects the end of its input and cleans up.
   */
  private watchOver(server: ChildProcess): ChildProcess {
    const script = 'cat; kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.2; done; rm -rf "$2"';
    const guard = spawn('sh', ['-c', script, 'guard', String(server.pid), this.directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.unref();
    return guard;
  }

  private async untilReady(server: ChildProcess): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (server.exitCode === null && server.signalCode === null && Date.now() < deadline) {
      const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 1000 });
      try {
        await client.connect();
        return;
      } catch {
        await delay(POLL_MS);
      } finally {
        await client.end().catch(() => {});
      }
    }
    throw new Error(`PostgreSQL did not start:\n${this.output}`);
  }

  /** Returns the server and the processes it forked, which exit one by one after the server does. */
  private processes(): number[] {
    const main = this.server?.pid;
    if (main === undefined) return [];
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === main);
    return [main, ...children];
  }

  private signalAll(signal: NodeJS.Signals): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has already exited.
      }
    }
  }

  private async end(signal: () => void): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.guard?.kill('SIGKILL');
    const all = this.processes();
    const ended = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : null;
    signal();
    await ended;
    this.server = null;
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (all.some((pid) => parentOf(pid) !== null)) {
      if (Date.now() > deadline) throw new Error('PostgreSQL did not stop.');
      await delay(POLL_MS);
    }
  }
}

/** Returns `null` for a process that isn't running. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null;
  }
}
