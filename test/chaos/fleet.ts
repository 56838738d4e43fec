import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../harness/app/poll';
import { ServiceProcess } from '../harness/processes/service-process';
import { ANCHOR, type Command } from './commands';
import type { Absence, ChaosDatabase } from './databases';
import { judgeMemory, type MemoryFinding } from './memory';
import { MemoryWatch } from './memory-watch';
import type { End, Span } from './properties';
import { type Ending, SupervisedProcess } from './supervised-process';

const FREEZE_MS = 3000;
const READY_LIMIT_MS = 90_000;
/** An orderly end may begin this long before it is seen. */
const ORDERLY_MS = 30_000;

export type Fault = Extract<Command, { do: 'kill -9' | 'restart' | 'freeze' | 'second instance' | 'database' }>;

/** The instances on one database, and what is done to them. */
export class Fleet {
  readonly ends: End[] = [];
  readonly absences: Span[] = [];
  /** Ends that nobody asked for, and orderly ones that were not. */
  readonly misbehaved: string[] = [];
  longestEndMs = 0;
  private anchoredAt: number | null = null;
  private readonly instances: (SupervisedProcess | null)[] = [null, null];
  private readonly underWay = new Set<Promise<void>>();
  private readonly memory = new MemoryWatch();
  private databaseQueue: Promise<void> = Promise.resolve();
  /** It joins when the one before has left. */
  private secondQueue: Promise<void> = Promise.resolve();
  private restarted = 0;

  constructor(readonly database: ChaosDatabase) {}

  get restarts(): number {
    return this.instances.reduce((sum, instance) => sum + (instance?.restarts ?? 0), this.restarted);
  }

  /** Those that listen. */
  get running(): ServiceProcess[] {
    return this.instances.flatMap((instance) => instance?.running ?? []);
  }

  start(place: number): void {
    const { url, env } = this.database;
    this.instances[place] ??= new SupervisedProcess(
      () => this.memory.start((more) => ServiceProcess.start(url, { ...env, ...more })),
      (ending) => this.note(ending),
    );
  }

  /** How long nobody has been allowed to end the first instance. */
  get anchoredMs(): number {
    return this.anchoredAt === null ? 0 : Date.now() - this.anchoredAt;
  }

  get isAnchored(): boolean {
    return this.anchoredAt !== null;
  }

  /** From now on the first instance's memory is watched, and nobody may end it before it was judged. Every instance is well. */
  layAnchor(): void {
    const process = this.instances[ANCHOR]?.running;
    if (!process) throw new Error('there is no instance to watch');
    this.memory.watch(process);
    this.anchoredAt = Date.now();
  }

  /** Judges the anchor's memory; from then on it may be ended. */
  weighAnchor(): MemoryFinding {
    this.anchoredAt = null;
    return judgeMemory(this.memory.samples);
  }

  /** Begins a fault; false when there is nothing it could befall. */
  inflict(fault: Fault): boolean {
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
        this.databaseQueue = this.databaseQueue.then(() => this.takeAway(fault.how, fault.seconds));
        this.track(this.databaseQueue);
        return true;
      default:
        return fault satisfies never;
    }
  }

  /** Waits until every fault is over and every instance is ready. */
  async recover(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    const wanted = this.instances.filter((instance) => instance !== null);
    const isReady = async (instance: SupervisedProcess) =>
      !instance.isEnding && (await instance.running?.readiness()) === 200;
    for (const instance of wanted)
      await eventually('an instance is ready', () => isReady(instance), READY_LIMIT_MS).catch((error: unknown) => {
        throw new Error(`${String(error)} ${instance.refusal || (instance.running?.log ?? '')}`);
      });
  }

  /** Reads the database. An embedded one is read while its only user is stopped. */
  async inspect<T>(work: Parameters<typeof this.database.inspect<T>>[0]): Promise<T> {
    if (!this.database.exclusive) return this.database.inspect(work);
    await this.dismiss(0, 'SIGTERM');
    try {
      return await this.database.inspect(work);
    } finally {
      this.start(0);
    }
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    await Promise.allSettled(this.underWay);
    await Promise.all([this.dismiss(0, 'SIGKILL'), this.dismiss(1, 'SIGKILL')]);
    this.memory.close();
    await this.database.remove();
  }

  /** For a program that ends on the spot. */
  abandon(): void {
    for (const process of this.running) process.signal('SIGKILL');
  }

  private async changeSecond(how: 'joins' | 'leaves' | 'is killed'): Promise<void> {
    if (how === 'joins') this.start(1);
    else await this.dismiss(1, how === 'leaves' ? 'SIGTERM' : 'SIGKILL');
  }

  private freeze(process: ServiceProcess | null): boolean {
    if (!process) return false;
    process.signal('SIGSTOP');
    this.track(
      this.absent(async () => {
        await delay(FREEZE_MS);
        process.signal('SIGCONT');
      }),
    );
    return true;
  }

  private takeAway(how: Absence, seconds: number): Promise<void> {
    return this.absent(() => this.database.away(how, seconds));
  }

  /** Open until it is over, so that what happens meanwhile is judged rightly. */
  private async absent(work: () => Promise<void>): Promise<void> {
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.absences.push(span);
    await work();
    span.to = Date.now();
  }

  private async dismiss(place: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const instance = this.instances[place];
    if (!instance) return;
    await instance.dismiss(signal);
    this.restarted += instance.restarts;
    this.instances[place] = null;
  }

  private track(work: Promise<void>): void {
    this.underWay.add(work);
    void work.catch((error: unknown) => this.misbehaved.push(String(error))).finally(() => this.underWay.delete(work));
  }

  private note({ at, how, asked, tookMs, log }: Ending): void {
    this.ends.push({ at, orderly: asked === 'in order' });
    if (asked === 'in order') this.longestEndMs = Math.max(this.longestEndMs, tookMs);
    const wasDisturbed = this.absences.some(({ to }) => to >= at - ORDERLY_MS);
    if (asked === null) this.misbehaved.push(`an instance ended by itself with ${how}:\n${log}`);
    else if (asked === 'in order' && how !== 0 && !wasDisturbed)
      this.misbehaved.push(`an instance asked to stop ended with ${how}:\n${log}`);
  }
}
