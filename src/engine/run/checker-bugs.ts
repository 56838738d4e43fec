import { Injectable, Logger } from '@nestjs/common';
import { resultOf, unknown } from '../../checker/check-failure';
import type { CheckResult } from '../../checker/checker';
import { EngineMetrics } from '../engine.metrics';

/**
 * Handles a check whose checker threw, never settled, or returned no result: logs it, counts it, and returns `unknown`.
 */
@Injectable()
export class CheckerBugs {
  private readonly logger = new Logger(CheckerBugs.name);

  constructor(private readonly metrics: EngineMetrics) {}

  /** `endpointId` is for the log. */
  resultOf(endpointId: string, error: unknown): CheckResult {
    this.metrics.bugs.inc();
    this.logger.error(`a checker failed for endpoint ${endpointId}: ${text(error)}`);
    return resultOf(
      unknown(
        'internal',
        'internal',
        'The check failed inside the monitor; the operator can find the reason in its log.',
      ),
    );
  }
}

/** Returns the stacks of an error and its causes. */
function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${text(error.cause)}`;
}
