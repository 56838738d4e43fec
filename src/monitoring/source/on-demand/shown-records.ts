import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../../engine/finished-check';
import { type CheckView, toCheckView } from '../../../history/read/check.dto';
import { HistoryWriter } from '../../../history/write/history-writer';
import { within } from '../../../platform/net/deadline';
import { problems } from '../../../platform/problem/problem';
import { CheckRecorder } from '../../record/check-recorder';

/**
 * The result is written immediately, but another session that locks the endpoint's row may delay it for a long time.
 */
const RECORD_WAIT_MS = 5000;

/** Checks that a client waits for. They are recorded immediately and returned in the same form as in later lists. */
@Injectable()
export class ShownRecords {
  constructor(
    private readonly recorder: CheckRecorder,
    private readonly history: HistoryWriter,
  ) {}

  /**
   * Throws `temporarily_unavailable` if the result couldn't be committed within 5 s. It will still be committed as soon
   * as possible. Throws `conflict` if the endpoint was changed in the meantime.
   */
  async record(given: FinishedCheck): Promise<CheckView> {
    const outcome = await within(RECORD_WAIT_MS, this.recorder.recordMarked(given));
    if (outcome === 'late' || outcome.recorded === 'given_up') throw problems.temporarilyUnavailable();
    const { recorded, check } = outcome;
    if (recorded === 'dropped')
      throw problems.conflict('The endpoint was changed while it was being checked. Try again.');
    return toCheckView(check, this.history.checkId(check));
  }
}
