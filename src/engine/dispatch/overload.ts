import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/time/clock';
import { EngineMetrics } from '../engine.metrics';
import { ResultSink } from '../result-sink';
import { afterTick, type Load, type LoadHistory, NO_LOAD, ratesOf, ratioOf } from './overload-state';

/** The state while more checks are due than this process can run. */
export interface OverloadState {
  /** When the overload started, in monotonic milliseconds. */
  beganAt: number;
  lastedMs: number;
  /**
   * How many slots became due for each one that started, over the last few seconds. 1.9 means 1.9 times the possible
   * load.
   */
  ratio: number;
  /** The average over the last few seconds. */
  skippedPerSecond: number;
  /** The number of slots skipped and results lost since the overload started. */
  skipped: number;
  lost: number;
  /** The number of results that wait to be recorded. */
  waiting: number;
}

export type OverloadListener = (state: OverloadState, kind: 'began' | 'ended') => void;

/** Why a slot was skipped: overload, a check of its endpoint that was still running, or an unavailable database. */
export type SkipReason = 'overload' | 'running' | 'database';

/**
 * Detects whether more checks are due than this process can run, and reports it through the log, metrics, and
 * listeners.
 */
@Injectable()
export class Overload {
  private readonly logger = new Logger(Overload.name);
  private readonly listeners: OverloadListener[] = [];
  private history: LoadHistory = NO_LOAD;
  /** The number of slots that started since the last tick. */
  private begunCount = 0;
  private skippedCount = 0;
  private lostBefore = 0;
  /** The number of slots skipped because of overload since the process started. */
  skippedTotal = 0;

  constructor(
    private readonly sink: ResultSink,
    private readonly clock: Clock,
    private readonly metrics: EngineMetrics,
  ) {
    metrics.watch(
      { name: 'uptime_overload_ratio', help: 'Slots that come due for each slot that is started; 1 without overload.' },
      () => this.state?.ratio ?? 1,
    );
    metrics.watch({ name: 'uptime_results_waiting', help: 'Results that wait to be recorded.' }, () => sink.backlog);
  }

  /** The overload, or `null` while all due checks run in time. */
  get state(): OverloadState | null {
    const { overload } = this.history;
    if (overload === null) return null;
    return {
      beganAt: overload.at,
      lastedMs: this.clock.monotonic() - overload.at,
      ratio: ratioOf(this.history),
      skippedPerSecond: ratesOf(this.history).skipped,
      skipped: overload.skipped,
      lost: overload.lost,
      waiting: this.sink.backlog,
    };
  }

  get load(): Load {
    const { state } = this;
    return {
      checksPerSecond: ratesOf(this.history).begun,
      ratio: state?.ratio ?? 1,
      skippedPerSecond: state?.skippedPerSecond ?? 0,
      overloadedAt: state?.beganAt ?? null,
    };
  }

  /** Calls `listener` when an overload starts, and again with its totals when it ends. The listener must not throw. */
  onChange(listener: OverloadListener): void {
    this.listeners.push(listener);
  }

  /** Counts a slot that started. */
  begun(): void {
    this.begunCount++;
  }

  skipped(why: SkipReason, count = 1): void {
    if (count === 0) return;
    this.metrics.skipped.inc({ why }, count);
    if (why !== 'overload') return;
    this.skippedCount += count;
    this.skippedTotal += count;
  }

  /**
   * Call this once a second. `lateMs` is the delay of the oldest slot that was claimed since the previous call, or
   * `null` if there was no room to claim any.
   */
  tick(lateMs: number | null): void {
    const before = this.state;
    const { lost } = this.sink;
    this.history = afterTick(this.history, {
      at: this.clock.monotonic(),
      lateMs,
      begun: this.begunCount,
      skipped: this.skippedCount,
      lost: lost - this.lostBefore,
    });
    [this.begunCount, this.skippedCount, this.lostBefore] = [0, 0, lost];
    const { state } = this;
    if (before === null && state !== null) this.tellBegan(state);
    if (before !== null && state === null) this.tellEnded(before);
  }

  private tellBegan(state: OverloadState): void {
    this.logger.warn(`Overload started: ${describe(state)}. See docs/reference/operations.md`);
    for (const listener of this.listeners) listener(state, 'began');
  }

  private tellEnded(state: OverloadState): void {
    const { lastedMs, skipped, lost } = state;
    this.logger.warn(
      `Overload ended after ${seconds(lastedMs)} s: ${skipped} slots skipped, ${lost} results lost. See docs/reference/operations.md`,
    );
    for (const listener of this.listeners) listener(state, 'ended');
  }
}

/** Returns a human-readable line, such as `1.9 times what is possible; 840 slots/s skipped`. */
export const describe = ({ ratio, skippedPerSecond }: Pick<OverloadState, 'ratio' | 'skippedPerSecond'>): string =>
  `${ratio.toFixed(1)} times the capacity; ${Math.round(skippedPerSecond)} slots/s skipped`;

const seconds = (ms: number): number => Math.round(ms / 1000);
