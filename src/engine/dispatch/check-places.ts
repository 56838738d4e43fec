import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { EngineMetrics } from '../engine.metrics';
import { SharedCapacity } from '../../platform/capacity/shared-capacity';

/**
 * The number of open files that are left for the database, the API, and deliveries. A check may need two, because it
 * tries IPv6 and IPv4.
 */
const OTHER_FILES = 100;

/**
 * Returns how many checks may run at the same time under the open file limit. The limit is read from /proc on Linux. On
 * other systems, only the setting counts.
 */
function openFilesAllow(): number {
  if (process.platform !== 'linux') return Infinity;
  const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return files === undefined ? Infinity : Math.max(1, Math.floor((Number(files) - OTHER_FILES) / 2));
}

/**
 * The checks that run in this process: at most `size`, and never two for the same endpoint. No organization can take
 * the places of others, however long its checks take (`SharedCapacity`). Scheduled and on-demand checks use the same
 * places.
 */
@Injectable()
export class CheckPlaces {
  /** The maximum number of checks that run at the same time. */
  readonly size: number;
  private readonly capacity: SharedCapacity;
  private readonly checking = new Set<string>();
  /** Endpoints with an on-demand check that hasn't finished. */
  private readonly onDemand = new Set<string>();
  /** Checks that wait for their endpoint's running check to finish, in order, by endpoint. */
  private readonly successors = new Map<string, (() => void)[]>();
  private readonly stopping = new AbortController();
  private freed: () => void = () => {};
  private idle: (() => void) | null = null;

  constructor(
    config: Config,
    private readonly clock: Clock,
    metrics: EngineMetrics,
  ) {
    this.size = Math.min(config.maxConcurrentChecks, openFilesAllow());
    if (this.size < config.maxConcurrentChecks)
      new Logger(CheckPlaces.name).warn(
        `The limit of open files leaves room for only ${this.size} checks at a time; raise it (ulimit -n).`,
      );
    this.capacity = new SharedCapacity(this.size);
    // Every running check listens to this signal, so thousands of listeners aren't a leak.
    setMaxListeners(0, this.stopping.signal);
    metrics.watch({ name: 'uptime_checks_in_flight', help: 'Checks that are running now.' }, () => this.checking.size);
  }

  /** A signal that aborts when the time to drain is over. */
  get shutdown(): AbortSignal {
    return this.stopping.signal;
  }

  get isFull(): boolean {
    return this.capacity.free === 0;
  }

  /** Calls `listener` whenever a place becomes free. Only one listener is supported. */
  onFree(listener: () => void): void {
    this.freed = listener;
  }

  share(isShared: boolean): void {
    this.capacity.isShared = isShared;
  }

  isChecking(endpointId: string): boolean {
    return this.checking.has(endpointId);
  }

  hasCapacityFor(orgId: string): boolean {
    return this.capacity.hasCapacityFor(orgId);
  }

  /**
   * Takes a place. The caller must have called `isChecking` and `hasCapacityFor`, and must call `end` when the check
   * has finished.
   */
  begin(orgId: string, endpointId: string): void {
    this.capacity.take(orgId);
    this.checking.add(endpointId);
  }

  end(orgId: string, endpointId: string): void {
    this.capacity.release(orgId);
    this.ended(endpointId);
    this.freed();
  }

  /**
   * Runs a check that another check waits for. It uses the other check's place, so it can run even if all places are
   * taken by waiting checks. It starts when the endpoint's running check has finished. Resolves to `null` if the
   * process stops before that.
   */
  async runBeside<T>(endpointId: string, check: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const signal = this.shutdown;
    const begin = (): boolean => {
      this.checking.add(endpointId);
      return true;
    };
    if (!(await this.whenUnchecked(endpointId, signal, begin))) return null;
    try {
      return await check(signal);
    } finally {
      this.ended(endpointId);
    }
  }

  /**
   * Runs an on-demand check. `ended` aborts when the client disconnects. The check starts when the endpoint's scheduled
   * check has finished, and slots of the endpoint that become due in the meantime are skipped. `check` gets a signal
   * that aborts if the client disconnects or the process stops. Throws `conflict` while another client's check of the
   * endpoint is running or waiting, and `temporarily_unavailable` if there is no place.
   */
  async runOnDemand<T>(
    orgId: string,
    endpointId: string,
    ended: AbortSignal,
    check: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.onDemand.has(endpointId))
      throw problems.conflict('An on-demand check of this endpoint is still running; wait for its result.');
    this.onDemand.add(endpointId);
    const { signal, release } = eitherOf(ended, this.stopping.signal);
    try {
      if (!(await this.takePlace(orgId, endpointId, signal))) throw problems.temporarilyUnavailable();
      try {
        return await check(signal);
      } finally {
        this.end(orgId, endpointId);
      }
    } finally {
      release();
      this.onDemand.delete(endpointId);
    }
  }

  /** Waits for the checks in flight. Those still running after `limitMs` are aborted. */
  async drain(limitMs: number): Promise<void> {
    if (this.checking.size === 0) return;
    const idle = new AbortController();
    this.idle = () => idle.abort();
    await this.clock.sleep(limitMs, idle.signal);
    this.stopping.abort(new Error('the monitor is shutting down'));
    await this.clock.sleep(1000, idle.signal);
  }

  /** Resolves to false if there is no place, or if `signal` aborted the wait for the running check. */
  private takePlace(orgId: string, endpointId: string, signal: AbortSignal): Promise<boolean> {
    return this.whenUnchecked(endpointId, signal, () => this.tryBegin(orgId, endpointId));
  }

  /**
   * Resolves to the result of `begin`, which is called as soon as no check of the endpoint is running. Resolves to
   * false if `signal` aborts before that.
   */
  private whenUnchecked(endpointId: string, signal: AbortSignal, begin: () => boolean): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (!this.checking.has(endpointId)) return Promise.resolve(begin());
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.forget(endpointId, succeed);
        resolve(false);
      };
      const succeed = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(begin());
      };
      this.successors.set(endpointId, [...(this.successors.get(endpointId) ?? []), succeed]);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  private ended(endpointId: string): void {
    this.checking.delete(endpointId);
    if (this.successors.size > 0) this.succeed(endpointId);
    if (this.checking.size === 0) this.idle?.();
  }

  /** Starts the first waiting check. If it can't start, tries the next one. */
  private succeed(endpointId: string): void {
    while (!this.checking.has(endpointId)) {
      const [next] = this.successors.get(endpointId) ?? [];
      if (!next) return;
      this.forget(endpointId, next);
      next();
    }
  }

  private forget(endpointId: string, successor: () => void): void {
    const left = (this.successors.get(endpointId) ?? []).filter((other) => other !== successor);
    if (left.length === 0) this.successors.delete(endpointId);
    else this.successors.set(endpointId, left);
  }

  private tryBegin(orgId: string, endpointId: string): boolean {
    const hasCapacity = this.capacity.hasCapacityFor(orgId);
    if (hasCapacity) this.begin(orgId, endpointId);
    return hasCapacity;
  }
}

/**
 * Returns a signal that aborts when either one does. Call `release` when it is no longer needed, because one of the
 * signals may outlive it by a long time.
 */
function eitherOf(one: AbortSignal, other: AbortSignal): { signal: AbortSignal; release: () => void } {
  const either = new AbortController();
  const releases = [one, other].map((source) => {
    const end = () => either.abort(source.reason);
    if (source.aborted) end();
    else source.addEventListener('abort', end, { once: true });
    return () => source.removeEventListener('abort', end);
  });
  return { signal: either.signal, release: () => releases.forEach((release) => release()) };
}
