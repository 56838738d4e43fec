import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../engine/finished-check';
import { CheckRecorder } from '../monitoring/record/check-recorder';
import type { Sql } from '../platform/database/database';
import { failpoint } from '../platform/observability/failpoints';
import { type LockedHeartbeat, type OwedVerdict, settle } from './heartbeat-store';
import type { Verdict } from './expectation';

/** Whose verdicts they are. */
type Owner = Pick<LockedHeartbeat, 'endpointId' | 'endpointKey' | 'orgId'>;

export interface ToRecord extends Owner {
  verdicts: readonly OwedVerdict[];
}

/** How long after a verdict somebody else finishes what whoever decided it has not. */
export const OWED_FOR_MS = 30_000;

/** How long a run is that a check can hold: microseconds in an integer. Exact times stand with the pings. */
const MAX_DURATION_MS = 2_147_483.647;

/** Verdicts on heartbeats become checks, as those of a checker do. */
@Injectable()
export class VerdictRecorder {
  constructor(private readonly recorder: CheckRecorder) {}

  /** Resolves when all are committed, and no longer owed. What the endpoint does not have any more is dropped. */
  async record(sql: Sql, all: readonly ToRecord[]): Promise<void> {
    const some = all.filter(({ verdicts }) => verdicts.length > 0);
    if (some.length === 0) return;
    const checks = some.flatMap((owner) => owner.verdicts.map((verdict) => checkOf(owner, verdict)));
    await Promise.all(checks.map((check) => this.recorder.record(check)));
    await failpoint('heartbeat.recorded');
    await settle(
      sql,
      some.map(({ endpointId, verdicts }) => ({ endpointId, atMs: verdicts.map(({ atMs }) => atMs) })),
    );
  }
}

const NO_PHASES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };

/** What it depends on is judged by its newest result, when the check is recorded: nothing could be asked first. */
function checkOf({ endpointId, endpointKey, orgId }: Owner, verdict: OwedVerdict): FinishedCheck {
  return {
    endpointId,
    endpointKey,
    orgId,
    revision: verdict.revision,
    slotMs: null,
    checkedAt: new Date(verdict.atMs),
    result: {
      outcome: verdict.outcome,
      durationMs: Math.min(verdict.durationMs ?? 0, MAX_DURATION_MS),
      phases: NO_PHASES,
      statusCode: null,
      address: null,
      certificate: null,
      records: null,
      redirects: [],
      error: errorOf(verdict),
      warning: null,
    },
    attempts: 1,
    firstError: null,
    planned: false,
    muted: false,
  };
}

const errorOf = ({ code, message }: Verdict) => (code === null ? null : { code, phase: 'run' as const, message });

/** The verdicts of a decision as they are owed from `nowMs` on, behind those that were owed before. */
export function owing(heartbeat: LockedHeartbeat, verdicts: readonly Verdict[], nowMs: number): LockedHeartbeat {
  const newest = verdicts.at(-1);
  if (!newest) return heartbeat;
  const { revision } = heartbeat;
  return {
    ...heartbeat,
    owed: [...heartbeat.owed, ...verdicts.map((verdict) => ({ ...verdict, revision }))],
    owedMs: heartbeat.owedMs ?? nowMs + OWED_FOR_MS,
    lastVerdict: newest,
  };
}
