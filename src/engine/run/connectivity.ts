import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { CheckResult, ErrorCode } from '../../checker/checker';
import type { CheckDefinition } from '../check-definition';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { BackgroundJobs } from '../../platform/jobs/background-job';
import { Health } from '../../platform/observability/health';
import { WatchdogPing } from '../../platform/observability/watchdog-ping';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { type Evidence, isMassFailure, isProof, isSuspicious } from './network-evidence';
import { NetworkLookup, type NetworkState } from './network-state';

/** Older results say nothing about the current state of the network. */
const WINDOW_MS = 30_000;
/** The maximum number of endpoints whose newest result is remembered, most recently checked first. */
const MAX_RECENT = 20_000;
/**
 * How long a finding is used. It is never used for a check that started before the lookup. This also limits how often
 * the network state is looked up.
 */
const VALID_MS = { least: 1000, most: 5000 };
/** How often the network state is looked up while everything works and there is no reason to. */
const AT_REST_MS = MINUTE_MS;
/** All recent results are counted at most this often. */
const COUNT_VALID_MS = 100;
/**
 * After being offline for this long, the service stops pinging the watchdog, so that an external alert reaches the
 * operator.
 */
const HOLD_LIMIT_MS = 15 * MINUTE_MS;

type Judged = Pick<CheckDefinition, 'endpointId' | 'orgId'>;

/**
 * Detects whether this machine is offline. Failures that an offline machine would also produce are accepted only after
 * a fresh lookup. While offline, they are recorded as `unknown`: streaks don't change and no one is notified. If only
 * the routing table is available, a failure at an address with a route is accepted regardless of other failures.
 */
@Injectable()
export class Connectivity {
  private readonly logger = new Logger(Connectivity.name);
  /** The evidence about the network in each endpoint's newest result. */
  private readonly recent = new BoundedMap<string, Evidence>(MAX_RECENT);
  private readonly offlineSeconds;
  private readonly job;
  private newest: { at: number; state: Promise<NetworkState> } | null = null;
  private counted = { at: -Infinity, isMass: false };
  /** When the machine was found offline, on the monotonic clock, or `null` while it is online. */
  private offlineSince: number | null = null;
  /** When the network was last found to be available again. */
  private onlineSince = -Infinity;

  constructor(
    private readonly network: NetworkLookup,
    private readonly clock: Clock,
    health: Health,
    metrics: Metrics,
    watchdog: WatchdogPing,
    jobs: BackgroundJobs,
  ) {
    watchdog.holdWhile('the monitor has no network', () => this.isOfflineTooLong);
    this.offlineSeconds = metrics.gauge({
      name: 'uptime_blind_seconds',
      help: 'How long the monitor has been without a network; 0 if it has one.',
      collect: () => this.publish(),
    });
    health.register('connectivity', () =>
      this.offlineSince === null ? { ok: true } : { ok: true, detail: 'no network: results are recorded as unknown' },
    );
    this.job = jobs.create({ name: 'connectivity', run: () => this.recheck(), role: 'any' });
  }

  /** Whether the newest lookup found the machine offline. */
  get isOffline(): boolean {
    return this.offlineSince !== null;
  }

  /** Detects that the network is available again, even if no check fails. */
  @Interval(VALID_MS.most)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /**
   * Returns the result to record: unchanged, or `unknown` with `monitor_offline` if this machine's network caused the
   * failure.
   */
  judge(of: Judged, result: CheckResult): CheckResult | Promise<CheckResult> {
    const now = this.clock.monotonic();
    if (isProof(result)) this.recent.set(of.endpointId, { at: now, orgId: of.orgId, suspicious: false });
    return isSuspicious(result) ? this.judgeSuspicious(of, result, now) : result;
  }

  private async judgeSuspicious({ endpointId, orgId }: Judged, result: CheckResult, now: number): Promise<CheckResult> {
    const began = now - result.durationMs;
    const state = await this.look(now, began);
    if (state !== 'online' && !this.network.hasTargets && (await this.network.hasRouteTo(result.address)))
      return result;
    this.recent.set(endpointId, { at: now, orgId, suspicious: true });
    if (!this.note(state) && began > this.onlineSince) return result;
    return {
      ...result,
      outcome: 'unknown',
      error: {
        code: 'monitor_offline' satisfies ErrorCode,
        phase: result.error?.phase ?? 'connect',
        message: 'The monitor itself has no network, so the result says nothing about the target.',
      },
    };
  }

  /**
   * Without targets, this also finds out that a default route exists while everything works, so that its loss can be
   * detected.
   */
  private async recheck(): Promise<void> {
    const now = this.clock.monotonic();
    const isOnline = this.offlineSince === null;
    if (isOnline && (this.network.hasTargets || (this.newest !== null && now - this.newest.at < AT_REST_MS))) return;
    const state = await this.look(now, now);
    if (this.offlineSince !== null) this.note(state);
  }

  /** True if the watchdog ping must be left out, to alert the operator that nothing is being monitored. */
  private get isOfflineTooLong(): boolean {
    return this.offlineSince !== null && this.clock.monotonic() - this.offlineSince > HOLD_LIMIT_MS;
  }

  /** Runs one lookup at a time, which all checks share while its finding is valid. */
  private async look(now: number, began: number): Promise<NetworkState> {
    const oldest = now - Math.min(VALID_MS.most, Math.max(VALID_MS.least, now - began));
    if (!this.newest || this.newest.at < oldest) this.newest = { at: now, state: this.network.look() };
    const asked = this.newest;
    const state = await asked.state;
    // The newest lookup decides, because this one may have started before the network was lost or restored.
    return asked === this.newest ? state : this.look(now, began);
  }

  private isMassFailure(now: number): boolean {
    if (now - this.counted.at < COUNT_VALID_MS) return this.counted.isMass;
    this.counted = { at: now, isMass: isMassFailure(this.evidence(), now - WINDOW_MS) };
    return this.counted.isMass;
  }

  private *evidence(): Generator<Evidence> {
    for (const [, evidence] of this.recent) yield evidence;
  }

  /**
   * Returns whether this machine is offline, based on the finding of the newest lookup. Records when that starts and
   * ends.
   */
  private note(state: NetworkState): boolean {
    const now = this.clock.monotonic();
    const isOffline = state === 'offline' || (state === 'unproven' && this.isMassFailure(now));
    if (isOffline && this.offlineSince === null) {
      this.offlineSince = now;
      this.logger.error(
        'The monitor has no network. Results are recorded as unknown and alerts are suppressed until it is back.',
      );
    } else if (!isOffline && this.offlineSince !== null) {
      const seconds = Math.round((now - this.offlineSince) / SECOND_MS);
      this.logger.warn(`The network is back after ${seconds} s; results count again.`);
      this.offlineSince = null;
      this.onlineSince = now;
    }
    return isOffline;
  }

  private publish(): void {
    this.offlineSeconds.set(this.offlineSince === null ? 0 : (this.clock.monotonic() - this.offlineSince) / SECOND_MS);
  }
}
