import { Injectable } from '@nestjs/common';
import { completeResult } from '../../../checker/complete-result';
import { type FinishedCheck, LOCAL } from '../../../engine/finished-check';
import { toCheckView } from '../../../history/read/check.dto';
import { HistoryWriter } from '../../../history/write/history-writer';
import type { ProbeCaller } from '../../../platform/access/caller';
import { ByOwner } from '../../../platform/capacity/by-owner';
import { NIL_UUID } from '../../../platform/ids/id';
import { within } from '../../../platform/net/deadline';
import { problems } from '../../../platform/problem/problem';
import type { ResultsResponse } from '../../../probe-protocol/protocol';
import { type AskResult, ProbeAsks } from '../ask/probe-asks';
import { ProbeMetrics } from '../probe.metrics';
import { ReplyTimes } from '../reply-times';
import { ProbeResults } from './probe-results';
import { type Assigned, AssignedEndpoints } from './assigned-endpoints';
import { type GivenAsk, type Judgement, judgeRow } from './row-rules';
import { type ReadResult, readResults } from './sent-results';

/** A probe that gets no response sends the batch again. Results that have been recorded by then are duplicates. */
const RECORD_WAIT_MS = 20_000;
/**
 * Limits on the results that are being passed to the recorder, in total and per organization. The recorder has room for
 * a few more and drops the rest. A probe that is turned away here keeps its results. Without load, a batch takes about
 * a second.
 */
const MOST_UNDER_WAY = 12_000;
const MOST_OF_ONE = 6000;
/**
 * A batch of up to this size contains results that have just changed, or comes from a small probe. Such batches have
 * separate limits, so that batches of history are turned away first.
 */
const FEW = 50;
const MOST_IN_FEW = 8000;
const FEW_OF_ONE = 4000;

interface Row {
  sent: ReadResult | null;
  judgement: Judgement;
  check: FinishedCheck | null;
}

const hasCheck = (row: Row): row is Row & { check: FinishedCheck } => row.check !== null;

/**
 * Receives results from probes. Evaluates each result based on the stored state of its endpoint, and passes it to the
 * recorder.
 */
@Injectable()
export class IntakeService {
  private readonly underWay = new ByOwner(MOST_UNDER_WAY, MOST_OF_ONE);
  private readonly inFew = new ByOwner(MOST_IN_FEW, FEW_OF_ONE);

  constructor(
    private readonly endpoints: AssignedEndpoints,
    private readonly results: ProbeResults,
    private readonly history: HistoryWriter,
    private readonly asks: ProbeAsks,
    private readonly times: ReplyTimes,
    private readonly metrics: ProbeMetrics,
  ) {}

  /**
   * Resolves when all accepted results are committed. Cost: the recorder's statements, one more if an endpoint isn't
   * cached or a row is rejected, and one more if a result was requested. Throws `validation_failed` if the body isn't a
   * batch, and `protocol_unsupported`. Throws `temporarily_unavailable` while the recorder is behind, if too many
   * results are already waiting for it, or if it has dropped one of the results.
   */
  async take(probe: ProbeCaller, body: unknown): Promise<ResultsResponse> {
    const { rows: sent } = readResults(body);
    const owner = probe.orgId ?? probe.probeId;
    const isFew = sent.length <= FEW;
    const room = isFew ? this.inFew : this.underWay;
    const { pauseMs } = this.times;
    if (pauseMs === null || (pauseMs > 0 && !isFew) || !room.tryTake(owner, sent.length))
      throw problems.temporarilyUnavailable();
    try {
      return await this.takeRead(probe, sent);
    } finally {
      room.release(owner, sent.length);
    }
  }

  private async takeRead(probe: ProbeCaller, sent: readonly (ReadResult | null)[]): Promise<ResultsResponse> {
    const nowMs = this.times.now.getTime();
    const assigned = await this.endpoints.of(probe.number, sent, nowMs);
    const rows = await this.judged(probe, sent, assigned);
    this.endpoints.keep(probe.number, assigned);
    try {
      await this.record(probe, rows);
    } catch (error) {
      this.endpoints.forget(probe.number, assigned);
      throw error;
    }
    await this.answer(rows);
    const count = (judgement: Judgement) => rows.filter((row) => row.judgement === judgement).length;
    const late = rows.filter(({ check, judgement }) => judgement === 'record' && check?.isLate === true).length;
    const refused = rows.flatMap(({ judgement: code }, index) =>
      code === 'record' || code === 'duplicate' ? [] : [{ index, code }],
    );
    const [recorded, duplicates] = [count('record'), count('duplicate')];
    this.metrics.taken(probe.probeId, { recorded, duplicates, late, refused: refused.length });
    return { now: this.times.now.getTime(), recorded, duplicates, late, refused, pause_ms: this.times.pauseMs ?? 0 };
  }

  /** Judges one endpoint's rows in order. Each row sees the newest slot that the earlier rows have set. */
  private async judged(
    probe: ProbeCaller,
    sent: readonly (ReadResult | null)[],
    assigned: ReadonlyMap<string, Assigned>,
  ): Promise<Row[]> {
    const askIds = sent.flatMap((row) => row?.ask ?? []);
    const given = await this.asks.given(probe.number, askIds);
    const nowMs = this.times.now.getTime();
    return sent.map((row) => {
      const of = row?.endpointId == null ? null : (assigned.get(row.endpointId) ?? null);
      const ask: GivenAsk | null = row?.ask == null ? null : (given.get(row.ask) ?? null);
      const judgement = judgeRow(row, of, ask, nowMs);
      if (judgement !== 'record' || row === null) return { sent: row, judgement, check: null };
      if (row.ask !== null) given.delete(row.ask);
      if (of !== null && row.slotMs !== null) of.lastSlotMs = row.slotMs;
      return { sent: row, judgement, check: of === null ? null : finished(probe, of, row) };
    });
  }

  /** Records the accepted rows, and puts the recorded checks into them. If a row wasn't recorded because something changed in the meantime, judges it again. */
  private async record(probe: ProbeCaller, rows: readonly Row[]): Promise<void> {
    const taken = rows.filter(hasCheck);
    const recorded = await within(RECORD_WAIT_MS, this.results.record(taken.map(({ check }) => check)));
    // Results that are recorded by then will be duplicates when they are sent again.
    if (recorded === 'late' || recorded.some((one) => one.recorded === 'given_up'))
      throw problems.temporarilyUnavailable();
    taken.forEach((row, index) => (row.check = recorded[index]?.check ?? row.check));
    const dropped = taken.filter((_, index) => recorded[index]?.recorded === 'dropped');
    if (dropped.length === 0) return;
    const ids = new Set(dropped.flatMap(({ sent }) => sent?.endpointId ?? []));
    const assigned = await this.endpoints.read(probe.number, [...ids]);
    this.endpoints.keep(probe.number, assigned);
    const nowMs = this.times.now.getTime();
    for (const row of dropped) {
      const of = assigned.get(row.sent?.endpointId ?? '') ?? null;
      const again = judgeRow(row.sent, of, { endpointId: row.sent?.endpointId ?? null }, nowMs);
      const isKnown = of?.lastCheckedMs != null && (row.sent?.checkedMs ?? Infinity) <= of.lastCheckedMs;
      // If the row passes every check here, the database must have rejected it.
      row.judgement = again !== 'record' ? again : isKnown ? 'duplicate' : 'invalid';
    }
  }

  /** Sends waiting clients their check, or the reason why there is none. */
  private async answer(rows: readonly Row[]): Promise<void> {
    await this.asks.answer(
      rows.flatMap(({ sent, judgement, check }) => {
        if (sent === null || sent.ask === null || judgement === 'not_a_slot') return [];
        return [{ id: sent.ask, result: this.resultOf(sent, judgement, check) }];
      }),
    );
  }

  private resultOf(sent: ReadResult, judgement: Judgement, check: FinishedCheck | null): AskResult {
    if (judgement !== 'record') return { refused: judgement };
    if (check !== null) return { check: toCheckView(check, this.history.checkId(check)) };
    const { result, attempts, firstError, checkedMs } = sent;
    const shown = {
      endpointId: NIL_UUID,
      checkedAt: new Date(checkedMs),
      location: LOCAL,
      result,
      planned: false,
      attempts,
      firstError,
    };
    const { id: _id, endpoint_id: _endpointId, ...view } = toCheckView(shown, '');
    return { check: view };
  }
}

const finished = (
  { number }: ProbeCaller,
  { endpointId, endpointKey, orgId, certificateWarnDays }: Assigned,
  { revision, slotMs, checkedMs, result, attempts, firstError }: ReadResult,
): FinishedCheck => ({
  endpointId,
  endpointKey,
  orgId,
  location: number,
  revision: revision ?? 0,
  slotMs,
  checkedAt: new Date(checkedMs),
  result: completeResult(result, certificateWarnDays) ?? result,
  attempts,
  firstError,
  planned: false,
  muted: false,
});
