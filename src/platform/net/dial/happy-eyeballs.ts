import { connect, type LookupFunction, type Socket } from 'node:net';
import { arrivalMs } from '../../time/arrival-clock';
import { DeadlineExceeded } from '../deadline';
import { decisive } from '../telling';
import { DialError, type DialPhases, faultTowards, type SocketFault } from './dial-error';
import { bracketed } from '../egress/host-name';
import type { Inflow } from './inflow';
import { Stagger } from '../staggered-attempts';

/** Delay before the next address is tried while earlier attempts continue (RFC 8305, section 5). */
const ATTEMPT_DELAY_MS = 250;

/** The connection that won. The race's error listener stays attached, so a late error can't crash the process. */
export interface Connection {
  socket: Socket;
  address: string;
  /** The time of the winning attempt alone. */
  connectMs: number;
}

interface Attempt {
  socket: Socket;
  address: string;
  startedAt: number;
}

/** Keeps an `error` event of an unused socket from becoming an uncaught exception. */
export const ignoreError = (): void => {};

export interface RaceRules {
  port: number;
  signal: AbortSignal;
  /** On failure, `connectMs` is set to the elapsed time. */
  phases: DialPhases;
  /** Leaves the winner paused if nothing will be read, which avoids registering it with the kernel's poll. */
  unread: boolean;
  /** Receives the bytes of the winner, which then emits no `data` events. */
  inflow: Inflow | undefined;
}

/**
 * Runs Happy Eyeballs (RFC 8305) on addresses that the egress policy has allowed. Every attempt stays alive until one
 * connects or all have failed, so a host slower than the attempt delay is still reached. Rejects with a `DialError`.
 * Afterwards every socket but the winner's is destroyed.
 */
export function raceToConnect(addresses: readonly string[], rules: RaceRules): Promise<Connection> {
  return new Promise((resolve, reject) => new ConnectionRace(addresses, rules, resolve, reject).run());
}

class ConnectionRace {
  private readonly attempts: Attempt[] = [];
  private readonly failures: { address: string; error: NodeJS.ErrnoException }[] = [];
  private readonly startedAt = performance.now();
  private readonly stagger: Stagger<string>;
  private settled = false;

  constructor(
    addresses: readonly string[],
    private readonly rules: RaceRules,
    private readonly resolve: (connection: Connection) => void,
    private readonly reject: (error: DialError) => void,
  ) {
    this.stagger = new Stagger(addresses, ATTEMPT_DELAY_MS, (address) => this.begin(address));
  }

  run(): void {
    if (this.rules.signal.aborted) return this.abort();
    this.rules.signal.addEventListener('abort', this);
    this.stagger.next();
  }

  private begin(address: string): void {
    const attempt: Attempt = {
      socket: connect(optionsFor(address, this.rules)),
      address,
      startedAt: performance.now(),
    };
    this.attempts.push(attempt);
    if (this.rules.unread) attempt.socket.pause();
    attempt.socket.on('error', (error) => this.fail(attempt, error));
    attempt.socket.on('connect', () => this.win(attempt));
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
    if (!this.stagger.isExhausted) return this.stagger.next();
    if (this.failures.length < this.attempts.length) return;
    this.settle(null);
    void this.lose();
  }

  /**
   * Rejects with the error that shows most about the target. `silent` are the attempts without an answer when the time
   * was up.
   */
  private async lose(silent: readonly Attempt[] = []): Promise<void> {
    const failed = await Promise.all(
      this.failures.map(async ({ address, error }) => {
        const fault = await faultTowards(address, error);
        return { telling: fault.telling, error: this.errorOf(address, fault) };
      }),
    );
    const unanswered = silent.map(({ address }) => ({ telling: 'silence' as const, error: this.lateAt(address) }));
    const found = decisive([...failed, ...unanswered], ({ telling }) => telling);
    this.reject(found?.error ?? this.lateAt(null));
  }

  private errorOf(address: string, fault: SocketFault): DialError {
    const message = `The connection to ${authority(address, this.rules.port)} ${fault.text}.`;
    return new DialError(fault.code, 'connect', message, fault.telling === 'ours', this.rules.phases, address);
  }

  /** Called by the signal. An object is a cheaper listener than a function per race. */
  handleEvent(): void {
    this.abort();
  }

  private abort(): void {
    if (this.settled) return;
    this.settle(null);
    const failed = this.failures.map(({ address }) => address);
    const silent = this.attempts.filter(({ address }) => !failed.includes(address));
    if (this.rules.signal.reason instanceof DeadlineExceeded) void this.lose(silent);
    else this.reject(this.lateAt(silent[0]?.address ?? null));
  }

  private lateAt(address: string | null): DialError {
    const message = `The connection to ${authority(address ?? 'the host', this.rules.port)} was not established in time.`;
    return new DialError('aborted', 'connect', message, false, this.rules.phases, address);
  }

  private settle(winner: Attempt | null): void {
    this.settled = true;
    this.stagger.stop();
    this.rules.signal.removeEventListener('abort', this);
    if (!winner) this.rules.phases.connectMs = performance.now() - this.startedAt;
    if (winner && this.attempts.length === 1) return;
    for (const attempt of this.attempts) if (attempt !== winner) attempt.socket.destroy();
  }
}

/**
 * The last four options are what `net.Socket` would choose anyway. It sets them on a copy of these options. In Node 20,
 * a property added to a copy gives it a unique hidden class. Every read of a socket's or stream's options then misses
 * its inline cache, 30 times per connection. With all options present, the copies share one class.
 */
function optionsFor(address: string, { port, inflow }: RaceRules) {
  return {
    host: address,
    port,
    lookup: refuseName,
    onread: inflow?.onread,
    allowHalfOpen: false,
    emitClose: false,
    autoDestroy: true,
    decodeStrings: false,
  };
}

/** Never called for an address. It ensures that sockets connect only to addresses judged by the egress policy. */
const refuseName: LookupFunction = (host, _options, done) => done(new Error(`${host} is not an IP address`), '', 0);

const authority = (address: string, port: number): string => `${bracketed(address)}:${port}`;
