import { randomBytes, randomInt } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import { TOKEN_BYTES } from './icmp-packet';
import type { IcmpEvent, IcmpSocket } from './icmp-transport';

/** How asking a host for an echo ended, other than by silence (then the signal decides). */
export type EchoResult =
  | { kind: 'reply'; rttMs: number }
  /** A router or the host itself said that it cannot be reached. `reason` is public. */
  | { kind: 'unreachable'; reason: string }
  /** The request did not leave this machine. `code` is the system's error. */
  | { kind: 'not_sent'; code: string };

/** One way of asking hosts for echoes. */
export interface IcmpTransport {
  /**
   * Sends up to three requests 200 ms apart and settles with the first reply, or with a refusal that no reply to the
   * later ones contradicts. `null` when the host was silent until the signal aborted. Never rejects.
   */
  echo(address: string, signal: AbortSignal): Promise<EchoResult | null>;
  close(): void;
}

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

/** The next address of a name is asked too when one has been silent for this long (RFC 8305, section 5). */
const NEXT_ADDRESS_AFTER_MS = 250;

/** More addresses of one name than this are not asked. */
const ADDRESSES = 4;

/** How asking one address ended; `null` is silence until the signal aborted. */
export interface AddressEcho {
  address: string;
  result: EchoResult | null;
}

/** Asks the addresses of a name in turn. The first reply counts; without one the first refusal, then silence. */
export async function echoAny(
  method: IcmpTransport,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<AddressEcho> {
  const echoes = await attemptInTurn<string, AddressEcho>(
    addresses.slice(0, ADDRESSES),
    {
      nextAfterMs: NEXT_ADDRESS_AFTER_MS,
      attempt: async (address, until) => ({ address, result: await method.echo(address, until) }),
      isGood: ({ result }) => result?.kind === 'reply',
    },
    signal,
  );
  const reply = echoes.find(({ result }) => result?.kind === 'reply');
  const refusal = echoes.find(({ result }) => result !== null);
  return reply ?? refusal ?? echoes[0] ?? { address: addresses[0] ?? '', result: null };
}

/** Asks many hosts at once over one socket: a reply is matched by sequence number, random token and sender. */
export class SocketTransport implements IcmpTransport {
  private readonly pending = new Map<number, Pending>();
  private nextSequence = randomInt(SEQUENCES);
  private random = Buffer.alloc(0);
  private randomAt = 0;

  constructor(private readonly port: IcmpSocket) {
    port.onEvent((event) => this.take(event));
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
        this.port.drain();
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
    this.port.close();
  }

  private send(address: Buffer, sequences: number[], take: (result: EchoResult) => void): void {
    const sequence = this.freeSequence();
    if (sequence === null) return take({ kind: 'not_sent', code: 'ENOBUFS' });
    const token = this.nextToken();
    this.pending.set(sequence, { token, address, sentAtMs: performance.now(), take });
    sequences.push(sequence);
    this.port.setAwaiting(true);
    const code = this.port.send({ sequence, token }, address);
    if (code !== null) take({ kind: 'not_sent', code });
  }

  private forget(sequences: readonly number[]): void {
    for (const sequence of sequences) this.pending.delete(sequence);
    if (this.pending.size === 0) this.port.setAwaiting(false);
  }

  /** Randomness is had in bulk: asking for eight bytes costs as much as asking for a page. */
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
    case 'not_sent':
      return { kind: 'not_sent', code: event.reason };
  }
}
