import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { CheckResult, ErrorCode } from '../../checker/checker';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { BackgroundJobs } from '../../platform/jobs/background-job';
import { Health } from '../../platform/observability/health';
import { Heartbeat } from '../../platform/observability/heartbeat';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { type Evidence, isMassFailure, isSuspicious } from './network-evidence';
import { NetworkProbe } from './network-probe';

/** Results older than this say nothing about the network now. */
const WINDOW_MS = 30_000;
/** Endpoints whose newest result is remembered, the most recently checked. */
const MAX_RECENT = 20_000;
/** How long a probe's result is used, and never for a check that began before the probe; bounds how often probes run. */
const PROBE_VALID_MS = { least: 1000, most: 5000 };
/** After this long offline the heartbeat stops, so that the operator is alerted from outside. */
const HOLD_LIMIT_MS = 15 * MINUTE_MS;

/**
 * Is this machine offline? Failures that an offline machine would produce as well are believed only after a fresh probe.
 * While offline they are recorded as `unknown`: streaks do not move and nobody is notified.
 */
@Injectable()
export class Connectivity {
  private readonly logger = new Logger(Connectivity.name);
  /** Endpoint → what its newest result says about the network. */
  private readonly recent = new BoundedMap<string, Evidence>(MAX_RECENT);
  private readonly offlineSeconds;
  private readonly job;
  private newest: { at: number; isOffline: Promise<boolean> } | null = null;
  /** When the machine was found offline, monotonic; `null` while it is online. */
  private offlineSince: number | null = null;
  /** When the network was last found to be back. */
  private onlineSince = -Infinity;

  constructor(
    private readonly probe: NetworkProbe,
    private readonly clock: Clock,
    health: Health,
    metrics: Metrics,
    heartbeat: Heartbeat,
    jobs: BackgroundJobs,
  ) {
    heartbeat.holdWhile('the monitor has no network', () => this.isOfflineTooLong);
    this.offlineSeconds = metrics.gauge({
      name: 'uptime_blind_seconds',
      help: 'How long the monitor has been without a network; 0 when it sees.',
      collect: () => this.publish(),
    });
    health.register('connectivity', () =>
      this.offlineSince === null ? { ok: true } : { ok: true, detail: 'no network: results are held as unknown' },
    );
    this.job = jobs.create({ name: 'connectivity', run: () => this.recheck(), role: 'any' });
  }

  /** Notices that the network is back even when no check fails. */
  @Interval(PROBE_VALID_MS.most)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** The result as it may be recorded: unchanged, or `unknown` with `monitor_offline` when our own network is at fault. */
  async judge(endpointId: string, result: CheckResult): Promise<CheckResult> {
    const now = this.clock.monotonic();
    const suspicious = isSuspicious(result);
    this.recent.set(endpointId, { at: now, suspicious });
    if (!suspicious || (this.offlineSince === null && !this.needsProbe())) return result;
    const began = now - result.durationMs;
    if (!(await this.isOffline(now, began)) && began > this.onlineSince) return result;
    return {
      ...result,
      outcome: 'unknown',
      error: {
        code: 'monitor_offline' satisfies ErrorCode,
        phase: result.error?.phase ?? 'connect',
        message: 'The monitor itself has no network; the result says nothing about the target.',
      },
    };
  }

  private async recheck(): Promise<void> {
    if (this.offlineSince !== null) await this.isOffline(this.clock.monotonic());
  }

  /** True while the operator should learn from the missing heartbeat that nothing is being monitored. */
  private get isOfflineTooLong(): boolean {
    return this.offlineSince !== null && this.clock.monotonic() - this.offlineSince > HOLD_LIMIT_MS;
  }

  private needsProbe(): boolean {
    const oldest = this.clock.monotonic() - WINDOW_MS;
    return (
      this.probe.hasTargets ||
      isMassFailure([...this.recent].map(([, evidence]) => evidence).filter(({ at }) => at >= oldest))
    );
  }

  /** One probe at a time, shared by all checks that ask while its result is valid. */
  private async isOffline(now: number, began = now): Promise<boolean> {
    const oldest = now - Math.min(PROBE_VALID_MS.most, Math.max(PROBE_VALID_MS.least, now - began));
    if (!this.newest || this.newest.at < oldest) this.newest = { at: now, isOffline: this.probe.isOffline() };
    const asked = this.newest;
    const isOffline = await asked.isOffline;
    // The newest probe decides: this one may have begun before the network went or came back.
    if (asked !== this.newest) return this.isOffline(now, began);
    this.note(isOffline, now);
    return isOffline;
  }

  private note(isOffline: boolean, now: number): void {
    if (isOffline && this.offlineSince === null) {
      this.offlineSince = now;
      this.logger.error(
        'The monitor has no network. Results are recorded as unknown and alerts are held until it is back.',
      );
    } else if (!isOffline && this.offlineSince !== null) {
      const seconds = Math.round((now - this.offlineSince) / SECOND_MS);
      this.logger.warn(`The network is back after ${seconds} s; results count again.`);
      this.offlineSince = null;
      this.onlineSince = this.clock.monotonic();
    }
  }

  private publish(): void {
    this.offlineSeconds.set(this.offlineSince === null ? 0 : (this.clock.monotonic() - this.offlineSince) / SECOND_MS);
  }
}
