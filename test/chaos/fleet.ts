import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../packages/testing/eventually';
import { ServiceProcess } from '../harness/processes/service-process';
import { PROTECTED_INSTANCE, type Command } from './commands';
import { makeRemindersDue } from './database-snapshot';
import type { Disruption, ChaosDatabase } from './databases';
import { judgeMemory, type MemoryFinding } from './memory';
import { MemoryWatch } from './memory-watch';
import type { InstanceExit, Span } from './history';
import { type ProcessExit, SupervisedProcess } from './supervised-process';

/** Messages contain links, which must be the same for every attempt and every instance. */
const PUBLIC_URL = 'https://uptime.example.com';
const FREEZE_MS = 3000;
const READY_LIMIT_MS = 90_000;
/** A graceful shutdown may start this long before its exit is recorded. */
const SHUTDOWN_MS = 30_000;

export type Fault = Extract<Command, { do: 'kill -9' | 'restart' | 'freeze' | 'second instance' | 'database' }>;

/** The instances on one database, and the faults injected into them. */
export class Fleet {
  readonly exits: InstanceExit[] = [];
  readonly downtimes: Span[] = [];
  readonly dues: Span[] = [];
  /** Exits that no command requested, and graceful shutdowns with a status other than 0. */
  readonly failures: string[] = [];
  longestShutdownMs = 0;
  private protectedSince: number | null = null;
  private readonly instances: (SupervisedProcess | null)[] = [null, null];
  private readonly activeFaults = new Set<Promise<void>>();
  private readonly memory = new MemoryWatch();
  private databaseQueue: Promise<void> = Promise.resolve();
  /** Its joins and leaves happen one after the other. */
  private secondQueue: Promise<void> = Promise.resolve();
  private restartsOfDismissed = 0;
  /** Reminders must be made due as soon as an exclusive database is free. */
  private isDueWanted = false;
  /** The last exit of an instance left nothing for its next start to recover. */
  private wasGraceful = false;

  constructor(readonly database: ChaosDatabase) {}

  get restarts(): number {
    return this.instances.reduce((sum, instance) => sum + (instance?.restarts ?? 0), this.restartsOfDismissed);
  }

  /** The instances that listen. */
  get running(): ServiceProcess[] {
    return this.instances.flatMap((instance) => instance?.running ?? []);
  }

  get ports(): number[] {
    return this.running.map(({ url }) => Number(new URL(url).port));
  }

  start(index: number): void {
    const { url, env } = this.database;
    this.instances[index] ??= new SupervisedProcess(
      async () => {
        await this.makeDueBetweenLives();
        return this.memory.start((more) => ServiceProcess.start(url, { PUBLIC_URL, ...env, ...more }));
      },
      (exit) => this.recordExit(exit),
    );
  }

  /** How long the first instance has been protected. */
  get protectedMs(): number {
    return this.protectedSince === null ? 0 : Date.now() - this.protectedSince;
  }

  get isProtecting(): boolean {
    return this.protectedSince !== null;
  }

  /** From now on, the first instance's memory is watched and no fault may end it. Every instance must be healthy. */
  protectFirst(): void {
    const process = this.instances[PROTECTED_INSTANCE]?.running;
    if (!process) throw new Error('there is no instance to protect');
    this.memory.watch(process);
    this.protectedSince = Date.now();
  }

  judgeMemory(): MemoryFinding {
    this.protectedSince = null;
    return judgeMemory(this.memory.samples);
  }

  /** Starts a fault. Returns false if its instance isn't running. */
  inject(fault: Fault): boolean {
    switch (fault.do) {
      case 'kill -9':
        return this.instances[fault.instance]?.end('SIGKILL') ?? false;
      case 'restart':
        return this.instances[fault.instance]?.end('SIGTERM') ?? false;
      case 'freeze':
        return this.freeze(this.instances[fault.instance]?.running ?? null);
      case 'second instance':
        this.secondQueue = this.secondQueue.then(() => this.changeSecond(fault.how));
        this.track(this.secondQueue);
        return true;
      case 'database':
        this.databaseQueue = this.databaseQueue.then(() => this.disruptDatabase(fault.how, fault.seconds));
        this.track(this.databaseQueue);
        return true;
      default:
        return fault satisfies never;
    }
  }

  /** Makes reminders due: at once, or if the database has a single user, as soon as that one has stopped gracefully. */
  makeRemindersDue(): void {
    this.isDueWanted = true;
    if (this.database.exclusive) return;
    this.databaseQueue = this.databaseQueue.then(() => this.makeDue());
    this.track(this.databaseQueue);
  }

  /** Records that reminders are made due during the work. */
  async whileDue<T>(work: () => Promise<T>): Promise<T> {
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.dues.push(span);
    try {
      return await work();
    } finally {
      span.to = Date.now();
    }
  }

  /** Waits until every fault is over and every instance is ready. */
  async recover(): Promise<void> {
    while (this.activeFaults.size > 0) await Promise.all(this.activeFaults);
    const wanted = this.instances.filter((instance) => instance !== null);
    const isReady = async (instance: SupervisedProcess) =>
      !instance.isEnding && (await instance.running?.readiness()) === 200;
    for (const instance of wanted)
      await eventually('an instance is ready', () => isReady(instance), READY_LIMIT_MS).catch((error: unknown) => {
        throw new Error(`${String(error)} ${instance.startError || (instance.running?.log ?? '')}`);
      });
  }

  /** Reads the database. The embedded one has a single user, so its instance is stopped for that time. */
  async inspect<T>(work: Parameters<typeof this.database.inspect<T>>[0]): Promise<T> {
    if (!this.database.exclusive) return this.database.inspect(work);
    await this.dismiss(0, 'SIGTERM');
    try {
      return await this.database.inspect(work);
    } finally {
      this.start(0);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.activeFaults);
    await Promise.all([this.dismiss(0, 'SIGKILL'), this.dismiss(1, 'SIGKILL')]);
    this.memory.close();
    await this.database.remove();
  }

  /** Synchronous, for an `exit` handler. */
  killAll(): void {
    for (const process of this.running) process.signal('SIGKILL');
  }

  private async makeDueBetweenLives(): Promise<void> {
    if (this.database.exclusive && this.isDueWanted && this.wasGraceful) await this.makeDue();
  }

  /** May fail during an outage of the database, without reporting it. */
  private async makeDue(): Promise<void> {
    this.isDueWanted = false;
    await this.whileDue(() => this.database.inspect(makeRemindersDue)).catch(() => {});
  }

  private async changeSecond(how: 'joins' | 'leaves' | 'is killed'): Promise<void> {
    if (how === 'joins') this.start(1);
    else await this.dismiss(1, how === 'leaves' ? 'SIGTERM' : 'SIGKILL');
  }

  private freeze(process: ServiceProcess | null): boolean {
    if (!process) return false;
    process.signal('SIGSTOP');
    this.track(
      this.duringDowntime(async () => {
        await delay(FREEZE_MS);
        process.signal('SIGCONT');
      }),
    );
    return true;
  }

  private disruptDatabase(how: Disruption, seconds: number): Promise<void> {
    return this.duringDowntime(() => this.database.disrupt(how, seconds));
  }

  /** The span has no end until the work is over, so that a verdict in the meantime counts it. */
  private async duringDowntime(work: () => Promise<void>): Promise<void> {
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.downtimes.push(span);
    await work();
    span.to = Date.now();
  }

  private async dismiss(index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const instance = this.instances[index];
    if (!instance) return;
    await instance.dismiss(signal);
    this.restartsOfDismissed += instance.restarts;
    this.instances[index] = null;
  }

  private track(work: Promise<void>): void {
    this.activeFaults.add(work);
    void work
      .catch((error: unknown) => this.failures.push(String(error)))
      .finally(() => this.activeFaults.delete(work));
  }

  private recordExit({ at, status, requested, tookMs, log }: ProcessExit): void {
    this.exits.push({ at, graceful: requested === 'gracefully' });
    this.wasGraceful = requested === 'gracefully' && status === 0;
    if (requested === 'gracefully') this.longestShutdownMs = Math.max(this.longestShutdownMs, tookMs);
    const wasDisturbed = this.downtimes.some(({ to }) => to >= at - SHUTDOWN_MS);
    if (requested === null) this.failures.push(`an instance ended by itself with ${status}:\n${log}`);
    else if (requested === 'gracefully' && status !== 0 && !wasDisturbed)
      this.failures.push(`an instance asked to stop ended with ${status}:\n${log}`);
  }
}
