import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type * as Ssh2 from 'ssh2';
import { leave } from '../../platform/net/dial/leave';
import { isPublicAddress } from '../../platform/net/egress/address-class';
import { arrivalMs } from '../../platform/time/arrival-clock';
import { SshIdentificationReader } from './ssh-identification';

/** Loads the package on first use, because it takes 2 MB. Call this before a check measures time. */
export const loadSsh2 = (): typeof Ssh2 => require('ssh2') as typeof Ssh2;

/** The greeting of a server before any authentication. Times are in milliseconds since the call. */
export type SshGreeting =
  /**
   * `shown` is the identification with unprintable characters replaced. `hostKey` is `ssh-ed25519 SHA256:…` as OpenSSH
   * prints it, verified by the server's signature, or the reason why there is none.
   */
  | { kind: 'identified'; identification: string; shown: string; identificationMs: number; hostKey: SshHostKey }
  /** The peer isn't an SSH 2.0 server. `reason` is the predicate of a sentence about it. */
  | { kind: 'not_ssh'; reason: string; elapsedMs: number }
  /** The connection broke before the server identified itself. */
  | { kind: 'broken'; error: NodeJS.ErrnoException; elapsedMs: number }
  /** The signal was aborted before the server identified itself. */
  | { kind: 'interrupted'; elapsedMs: number };

export type SshHostKey = { fingerprint: string; keyExchangeMs: number } | { missing: string };

/** Contains only key exchanges whose cost the server cannot choose: no group exchange, and nothing beyond 4096 bits. */
const KEY_EXCHANGES: Ssh2.KexAlgorithm[] = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group14-sha256',
  'diffie-hellman-group16-sha512',
  'diffie-hellman-group14-sha1',
];

/** The software name that the client sends. No user is authenticated with it. */
const OUR_NAME = 'uptime-monitor';

const REASON_CHARACTERS = 100;

/**
 * Reads a server's identification and performs a key exchange to learn its host key, without authentication. Takes over
 * the connected socket and destroys it. Never rejects. The identification counts even if the key exchange fails.
 */
export const greetSsh = (socket: Socket, signal: AbortSignal): Promise<SshGreeting> =>
  new Promise((resolve) => new Greeter(socket, signal, resolve).run());

class Greeter {
  private readonly startedAt = performance.now();
  private readonly reader: SshIdentificationReader;
  private readonly client = new (loadSsh2().Client)();
  private readonly onAbort = () => this.interrupt();
  private identified: { identification: string; shown: string; identificationMs: number } | null = null;
  private hostKey: string | null = null;
  private isSettled = false;

  constructor(
    private readonly socket: Socket,
    private readonly signal: AbortSignal,
    private readonly resolve: (greeting: SshGreeting) => void,
  ) {
    // The address is lost when the connection closes, and only then is it clear whether anything will be quoted.
    const { remoteAddress = '' } = socket;
    this.reader = new SshIdentificationReader(() => isPublicAddress(remoteAddress));
  }

  /** The ssh2 client pauses the socket until it is ready, so the reader sees every byte before ssh2 does. */
  run(): void {
    if (this.signal.aborted) return this.interrupt();
    this.signal.addEventListener('abort', this.onAbort, { once: true });
    this.socket.on('error', (error) => this.break(error));
    this.socket.on('close', () => this.end());
    this.client.on('handshake', () => this.complete());
    this.client.on('error', (error) => this.fail(`the key exchange failed: ${publicReason(error)}`));
    this.client.connect({
      sock: this.socket,
      username: OUR_NAME,
      ident: OUR_NAME,
      readyTimeout: 0,
      algorithms: { kex: KEY_EXCHANGES },
      hostVerifier: (key: Buffer) => {
        this.hostKey = describeHostKey(key);
        return true;
      },
    });
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
  }

  private get elapsedMs(): number {
    return Math.max(0, arrivalMs() - this.startedAt);
  }

  private read(chunk: Buffer): void {
    if (this.identified) return;
    const state = this.reader.push(chunk);
    if (state.kind === 'invalid') this.settle({ kind: 'not_ssh', reason: state.reason, elapsedMs: this.elapsedMs });
    if (state.kind !== 'identification') return;
    const { line, shown } = state;
    this.identified = { identification: line, shown, identificationMs: this.elapsedMs };
  }

  /** ssh2 has verified the server's signature over the key exchange. */
  private complete(): void {
    if (this.hostKey === null) return this.fail('the key exchange contained none');
    this.client.end();
    this.settleIdentified({ fingerprint: this.hostKey, keyExchangeMs: this.elapsedMs });
  }

  /**
   * Ignored if there is no identification, because the socket's events and the reader report the problem more
   * precisely.
   */
  private fail(missing: string): void {
    this.settleIdentified({ missing });
  }

  private break(error: NodeJS.ErrnoException): void {
    this.settleIdentified({ missing: 'the connection was lost during the key exchange' });
    this.settle({ kind: 'broken', error, elapsedMs: this.elapsedMs });
  }

  private end(): void {
    this.settleIdentified({ missing: 'the server ended the key exchange' });
    this.settle({ kind: 'not_ssh', reason: this.reader.endedEarly, elapsedMs: this.elapsedMs });
  }

  private interrupt(): void {
    this.settleIdentified({ missing: 'the key exchange did not finish in time' });
    this.settle({ kind: 'interrupted', elapsedMs: this.elapsedMs });
  }

  private settleIdentified(hostKey: SshHostKey): void {
    if (this.identified) this.settle({ kind: 'identified', ...this.identified, hostKey });
  }

  private settle(greeting: SshGreeting): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.signal.removeEventListener('abort', this.onAbort);
    this.resolve(greeting);
    // Closes the connection to an identified server cleanly, without a reset.
    if (greeting.kind === 'identified') void leave(this.socket);
    else this.socket.destroy();
  }
}

/** Returns the key's type and the fingerprint that `ssh-keygen -l` shows. */
export function describeHostKey(key: Buffer): string {
  const type = key.subarray(4, 4 + Math.min(key.readUInt32BE(0), 64)).toString('latin1');
  const fingerprint = createHash('sha256').update(key).digest('base64').replaceAll('=', '');
  return `${type.replace(/[^\u0021-\u007e]/g, '?')} SHA256:${fingerprint}`;
}

/** Makes a library's message safe to include: one line, limited in length, and printable. */
const publicReason = (error: Error) =>
  error.message
    .split('\n', 1)[0]
    ?.replace(/[^\u0020-\u007e]/g, '?')
    .slice(0, REASON_CHARACTERS) ?? 'unknown';
