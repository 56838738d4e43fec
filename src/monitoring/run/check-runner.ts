import { Injectable, Logger } from '@nestjs/common';
import type { CheckResult } from '../../checker/checker';
import { startDeadline } from '../../platform/net/deadline';
import type { CheckDefinition } from '../../endpoint/check-definition';
import { Config } from '../../platform/config/config';
import { Clock } from '../../platform/time/clock';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { NearTriggerLookup } from './near-trigger';
import { Connectivity } from './connectivity';
import { MonitoringMetrics } from '../monitoring.metrics';
import { StallDetector } from './stall-detector';

/** A failure that would trigger an alert is repeated after this long, spread so that a mass failure does not come back as one. */
const CONFIRM_AFTER_MS = { least: 1000, spread: 1000 };

/**
 * Runs one check and makes sure that what it reports is the target's: a failure that overlaps a stall of our own is run
 * again, one that would trigger an alert is confirmed on a new connection, and while we are blind nothing is down.
 */
@Injectable()
export class CheckRunner {
  private readonly logger = new Logger(CheckRunner.name);

  constructor(
    private readonly config: Config,
    private readonly stalls: StallDetector,
    private readonly confirmations: NearTriggerLookup,
    private readonly connectivity: Connectivity,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * `checkedAt` is when the check begins by the database's clock. `null` when `shutdown` ended it: the slot was not checked.
   */
  async run(
    definition: CheckDefinition,
    slotMs: number | null,
    checkedAt: Date,
    shutdown: AbortSignal,
  ): Promise<FinishedCheck | null> {
    const first = await this.undistorted(definition, shutdown);
    if (shutdown.aborted && first.outcome !== 'up') return null;
    const { endpointId, endpointKey, orgId, revision } = definition;
    const of = { endpointId, endpointKey, orgId, revision, slotMs, checkedAt };
    const check: FinishedCheck = { ...of, result: first, attempts: 1, firstError: null };
    if (first.outcome === 'down' && (await this.isWorthConfirming(definition))) {
      await this.clock.sleep(CONFIRM_AFTER_MS.least + Math.random() * CONFIRM_AFTER_MS.spread, shutdown);
      if (shutdown.aborted) return null;
      this.metrics.reruns.inc({ why: 'confirmation' });
      check.result = await this.undistorted(definition, shutdown);
      check.attempts = 2;
      check.firstError = first.error;
      if (shutdown.aborted && check.result.outcome !== 'up') return null;
    }
    check.result = await this.connectivity.judge(endpointId, check.result);
    this.metrics.finished(check.result.outcome);
    return check;
  }

  private async isWorthConfirming(definition: CheckDefinition): Promise<boolean> {
    return this.config.confirmFailures && (await this.confirmations.isNearTrigger(definition.endpointId));
  }

  /** A failure during which our own event loop stood still says nothing: once more, and if that is no better, unknown. */
  private async undistorted(definition: CheckDefinition, shutdown: AbortSignal): Promise<CheckResult> {
    const first = await this.once(definition, shutdown);
    if (!first.stalled) return first.report;
    this.metrics.reruns.inc({ why: 'stall' });
    const second = await this.once(definition, shutdown);
    if (!second.stalled) return second.report;
    return {
      ...second.report,
      outcome: 'unknown',
      error: {
        code: 'internal',
        phase: 'internal',
        message: 'The monitor itself was stalled while it checked; the result says nothing about the target.',
      },
    };
  }

  private async once(
    definition: CheckDefinition,
    shutdown: AbortSignal,
  ): Promise<{ report: CheckResult; stalled: boolean }> {
    const deadline = startDeadline(definition.timeoutMs, shutdown);
    const began = this.clock.monotonic();
    try {
      const report = await definition.checker.check(definition.request, deadline.signal);
      return { report, stalled: report.outcome === 'down' && this.stalls.overlaps(began, this.clock.monotonic()) };
    } catch (error) {
      this.metrics.bugs.inc();
      this.logger.error(
        `a checker threw for endpoint ${definition.endpointId}`,
        error instanceof Error ? error.stack : String(error),
      );
      return { report: bugReport(), stalled: false };
    } finally {
      deadline.clear();
    }
  }
}

const bugReport = (): CheckResult => ({
  outcome: 'unknown',
  durationMs: 0,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address: null,
  certificate: null,
  records: null,
  redirects: [],
  error: {
    code: 'internal',
    phase: 'internal',
    message: 'The check failed inside the monitor; the operator finds the reason in its log.',
  },
});
