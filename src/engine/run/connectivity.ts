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

/** Results older than this say nothing about the network now. */
const WINDOW_MS = 30_000;
/** Endpoints whose newest result is remembered, the most recently checked. */
const MAX_RECENT = 20_000;
/** How long what a look found is used, and never for a check that began before the look; bounds how often one is made. */
const VALID_MS = { least: 1000, most: 5000 };
/** While all is well it is looked at this often without a reason. */
const AT_REST_MS = MINUTE_MS;
/** All recent results are counted at most this often. */
const COUNT_VALID_MS = 100;
/** After this long offline the watchdog hears nothing, so that the operator is alerted from outside. */
const HOLD_LIMIT_MS = 15 * MINUTE_MS;

/** Whose result is judged. */
type Judged = Pick<CheckDefinition, 'endpointId' | 'orgId'>;

/**
 * Is this machine offline? Failures that an offline machine would produce as well are believed only after a fresh look.
 * While offline they are recorded as `unknown`: streaks do not move and nobody is notified. Where only the routing table
 * can be asked, a failure of an address to which a route exists is believed whatever else fails.
 */
@Injectable()
export class Connectivity {
  private readonly logger = new Logger(Connectivity.name);
  /** Endpoint → what its newest result says about the network. */
  private readonly recent = new BoundedMap<string, Evidence>(MAX_RECENT);
  private readonly offlineSeconds;
  private readonly job;
  private newest: { at: number; state: Promise<NetworkState> } | null = null;
  private counted = { at: -Infinity, isMass: false };
  /** When the machine was found offline, monotonic; `null` while it is online. */
  private offlineSince: number | null = null;
  /** When the network was last found to be back. */
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

  /** By the newest look. */
  get isOffline(): boolean {
    return this.offlineSince !== null;
  }

  /** Notices that the network is back even when no check fails. */
  @Interval(VALID_MS.most)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** The result as it may be recorded: unchanged, or `unknown` with `monitor_offline` when our own network is at fault. */
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

  /** Without targets it also learns, while all is well, that there is a default route to be lost. */
  private async recheck(): Promise<void> {
    const now = this.clock.monotonic();
    const isOnline = this.offlineSince === null;
    if (isOnline && (this.network.hasTargets || (this.newest !== null && now - this.newest.at < AT_REST_MS))) return;
    const state = await this.look(now, now);
    if (this.offlineSince !== null) this.note(state);
  }

  /** True while the operator should learn from the watchdog that nothing is being monitored. */
  private get isOfflineTooLong(): boolean {
    return this.offlineSince !== null && this.clock.monotonic() - this.offlineSince > HOLD_LIMIT_MS;
  }

  /** One look at a time, shared by all checks that ask while its result is valid. */
  private async look(now: number, began: number): Promise<NetworkState> {
    const oldest = now - Math.min(VALID_MS.most, Math.max(VALID_MS.least, now - began));
    if (!this.newest || this.newest.at < oldest) this.newest = { at: now, state: this.network.look() };
    const asked = this.newest;
    const state = await asked.state;
    // The newest look decides: this one may have begun before the network went or came back.
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

  /** Whether this machine is offline by what the newest look found; notes when that begins and ends. */
  private note(state: NetworkState): boolean {
    const now = this.clock.monotonic();
    const isOffline = state === 'offline' || (state === 'unproven' && this.isMassFailure(now));
    if (isOffline && this.offlineSince === null) {
      this.offlineSince = now;
      this.logger.error(
        'The monitor has no network. Results are recorded as unknown and alerts are held until it is back.',
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
