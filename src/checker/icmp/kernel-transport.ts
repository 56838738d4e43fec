import { randomBytes, randomInt } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Owner } from '../../platform/capacity/by-owner';
import { TOKEN_BYTES } from './icmp-packet';
import type { EchoResult, IcmpTransport } from './icmp-transport';
import { loadKernelSocketCalls } from './kernel-calls';
import { type IcmpEvent, KernelSocket } from './kernel-socket';

const ECHOES = 3;
const ECHO_INTERVAL_MS = 200;
const SEQUENCES = 0x10000;
const RANDOM_BYTES = 4096;

interface Pending {
  token: Buffer;
  address: Buffer;
  sentAtMs: number;
  take: (result: EchoResult) => void;
}

/** Opens the sockets for both IP versions. Returns a sentence with the reason if IPv4 is unavailable. */
export function openKernelTransport(kind: 'datagram' | 'raw'): IcmpTransport | string {
  const calls = loadKernelSocketCalls();
  if (typeof calls === 'string') return calls;
  const four = KernelSocket.open(calls, 4, kind);
  if (typeof four === 'string') return four;
  const six = KernelSocket.open(calls, 6, kind);
  return new KernelTransport(new SocketEcho(four), typeof six === 'string' ? null : new SocketEcho(six));
}

/** Pings through this process's own ICMP sockets, one per IP version. */
class KernelTransport implements IcmpTransport {
  constructor(
    private readonly four: SocketEcho,
    /** `null` if the machine has no IPv6. */
    private readonly six: SocketEcho | null,
  ) {}

  async echo(address: string, _owner: Owner, signal: AbortSignal): Promise<EchoResult | null> {
    const echo = address.includes(':') ? this.six : this.four;
    return echo ? echo.echo(address, signal) : { kind: 'not_sent', code: 'EAFNOSUPPORT' };
  }

  close(): void {
    this.four.close();
    this.six?.close();
  }
}

/** Pings many hosts concurrently over one socket. Matches a reply by sequence number, random token, and sender. */
class SocketEcho {
  private readonly pending = new Map<number, Pending>();
  private nextSequence = randomInt(SEQUENCES);
  private random = Buffer.alloc(0);
  private randomAt = 0;

  constructor(private readonly socket: KernelSocket) {
    socket.onEvent((event) => this.take(event));
  }

  echo(address: string, signal: AbortSignal): Promise<EchoResult | null> {
    const bytes = Buffer.from(ipaddr.process(address).toByteArray());
    const sequences: number[] = [];
    let refusal: EchoResult | null = null;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(null);
      const conclude = (result: EchoResult | null) => {
        clearInterval(timer);
        signal.removeEventListener('abort', onAbort);
        this.forget(sequences);
        resolve(result);
      };
      const take = (result: EchoResult) => {
        if (result.kind !== 'unreachable' || sequences.length === ECHOES) conclude(result);
        else refusal = result;
      };
      const onAbort = () => {
        this.socket.drain();
        conclude(refusal);
      };
      const timer = setInterval(() => {
        if (sequences.length < ECHOES) this.send(bytes, sequences, take);
        else if (refusal) conclude(refusal);
        else clearInterval(timer);
      }, ECHO_INTERVAL_MS);
      signal.addEventListener('abort', onAbort, { once: true });
      this.send(bytes, sequences, take);
    });
  }

  close(): void {
    this.socket.close();
  }

  private send(address: Buffer, sequences: number[], take: (result: EchoResult) => void): void {
    const sequence = this.freeSequence();
    if (sequence === null) return take({ kind: 'not_sent', code: 'ENOBUFS' });
    const token = this.nextToken();
    this.pending.set(sequence, { token, address, sentAtMs: performance.now(), take });
    sequences.push(sequence);
    this.socket.setAwaiting(true);
    const code = this.socket.send({ sequence, token }, address);
    if (code !== null) take({ kind: 'not_sent', code });
  }

  private forget(sequences: readonly number[]): void {
    for (const sequence of sequences) this.pending.delete(sequence);
    if (this.pending.size === 0) this.socket.setAwaiting(false);
  }

  /** Draws random bytes in bulk, because drawing eight bytes costs as much as drawing a page. */
  private nextToken(): Buffer {
    if (this.randomAt + TOKEN_BYTES > this.random.length) {
      this.random = randomBytes(RANDOM_BYTES);
      this.randomAt = 0;
    }
    this.randomAt += TOKEN_BYTES;
    return this.random.subarray(this.randomAt - TOKEN_BYTES, this.randomAt);
  }

  private freeSequence(): number | null {
    if (this.pending.size >= SEQUENCES) return null;
    while (this.pending.has(this.nextSequence)) this.nextSequence = (this.nextSequence + 1) % SEQUENCES;
    const sequence = this.nextSequence;
    this.nextSequence = (sequence + 1) % SEQUENCES;
    return sequence;
  }

  private take(event: IcmpEvent): void {
    const pending = this.pending.get(event.sequence);
    if (!pending?.address.equals(event.peer)) return;
    if (event.token ? !event.token.equals(pending.token) : event.kind === 'reply') return;
    pending.take(resultOf(event, pending.sentAtMs));
  }
}

function resultOf(event: IcmpEvent, sentAtMs: number): EchoResult {
  switch (event.kind) {
    case 'reply':
      return { kind: 'reply', rttMs: Math.max(0, event.receivedAtMs - sentAtMs) };
    case 'unreachable':
      return { kind: 'unreachable', reason: event.reason };
  }
}
