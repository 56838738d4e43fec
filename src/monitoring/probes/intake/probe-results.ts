import { Injectable } from '@nestjs/common';
import { CheckPlaces } from '../../../engine/dispatch/check-places';
import type { FinishedCheck } from '../../../engine/finished-check';
import { ProbeFailures } from '../../before-trigger/probe-failures';
import { CheckRecorder, type RecordedCheck } from '../../record/check-recorder';

/** Passes probe results to the recorder. */
@Injectable()
export class ProbeResults {
  constructor(
    private readonly recorder: CheckRecorder,
    private readonly failures: ProbeFailures,
    private readonly places: CheckPlaces,
  ) {}

  /**
   * Records the checks in order. First, the parents of all failed checks are checked together. Resolves when all checks
   * are committed or dropped, with the checks as they were recorded.
   */
  async record(checks: readonly FinishedCheck[]): Promise<RecordedCheck[]> {
    const prepared = await Promise.all(checks.map((check) => this.failures.prepare(check, this.places.shutdown)));
    return Promise.all(prepared.map((check) => this.recorder.take(check)));
  }
}
