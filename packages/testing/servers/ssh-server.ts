import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Server as Ssh2, utils } from 'ssh2';

const SSHD = '/usr/sbin/sshd';

/** Whether openssh-server is installed here, at the path that Debian uses. */
export const isSshdInstalled = existsSync(SSHD);

/** A real SSH server on a free loopback port. */
export interface SshServer {
  readonly port: number;
  /** The type and fingerprint of the host key, as in a check result. */
  readonly hostKey: string;
  /** The number of connections accepted so far. */
  readonly arrived: number;
  /** The number of connections that are currently open. */
  readonly open: number;
  stop(): Promise<void>;
}

/** Key types for `ssh-keygen -t`. */
export type HostKeyType = 'ed25519' | 'ecdsa' | 'rsa';

const KEY_NAMES = { ed25519: 'ssh-ed25519', ecdsa: 'ecdsa-sha2-nistp256', rsa: 'ssh-rsa' };

/** A server that runs OpenSSH. Each connection gets a separate `sshd -i` with the same new host key. */
export class OpenSshServer implements SshServer {
  arrived = 0;
  private readonly children = new Set<ChildProcess>();

  private constructor(
    readonly port: number,
    readonly hostKey: string,
    private readonly server: Server,
    private readonly directory: string,
  ) {}

  /** `options` are `sshd_config` lines. */
  static async start(type: HostKeyType = 'ed25519', options: string[] = []): Promise<OpenSshServer> {
    const directory = mkdtempSync(join(tmpdir(), 'sshd-'));
    const key = join(directory, 'host_key');
    run('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', key]);
    const fingerprint = /SHA256:\S+/.exec(run('ssh-keygen', ['-lf', `${key}.pub`]))?.[0] ?? '';
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const server = createServer({ pauseOnConnect: true });
    const port = await listen(server);
    const ssh = new OpenSshServer(port, `${KEY_NAMES[type]} ${fingerprint}`, server, directory);
    const flags = ['-i', '-e', '-f', '/dev/null', '-h', key, ...options.flatMap((option) => ['-o', option])];
    server.on('connection', (socket) => ssh.serve(socket, flags));
    return ssh;
  }

  get open(): number {
    return this.children.size;
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    this.server.close();
    await once(this.server, 'close');
    rmSync(this.directory, { recursive: true });
  }

  private serve(socket: Socket, flags: string[]): void {
    this.arrived += 1;
    socket.on('error', () => undefined);
    const child = spawn(SSHD, flags, { stdio: [socket, socket, 'ignore'] });
    this.children.add(child);
    child.on('exit', () => this.children.delete(child));
    socket.destroy();
  }
}

/** The length-prefixed name, followed by the length-prefixed 32-byte key (RFC 8709, section 4). */
const ED25519_BLOB_BYTES = 4 + 'ssh-ed25519'.length + 4 + 32;

/** ssh2 drops leading zeros from a public key (1.17, lib/keygen.js), so one key in 256 is too short to parse. */
function newHostKey(): { type: string; blob: Buffer; secret: string } {
  for (;;) {
    const pair = utils.generateKeyPairSync('ed25519');
    const [type = '', encoded = ''] = pair.public.split(' ');
    const blob = Buffer.from(encoded, 'base64');
    if (blob.length === ED25519_BLOB_BYTES) return { type, blob, secret: pair.private };
  }
}

/** A server that uses the ssh2 package, for machines without OpenSSH. */
export class Ssh2Server implements SshServer {
  arrived = 0;
  private readonly clients = new Set<Connection>();

  private constructor(
    readonly port: number,
    readonly hostKey: string,
    private readonly server: Ssh2,
  ) {}

  static async start(): Promise<Ssh2Server> {
    const { type, blob, secret } = newHostKey();
    const digest = createHash('sha256').update(blob).digest('base64').replaceAll('=', '');
    const server = new Ssh2({ hostKeys: [secret] });
    const ssh = new Ssh2Server(await listen(server), `${type} SHA256:${digest}`, server);
    server.on('connection', (client) => {
      ssh.arrived += 1;
      ssh.clients.add(client);
      client.on('error', () => undefined);
      client.on('close', () => ssh.clients.delete(client));
    });
    return ssh;
  }

  get open(): number {
    return this.clients.size;
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.end();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** Starts OpenSSH if it is installed. Otherwise starts ssh2. */
export const startSshServer = (): Promise<SshServer> => (isSshdInstalled ? OpenSshServer.start() : Ssh2Server.start());

async function listen(server: Server | Ssh2): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout;
}
