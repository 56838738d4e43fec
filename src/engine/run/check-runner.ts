import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../../checker/checker';
import type { CheckDefinition } from '../check-definition';
import { type FinishedCheck, LOCAL } from '../finished-check';
import { startDeadline } from '../../platform/net/deadline';
import { Clock } from '../../platform/time/clock';
import { EngineMetrics } from '../engine.metrics';
import { BeforeTrigger, type RunCheck } from '../before-trigger';
import { CheckerBugs } from './checker-bugs';
import { Connectivity } from './connectivity';
import { StallDetector } from './stall-detector';
import { mayExplain } from './stall-evidence';

/**
 * A failure is confirmed after a random time between `least` and `least + spread`, so that a mass failure isn't
 * repeated all at the same time.
 */
const CONFIRM_AFTER_MS = { least: 1000, spread: 1000 };

/**
 * Runs one check and decides whether the target caused a failure, in these steps:
 * 1. The checker checks the target within the endpoint's timeout. A checker that throws or never settles has a bug,
 * which is logged, and the result is `unknown`.
 * 2. If a stall of the event loop may explain a failure, the check is run again. If a stall may also explain the second
 * failure, the result is `unknown` (`stall-evidence.ts`). The same applies to a warning about the response time.
 * 3. A failure that would trigger an alert is confirmed by a second attempt 1–2 s later. It uses a new connection and
 * also goes through steps 1 and 2 (`BeforeTrigger`). In a maintenance window that mutes alerts, nothing triggers.
 * 4. A failure that an offline machine would also have is `unknown` while this machine is offline (`Connectivity`).
 * 5. Before a failure that would trigger is recorded, the endpoint's parents are checked and their results recorded
 * (`BeforeTrigger`).
 */
@Injectable()
export class CheckRunner {
  constructor(
    private readonly beforeTrigger: BeforeTrigger,
    private readonly stalls: StallDetector,
    private readonly connectivity: Connectivity,
    private readonly metrics: EngineMetrics,
    private readonly clock: Clock,
    private readonly bugs: CheckerBugs,
  ) {}

  /**
   * Runs the check. `checkedAt` is when the check starts, according to the database's clock. Resolves to `null` if
   * `shutdown` canceled it, in which case the slot wasn't checked.
   */
  async run(
    definition: CheckDefinition,
    slotMs: number | null,
    checkedAt: Date,
    shutdown: AbortSignal,
  ): Promise<FinishedCheck | null> {
    // Nearly every check takes this path. It uses as few promises as possible, because each costs a microsecond and 500
    // bytes.
    const began = this.clock.monotonic();
    const attempt = await this.runOnce(definition, 'first', shutdown);
    const first = attempt.isInDoubt ? await this.runAfterStall(definition, shutdown) : attempt.result;
    if (shutdown.aborted && first.outcome !== 'up') return null;
    const unconfirmed = finished(definition, { slotMs, checkedAt }, first, null);
    const near = isBad(first) ? await this.beforeTrigger.nearOf(unconfirmed) : 'no';
    const isRepeated = near === 'alone' && first.outcome === 'down' && this.beforeTrigger.repeats;
    const last = isRepeated ? await this.confirm(definition, shutdown) : first;
    if (last === null) return null;
    const judged = this.connectivity.judge(definition, last);
    const result = judged instanceof Promise ? await judged : judged;
    const check =
      result === first ? unconfirmed : finished(definition, { slotMs, checkedAt }, result, isRepeated ? first : null);
    this.metrics.finished(result.outcome);
    if (near === 'no' || !isBad(result)) return check;
    const foundAt = new Date(checkedAt.getTime() + this.clock.monotonic() - began);
    const isParentDown = await this.beforeTrigger.isParentDown(check, foundAt, this.runParent, shutdown);
    return { ...check, isParentDown };
  }

  /** Returns the result of a second attempt after a moment, or `null` if `shutdown` canceled it. */
  private async confirm(definition: CheckDefinition, shutdown: AbortSignal): Promise<CheckResult | null> {
    await this.clock.sleep(CONFIRM_AFTER_MS.least + Math.random() * CONFIRM_AFTER_MS.spread, shutdown);
    if (shutdown.aborted) return null;
    this.metrics.reruns.inc({ why: 'confirmation' });
    const second = await this.runOnce(definition, 'first', shutdown);
    const result = second.isInDoubt ? await this.runAfterStall(definition, shutdown) : second.result;
    return shutdown.aborted && result.outcome !== 'up' ? null : result;
  }

  private readonly runParent: RunCheck = (parent, checkedAt, signal) => this.run(parent, null, checkedAt, signal);

  /**
   * Returns the result of another attempt if a stall may have caused the first failure. If the same applies to the
   * second failure, the result is `unknown`.
   */
  private async runAfterStall(definition: CheckDefinition, shutdown: AbortSignal): Promise<CheckResult> {
    this.metrics.reruns.inc({ why: 'stall' });
    const { result, isInDoubt } = await this.runOnce(definition, 'second', shutdown);
    if (!isInDoubt) return result;
    return {
      ...result,
      outcome: 'unknown',
      error: {
        code: 'internal',
        phase: 'internal',
        message: 'The monitor itself was stalled during the check, so the result says nothing about the target.',
      },
      warning: null,
    };
  }

  private async runOnce(
    definition: CheckDefinition,
    attempt: 'first' | 'second',
    shutdown: AbortSignal,
  ): Promise<{ result: CheckResult; isInDoubt: boolean }> {
    const deadline = startDeadline(definition.timeoutMs, shutdown);
    this.stalls.enter();
    const began = this.clock.monotonic();
    try {
      const result = await definition.checker.check(definition.request, deadline.signal);
      const isInDoubt =
        (result.outcome === 'down' || warnsOfTime(definition, result)) &&
        mayExplain(this.stalls.stalls, { from: began, to: this.clock.monotonic() }, attempt);
      return { result, isInDoubt };
    } catch (error) {
      return { result: this.bugs.resultOf(definition.endpointId, error), isInDoubt: false };
    } finally {
      this.stalls.leave();
      deadline.clear();
    }
  }
}

const warnsOfTime = ({ request }: CheckDefinition, { warning }: CheckResult): boolean =>
  warning !== null &&
  request.assertions.some(({ source, severity }) => source === 'response_time' && severity === 'warning');

/**
 * `unconfirmed` is the first attempt's result, if there were two. Uses one literal, because an object created by
 * spreading is slower to read in every later step.
 */
const finished = (
  { endpointId, endpointKey, orgId, revision }: CheckDefinition,
  { slotMs, checkedAt }: Pick<FinishedCheck, 'slotMs' | 'checkedAt'>,
  result: CheckResult,
  unconfirmed: CheckResult | null,
): FinishedCheck => ({
  endpointId,
  endpointKey,
  orgId,
  location: LOCAL,
  revision,
  slotMs,
  checkedAt,
  result,
  attempts: unconfirmed ? 2 : 1,
  firstError: unconfirmed && unconfirmed.error,
  planned: false,
  muted: false,
});

/** Covers both down and degraded, because alerts exist for both. */
const isBad = ({ outcome, warning }: CheckResult): boolean => outcome === 'down' || Boolean(warning);
