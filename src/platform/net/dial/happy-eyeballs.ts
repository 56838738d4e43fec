import { connect, type LookupFunction, type Socket } from 'node:net';
import { arrivalMs } from '../../time/arrival-clock';
import { DeadlineExceeded } from '../deadline';
import { decisive } from '../telling';
import { DialError, type DialPhases, faultTowards, type SocketFault } from './dial-error';
import { bracketed } from '../egress/host-name';
import type { Inflow } from './inflow';
import { Stagger } from '../staggered-attempts';

/** The delay before the next address is tried. Earlier attempts continue (RFC 8305, section 5). */
const ATTEMPT_DELAY_MS = 250;

/**
 * The connection that won the race. The race's error listener stays attached, so that a late error can't crash the
 * process.
 */
export interface Connection {
  socket: Socket;
  address: string;
  /** The duration of the winning attempt only. */
  connectMs: number;
}

interface Attempt {
  socket: Socket;
  address: string;
  startedAt: number;
}

/** Keeps an unused socket's `error` event from becoming an uncaught exception. */
export const ignoreError = (): void => {};

export interface RaceRules {
  port: number;
  signal: AbortSignal;
  /** On failure, `connectMs` is set to the elapsed time. */
  phases: DialPhases;
  /** If nothing will be read, leaves the winner paused, which avoids registering it with the kernel's poll. */
  unread: boolean;
  /** Receives the winner's bytes. The winner then emits no `data` events. */
  inflow: Inflow | undefined;
}

/**
 * Runs Happy Eyeballs (RFC 8305) on addresses that the egress policy has allowed. Every attempt continues until one
 * connects or all have failed, so that even a host that is slower than the attempt delay can be reached. Rejects with a
 * `DialError`. Afterwards, all sockets except the winner's are destroyed.
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
   * Rejects with the error that shows the most about the target. `silent` lists the attempts that had no answer when
   * time ran out.
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

  /** Called by the signal. An object is a cheaper listener than a separate function for each race. */
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
 * The last four options are the defaults that `net.Socket` would set on a copy of these options. In Node 20, adding a
 * property to a copy gives the copy a unique hidden class. Each read of a socket's or stream's options, about 30 per
 * connection, then misses its inline cache. If all options are present, the copies share one class.
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

/**
 * Never called for an IP address. This function ensures that sockets connect only to addresses that the egress policy
 * has checked.
 */
const refuseName: LookupFunction = (host, _options, done) => done(new Error(`${host} is not an IP address`), '', 0);

const authority = (address: string, port: number): string => `${bracketed(address)}:${port}`;
