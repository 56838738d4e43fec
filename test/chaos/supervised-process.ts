import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '../harness/processes/service-process';

/** By contract, a shutdown takes up to 25 s. The rest is for a busy machine. */
const SHUTDOWN_LIMIT_MS = 40_000;
const RESTART_DELAY_MS = 500;

/** How an instance exited, and whether that was requested. */
export interface ProcessExit {
  at: number;
  status: number | NodeJS.Signals | null;
  /** `gracefully` is one SIGTERM, `forcibly` is SIGKILL or a second SIGTERM, and `null` means not requested. */
  requested: 'gracefully' | 'forcibly' | null;
  /** The time since the request. */
  tookMs: number;
  log: string;
}

/** One instance of the service. It is restarted whenever it exits, as a supervisor does, until it is dismissed. */
export class SupervisedProcess {
  private process: ServiceProcess | null = null;
  private wanted = true;
  private requested: ProcessExit['requested'] = null;
  private requestedAt = 0;
  private readonly supervision: Promise<void>;
  /** The number of starts after the first one, including failed attempts. */
  restarts = -1;
  startError = '';

  constructor(
    private readonly start: () => Promise<ServiceProcess>,
    private readonly onExit: (exit: ProcessExit) => void,
  ) {
    this.supervision = this.supervise();
  }

  /** The running process, or `null` while it starts. */
  get running(): ServiceProcess | null {
    return this.process?.hasEnded === false ? this.process : null;
  }

  /** True from a requested end until the next start, because readiness may still be 200 in between. */
  get isEnding(): boolean {
    return this.requested !== null;
  }

  /** Sends the signal. Returns false if there is no process. */
  end(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    const { running } = this;
    if (!running) return false;
    if (this.requested === null) this.requestedAt = Date.now();
    this.requested = signal === 'SIGTERM' && this.requested === null ? 'gracefully' : 'forcibly';
    running.signal('SIGCONT');
    running.signal(signal);
    return true;
  }

  /** Ends it permanently and waits for its exit. */
  async dismiss(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.wanted = false;
    this.end(signal);
    const late = setTimeout(() => this.end('SIGKILL'), SHUTDOWN_LIMIT_MS);
    await this.supervision;
    clearTimeout(late);
  }

  private async supervise(): Promise<void> {
    while (this.wanted) {
      this.restarts++;
      try {
        this.process = await this.start();
        this.startError = '';
      } catch (error) {
        this.startError = String(error);
        // The database may be unavailable until the next attempt.
        await delay(RESTART_DELAY_MS);
        continue;
      }
      if (!this.wanted) this.end('SIGTERM');
      const status = await this.process.ended();
      const at = Date.now();
      this.onExit({ at, status, requested: this.requested, tookMs: at - this.requestedAt, log: this.process.log });
      this.process = null;
      this.requested = null;
    }
  }
}
