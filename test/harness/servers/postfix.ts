import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { freePort } from '../machine/free-port';
import { TlsAuthority } from './tls-authority';

const PROGRAM = '/usr/sbin/postfix';
/** The files that Debian's package creates its configuration from. */
const DEBIAN = '/usr/share/postfix';
const CERTIFICATE = '/etc/ssl/certs/ssl-cert-snakeoil.pem';
const KEY = '/etc/ssl/private/ssl-cert-snakeoil.key';

/** Returns why this machine can't start Postfix, for a test title, or an empty string if it can. */
export function skippedWithoutPostfix(): string {
  if (!existsSync(PROGRAM)) return ' (skipped: postfix is not installed)';
  return process.getuid?.() === 0 ? '' : ' (skipped: only root can start postfix)';
}

/**
 * Postfix on a loopback port, set up as on Debian. It offers STARTTLS with a self-signed certificate for the hostname,
 * relays for this machine only, and has mailboxes for its users. Its queue, logs, and mailboxes are in a temporary
 * directory.
 */
export class Postfix {
  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Postfix> {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-postfix-'));
    const started = new Postfix(await freePort(), folder);
    try {
      await started.configure();
      started.run('start');
      await eventually('postfix runs', () => started.log.includes('daemon started'));
      return started;
    } catch (error) {
      started.stop();
      throw error;
    }
  }

  get log(): string {
    return this.textOf('log');
  }

  /** Returns the messages that a local user received, in mbox format. */
  mailboxOf(user: string): string {
    return this.textOf(join('mail', user));
  }

  stop(): void {
    spawnSync(PROGRAM, ['-c', join(this.folder, 'etc'), 'stop']);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private textOf(name: string): string {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  private run(command: string): void {
    const { status, stdout, stderr } = spawnSync(PROGRAM, ['-c', join(this.folder, 'etc'), command], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`postfix ${command} failed:\n${stdout}${stderr}${this.log}`);
  }

  private async configure(): Promise<void> {
    chmodSync(this.folder, 0o755);
    for (const name of ['etc', 'queue', 'data', 'mail']) mkdirSync(join(this.folder, name));
    const user = Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout);
    chownSync(join(this.folder, 'data'), user, 0);
    chmodSync(join(this.folder, 'mail'), 0o1777);
    const { key, cert } = await (await TlsAuthority.create()).issue({ names: [hostname()] });
    writeFileSync(join(this.folder, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(this.folder, 'cert.pem'), cert);
    writeFileSync(join(this.folder, 'etc', 'main.cf'), `${this.debianSettings()}\n${this.ownSettings()}\n`);
    const services = readFileSync(join(DEBIAN, 'master.cf.dist'), 'utf8');
    const listening = services.replace(/^smtp +inet/m, `127.0.0.1:${this.port} inet`);
    if (listening === services) throw new Error('master.cf of Debian has no service smtp');
    writeFileSync(join(this.folder, 'etc', 'master.cf'), listening);
  }

  private debianSettings(): string {
    const read = (name: string): string => readFileSync(join(DEBIAN, name), 'utf8');
    const tls = read('main.cf.tls')
      .replace(CERTIFICATE, join(this.folder, 'cert.pem'))
      .replace(KEY, join(this.folder, 'key.pem'));
    return `${read('main.cf.debian')}\n${tls}`;
  }

  /** The settings that Debian's package adds for an internet site, and the paths for this test. */
  private ownSettings(): string {
    return `smtpd_relay_restrictions = permit_mynetworks permit_sasl_authenticated defer_unauth_destination
myhostname = ${hostname()}
mydestination = $myhostname, localhost
alias_maps =
mynetworks = 127.0.0.0/8 [::ffff:127.0.0.0]/104 [::1]/128
mailbox_size_limit = 0
recipient_delimiter = +
inet_interfaces = loopback-only
queue_directory = ${this.folder}/queue
data_directory = ${this.folder}/data
mail_spool_directory = ${this.folder}/mail
maillog_file = ${this.folder}/log
maillog_file_prefixes = ${this.folder}`;
  }
}
