import { readFile } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Heartbeat } from '../../platform/observability/heartbeat';
import type { CheckResult, ErrorCode } from '../../checker/checker';
import { startDeadline } from '../../platform/net/deadline';
import { Config } from '../../platform/config/config';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { type Evidence, isMassive, suspicious } from './network-evidence';

const WINDOW_MS = 30_000;
const PROBE_TIMEOUT_MS = 3000;
/** An answer of the probes is believed this long, and by no check that began before it; bounds how often they are asked. */
const PROBE_VALID_MS = { least: 1000, most: 5000 };
/** After this the heartbeat stops, so that somebody outside notices. */
const HOLD_LIMIT_MS = 15 * 60_000;

/**
 * Are we blind? Before failures that look like our own network's are believed, fresh probes ask `CONNECTIVITY_TARGETS`
 * (without any, the routing table). While blind, failures are `unknown`: streaks stand still and nobody is paged.
 */
@Injectable()
export class Connectivity {
  private readonly logger = new Logger(Connectivity.name);
  private readonly recent = new Map<string, Evidence>();
  private readonly blindSeconds;
  private probe: { at: number; blind: Promise<boolean> } | null = null;
  private blindSince: number | null = null;
  /** When the network was last found to be back. */
  private blindUntil = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly dialer: Dialer,
    private readonly clock: Clock,
    health: Health,
    metrics: Metrics,
    heartbeat: Heartbeat,
  ) {
    heartbeat.holdWhile('the monitor has no network', () => this.blindTooLong);
    this.blindSeconds = metrics.gauge({
      name: 'uptime_blind_seconds',
      help: 'How long the monitor has been without a network; 0 when it sees.',
      collect: () => this.publish(),
    });
    health.register('connectivity', () =>
      this.blindSince === null ? { ok: true } : { ok: true, detail: 'no network: results are held as unknown' },
    );
  }

  /** True while the operator should learn by the missing heartbeat that nothing is being watched. */
  private get blindTooLong(): boolean {
    return this.blindSince !== null && this.clock.monotonic() - this.blindSince > HOLD_LIMIT_MS;
  }

  /** The report as it may be recorded: unchanged, or `unknown` with `monitor_offline` when the fault is our network's. */
  async judge(endpointId: string, report: CheckResult): Promise<CheckResult> {
    const now = this.clock.monotonic();
    const evidence: Evidence = { at: now, suspicious: suspicious(report), failed: report.outcome === 'down' };
    this.remember(endpointId, evidence);
    if (!evidence.suspicious || (this.blindSince === null && !this.needsProbe())) return report;
    const began = now - report.durationMs;
    if (!(await this.isBlind(now, began)) && began > this.blindUntil) return report;
    return {
      ...report,
      outcome: 'unknown',
      error: {
        code: 'monitor_offline' satisfies ErrorCode,
        phase: report.error?.phase ?? 'connect',
        message: 'The monitor itself has no network; the result says nothing about the target.',
      },
    };
  }

  /** Nothing need fail for the return of the network to be noticed. */
  @Interval(PROBE_VALID_MS.most)
  async lookAgain(): Promise<void> {
    if (this.blindSince !== null) await this.isBlind(this.clock.monotonic());
  }

  private needsProbe(): boolean {
    const oldest = this.clock.monotonic() - WINDOW_MS;
    return (
      this.config.connectivityTargets.length > 0 ||
      isMassive([...this.recent.values()].filter(({ at }) => at >= oldest))
    );
  }

  /** The newest result of each endpoint; the map is trimmed when it has grown. */
  private remember(endpointId: string, evidence: Evidence): void {
    this.recent.delete(endpointId);
    this.recent.set(endpointId, evidence);
    if (this.recent.size > 20_000) {
      const oldest = evidence.at - WINDOW_MS;
      for (const [id, { at }] of this.recent) {
        if (at >= oldest) break;
        this.recent.delete(id);
      }
    }
  }

  /** One probe at a time, shared by everybody who asks within its validity. */
  private async isBlind(now: number, began = now): Promise<boolean> {
    const oldest = now - Math.min(PROBE_VALID_MS.most, Math.max(PROBE_VALID_MS.least, now - began));
    if (!this.probe || this.probe.at < oldest) this.probe = { at: now, blind: this.ask() };
    const probe = this.probe;
    const blind = await probe.blind;
    // A newer probe has the last word: this one may have begun before the network went or came back.
    if (probe !== this.probe) return this.isBlind(now, began);
    if (blind && this.blindSince === null) {
      this.blindSince = now;
      this.logger.error(
        'The monitor has no network. Results are recorded as unknown and alerts are held until it is back.',
      );
    } else if (!blind && this.blindSince !== null) {
      this.logger.warn(
        `The network is back after ${Math.round((now - this.blindSince) / 1000)} s; checks decide again.`,
      );
      this.blindSince = null;
      this.blindUntil = this.clock.monotonic();
    }
    return blind;
  }

  private async ask(): Promise<boolean> {
    const targets = this.config.connectivityTargets;
    if (targets.length === 0) return !(await hasDefaultRoute());
    const reached = await Promise.all(targets.map((target) => this.reaches(target)));
    return reached.filter(Boolean).length * 2 < targets.length;
  }

  private async reaches(target: string): Promise<boolean> {
    const colon = target.lastIndexOf(':');
    const deadline = startDeadline(PROBE_TIMEOUT_MS);
    try {
      const host = target.slice(0, colon).replace(/^\[|\]$/g, '');
      const { socket } = await this.dialer.dial({
        host,
        port: Number(target.slice(colon + 1)),
        egress: { refusal: () => null },
        signal: deadline.signal,
      });
      socket.destroy();
      return true;
    } catch (error) {
      // Somebody refused us: that is an answer from beyond our network.
      return error instanceof DialError && error.code === 'connection_refused';
    } finally {
      deadline.clear();
    }
  }

  private publish(): void {
    this.blindSeconds.set(this.blindSince === null ? 0 : (this.clock.monotonic() - this.blindSince) / 1000);
  }
}

/** Linux tells in /proc; where that cannot be read we do not claim to be blind. */
async function hasDefaultRoute(): Promise<boolean> {
  const [four, six] = await Promise.all([routes('/proc/net/route'), routes('/proc/net/ipv6_route')]);
  if (four === null && six === null) return true;
  const defaultFour = (four ?? []).some((line) => line.split(/\s+/)[1] === '00000000');
  const defaultSix = (six ?? []).some((line) => /^0{32} 00 /.test(line) && !line.endsWith(' lo'));
  return defaultFour || defaultSix;
}

async function routes(path: string): Promise<string[] | null> {
  try {
    return (await readFile(path, 'latin1')).split('\n');
  } catch {
    return null;
  }
}
