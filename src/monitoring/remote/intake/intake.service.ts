import { Injectable } from '@nestjs/common';
import { completeResult } from '../../../checker/complete-result';
import { type FinishedCheck, LOCAL } from '../../../engine/finished-check';
import { toCheckView } from '../../../history/read/check.dto';
import { HistoryWriter } from '../../../history/write/history-writer';
import type { ProbeCaller } from '../../../platform/access/caller';
import { ByOwner } from '../../../platform/capacity/by-owner';
import { WorkerDatabase } from '../../../platform/database/database';
import { epochMs } from '../../../platform/database/epoch-ms';
import { NIL_UUID } from '../../../platform/ids/id';
import { within } from '../../../platform/net/deadline';
import { problems } from '../../../platform/problem/problem';
import type { ResultsResponse } from '../../../probe-protocol/protocol';
import { type AskResult, ProbeAsks } from '../ask/probe-asks';
import { RemoteMetrics } from '../remote.metrics';
import { ReplyTimes } from '../reply-times';
import { RemoteResults } from './remote-results';
import { type AssignedState, type GivenAsk, type Judgement, judgeRow } from './row-rules';
import { type ReadResult, readResults } from './sent-results';

/** A probe that gets no response sends the batch again: what is recorded by then is a duplicate. */
const RECORD_WAIT_MS = 20_000;
/**
 * Results that may be on their way into the recorder, and of them those of one organization. The recorder has room for some more and
 * gives up what is beyond it; whoever is refused here still has them. At rest a batch is on its way for about a second.
 */
const MOST_UNDER_WAY = 12_000;
const MOST_OF_ONE = 6000;
/** A batch of no more is of what has just changed, or of a small probe: these have room of their own, and history is refused before them. */
const FEW = 50;
const MOST_IN_FEW = 8000;
const FEW_OF_ONE = 4000;

/** What a batch needs to be judged. */
interface Assigned extends AssignedState {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  certificateWarnDays: number | null;
  lastCheckedMs: number | null;
}

/** A row of a batch, and what becomes of it. */
interface Row {
  sent: ReadResult | null;
  judgement: Judgement;
  /** What is recorded. */
  check: FinishedCheck | null;
}

const hasCheck = (row: Row): row is Row & { check: FinishedCheck } => row.check !== null;

// Cost: of each endpoint of the batch four look-ups by primary key.
const ASSIGNED = `
  SELECT l.endpoint_id AS "endpointId", e.key::text AS "endpointKey", l.org_id AS "orgId", s.active, s.revision,
         s.interval_seconds * 1000 AS "intervalMs", e.certificate_warn_days AS "certificateWarnDays",
         ${epochMs('l.last_slot_at')} AS "lastSlotMs",
         ${epochMs('l.last_checked_at')} AS "lastCheckedMs"
    FROM endpoint_location l
    JOIN endpoint_schedule s ON s.endpoint_id = l.endpoint_id
    JOIN endpoint e ON e.id = l.endpoint_id
   WHERE l.number = $1 AND l.endpoint_id = ANY ($2::uuid[])`;

/** Takes the results of probes: judges each by what is stored of its endpoint, and has the recorder record it. */
@Injectable()
export class IntakeService {
  private readonly underWay = new ByOwner(MOST_UNDER_WAY, MOST_OF_ONE);
  private readonly inFew = new ByOwner(MOST_IN_FEW, FEW_OF_ONE);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly results: RemoteResults,
    private readonly history: HistoryWriter,
    private readonly asks: ProbeAsks,
    private readonly times: ReplyTimes,
    private readonly metrics: RemoteMetrics,
  ) {}

  /**
   * Resolves when all that is taken is committed. Two statements beside those of the recorder where the batch has a result that was
   * asked for, else one. Throws `validation_failed` for a batch that is none, `protocol_unsupported`, and
   * `temporarily_unavailable` while the recorder is behind, too much is on its way to it, or when it has given up one of the results.
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
    const rows = await this.judged(probe, sent);
    await this.record(probe, rows);
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

  /** The rows of one endpoint are judged in their order: each sees what those before it make of the newest slot. */
  private async judged(probe: ProbeCaller, sent: readonly (ReadResult | null)[]): Promise<Row[]> {
    const assigned = await this.assignedOf(probe, sent);
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

  private async assignedOf(
    { number }: ProbeCaller,
    sent: readonly (ReadResult | null)[],
  ): Promise<Map<string, Assigned>> {
    const ids = [...new Set(sent.flatMap((row) => row?.endpointId ?? []))];
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<Assigned>(ASSIGNED, [number, ids]);
    return new Map(rows.map((row) => [row.endpointId, row]));
  }

  /** Records what is taken. What was not, because something has changed meanwhile, is judged again. */
  private async record(probe: ProbeCaller, rows: readonly Row[]): Promise<void> {
    const taken = rows.filter(hasCheck);
    const recorded = await within(RECORD_WAIT_MS, this.results.record(taken.map(({ check }) => check)));
    // What is recorded of them is a duplicate when they come again.
    if (recorded === 'late' || recorded.includes('given_up')) throw problems.temporarilyUnavailable();
    const dropped = taken.filter((_, index) => recorded[index] === 'dropped');
    if (dropped.length === 0) return;
    const assigned = await this.assignedOf(
      probe,
      dropped.map(({ sent }) => sent),
    );
    const nowMs = this.times.now.getTime();
    for (const row of dropped) {
      const of = assigned.get(row.sent?.endpointId ?? '') ?? null;
      const again = judgeRow(row.sent, of, { endpointId: row.sent?.endpointId ?? null }, nowMs);
      const isKnown = of?.lastCheckedMs != null && (row.sent?.checkedMs ?? Infinity) <= of.lastCheckedMs;
      // Where nothing speaks against it, the database refuses it.
      row.judgement = again !== 'record' ? again : isKnown ? 'duplicate' : 'invalid';
    }
  }

  /** Those who wait for a check get it, or hear why there is none. */
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
