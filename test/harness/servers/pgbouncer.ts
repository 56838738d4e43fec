import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../../../packages/testing/eventually';
import { freePort } from '../machine/free-port';

const PROGRAM = ['/usr/sbin/pgbouncer', 'pgbouncer'].find((program) => spawnSync(program, ['--version']).status === 0);

export const hasPgbouncer = PROGRAM !== undefined;

/** A pgbouncer in front of a server on this machine, by default in transaction mode. */
export class Pgbouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async before(serverPort: number, mode: 'transaction' | 'session' = 'transaction'): Promise<Pgbouncer> {
    const directory = mkdtempSync(join(tmpdir(), 'uptime-pgbouncer-'));
    chmodSync(directory, 0o755);
    const port = await freePort();
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(
      file,
      [
        '[databases]',
        `* = host=127.0.0.1 port=${serverPort} user=postgres`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        `pool_mode = ${mode}`,
        'default_pool_size = 8',
      ].join('\n'),
    );
    // pgbouncer refuses to run as root.
    const asOther = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const [command, ...words] = [...asOther, PROGRAM ?? 'pgbouncer', file];
    const child = spawn(command, words, { stdio: 'ignore' });
    const started = new Pgbouncer(child, directory, port);
    await eventually('pgbouncer answers', () => started.answers(), 20_000);
    return started;
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database: 'postgres' });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}
