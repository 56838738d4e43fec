import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '../harness/processes/service-process';

/** By contract an asked-for end takes up to 25 s; the rest is for a busy machine. */
const END_LIMIT_MS = 40_000;
const AGAIN_MS = 500;

/** How an instance ended, and whether that was wanted. */
export interface Ending {
  at: number;
  how: number | NodeJS.Signals | null;
  /** By one SIGTERM, by SIGKILL or a second SIGTERM, or not at all. */
  asked: 'in order' | 'at once' | null;
  /** Since it was asked to. */
  tookMs: number;
  log: string;
}

/** One instance of the service that is started again whenever it ends, as a supervisor does, until it is dismissed. */
export class SupervisedProcess {
  private process: ServiceProcess | null = null;
  private wanted = true;
  private asked: Ending['asked'] = null;
  private askedAt = 0;
  private readonly keeping: Promise<void>;
  /** Starts after the first, attempts that failed included. */
  restarts = -1;
  /** Why the newest attempt to start failed. */
  refusal = '';

  constructor(
    private readonly start: () => Promise<ServiceProcess>,
    private readonly ended: (ending: Ending) => void,
  ) {
    this.keeping = this.keep();
  }

  /** The running process; `null` while it starts. */
  get running(): ServiceProcess | null {
    return this.process?.hasEnded === false ? this.process : null;
  }

  /** True from an end that was asked for until the next start: it may still answer as if nothing were to happen. */
  get isEnding(): boolean {
    return this.asked !== null;
  }

  /** Sends the signal; false when there is nothing to send it to. */
  end(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    const { running } = this;
    if (!running) return false;
    if (this.asked === null) this.askedAt = Date.now();
    this.asked = signal === 'SIGTERM' && this.asked === null ? 'in order' : 'at once';
    running.signal('SIGCONT');
    running.signal(signal);
    return true;
  }

  /** Ends it for good, and waits until it is gone. */
  async dismiss(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.wanted = false;
    this.end(signal);
    const late = setTimeout(() => this.end('SIGKILL'), END_LIMIT_MS);
    await this.keeping;
    clearTimeout(late);
  }

  private async keep(): Promise<void> {
    while (this.wanted) {
      this.restarts++;
      try {
        this.process = await this.start();
        this.refusal = '';
      } catch (error) {
        this.refusal = String(error);
        // It cannot start without its database; the next attempt may find it.
        await delay(AGAIN_MS);
        continue;
      }
      if (!this.wanted) this.end('SIGTERM');
      const how = await this.process.ended();
      const at = Date.now();
      this.ended({ at, how, asked: this.asked, tookMs: at - this.askedAt, log: this.process.log });
      this.process = null;
      this.asked = null;
    }
  }
}
