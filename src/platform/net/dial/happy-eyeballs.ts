import { connect, type Socket } from 'node:net';
import { arrivalMs } from '../../time/arrival-clock';
import { DialError, type DialPhases, NO_ROUTE, type SocketFault, socketFault } from './dial-error';
import { bracketed } from '../egress/host-name';
import { hasRoute } from './route-probe';

/** RFC 8305, section 5: a later address is tried while the earlier attempts go on. */
const ATTEMPT_DELAY_MS = 250;

/** The winner: connected. The race's own error listener stays and keeps a late fault from ending the process. */
export interface Connection {
  socket: Socket;
  address: string;
  /** Of the winning attempt alone. */
  connectMs: number;
}

interface Attempt {
  socket: Socket;
  address: string;
  startedAt: number;
}

/** Keeps an `error` event on a socket that nobody reads any more from becoming an uncaught exception. */
export const ignoreError = (): void => {};

/** What the attempts of one race have in common. */
export interface RaceRules {
  port: number;
  signal: AbortSignal;
  /** On failure `connectMs` is filled in with the time that was spent. */
  phases: DialPhases;
  /** Nothing will be read: the winner is left paused, which spares its registration with the kernel's poll. */
  unread: boolean;
}

/**
 * Happy eyeballs (RFC 8305) over addresses that were judged already. Every attempt stays alive until one connects or all
 * failed, so a host that needs more than the attempt delay is still reached. Rejects with a `DialError`; after it has
 * settled, every socket but the winner's is destroyed.
 */
export function raceToConnect(addresses: readonly string[], rules: RaceRules): Promise<Connection> {
  return new Promise((resolve, reject) => new ConnectionRace(addresses, rules, resolve, reject).run());
}

class ConnectionRace {
  private readonly attempts: Attempt[] = [];
  private readonly failures: { address: string; error: NodeJS.ErrnoException }[] = [];
  private readonly startedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private next = 0;
  private settled = false;

  constructor(
    private readonly addresses: readonly string[],
    private readonly rules: RaceRules,
    private readonly resolve: (connection: Connection) => void,
    private readonly reject: (error: DialError) => void,
  ) {}

  run(): void {
    if (this.rules.signal.aborted) return this.abort();
    this.rules.signal.addEventListener('abort', this);
    this.startNext();
  }

  private startNext(): void {
    if (this.timer) clearTimeout(this.timer);
    const address = this.addresses[this.next];
    if (address === undefined) return;
    this.next += 1;
    const attempt: Attempt = {
      socket: connect({ host: address, port: this.rules.port }),
      address,
      startedAt: performance.now(),
    };
    this.attempts.push(attempt);
    if (this.rules.unread) attempt.socket.pause();
    attempt.socket.on('error', (error) => this.fail(attempt, error));
    attempt.socket.on('connect', () => this.win(attempt));
    if (this.next < this.addresses.length) this.timer = setTimeout(() => this.startNext(), ATTEMPT_DELAY_MS);
  }

  private win(attempt: Attempt): void {
    if (this.settled) return;
    const connectMs = Math.max(0, arrivalMs() - attempt.startedAt);
    this.settle(attempt);
    this.resolve({ socket: attempt.socket, address: attempt.address, connectMs });
  }

  private fail(attempt: Attempt, error: NodeJS.ErrnoException): void {
    if (this.settled) return;
    this.failures.push({ address: attempt.address, error });
    if (this.next < this.addresses.length) return this.startNext();
    if (this.failures.length < this.attempts.length) return;
    this.settle(null);
    void this.lose();
  }

  /** What speaks of the target outweighs what speaks of us: a missing IPv6 route does not hide that IPv4 was refused. */
  private async lose(): Promise<void> {
    const judged = await Promise.all(
      this.failures.map(async ({ address, error }) => ({ address, fault: await judge(address, error) })),
    );
    const told = judged.find(({ fault }) => !fault.local) ?? judged[0];
    if (told) this.reject(this.errorOf(told.address, told.fault));
  }

  private errorOf(address: string, fault: SocketFault): DialError {
    const message = `The connection to ${place(address, this.rules.port)} ${fault.text}.`;
    return new DialError(fault.code, 'connect', message, fault.local, this.rules.phases, address);
  }

  /** Called by the signal; an object is a cheaper listener than a function made for each race. */
  handleEvent(): void {
    this.abort();
  }

  private abort(): void {
    if (this.settled) return;
    this.settle(null);
    const address = this.attempts.at(-1)?.address ?? null;
    const message = `The connection to ${place(address ?? 'the host', this.rules.port)} was not established in time.`;
    this.reject(new DialError('aborted', 'connect', message, false, this.rules.phases, address));
  }

  private settle(winner: Attempt | null): void {
    this.settled = true;
    if (this.timer) clearTimeout(this.timer);
    this.rules.signal.removeEventListener('abort', this);
    if (!winner) this.rules.phases.connectMs = performance.now() - this.startedAt;
    if (winner && this.attempts.length === 1) return;
    for (const attempt of this.attempts) if (attempt !== winner) attempt.socket.destroy();
  }
}

async function judge(address: string, error: NodeJS.ErrnoException): Promise<SocketFault> {
  if (error.code === 'ENETUNREACH' && !(await hasRoute(address))) return NO_ROUTE;
  return socketFault(error);
}

const place = (address: string, port: number): string => `${bracketed(address)}:${port}`;
