import { Injectable } from '@nestjs/common';
import { type FinishedCheck, LOCAL } from '../engine/finished-check';
import { OUTCOME_CODE } from '../endpoint/outcome-code';
import { CheckRecorder } from '../monitoring/record/check-recorder';
import type { Sql } from '../platform/database/database';
import { failpoint } from '../platform/observability/failpoints';
import { type LockedHeartbeat, type PendingVerdict, settle } from './heartbeat-store';
import type { Verdict } from './expectation';

/** The heartbeat that the results belong to. */
type Owner = Pick<LockedHeartbeat, 'endpointId' | 'endpointKey' | 'orgId'>;

export interface ToRecord extends Owner {
  verdicts: readonly PendingVerdict[];
}

/** How long after a decision another process may record its results. */
export const PENDING_FOR_MS = 30_000;

/**
 * The maximum duration that a check can store, because it is an integer in microseconds. The pings contain exact times.
 */
const MAX_DURATION_MS = 2_147_483.647;

// An alert rule with `after` needs a check once that time has passed, and the job may not send another ping soon. Cost:
// the alerts of each heartbeat that is down.
const REPEAT = `
  UPDATE heartbeat h SET repeat_at = LEAST(h.repeat_at, due.at)
    FROM (SELECT s.endpoint_id, min(coalesce(s.failing_unmuted_since, s.failing_since) + make_interval(secs => a.after_seconds)) AS at
            FROM endpoint_state s JOIN alert a ON a.endpoint_id = s.endpoint_id
           WHERE s.endpoint_id = ANY ($1::uuid[]) AND s.status = ${OUTCOME_CODE.down} AND a.enabled AND NOT a.triggered
             AND a.after_seconds > 0
             AND coalesce(s.failing_unmuted_since, s.failing_since) + make_interval(secs => a.after_seconds) > s.last_checked_at
           GROUP BY s.endpoint_id) due
   WHERE h.endpoint_id = due.endpoint_id`;

/** Records heartbeat results as checks, like the results of a checker. */
@Injectable()
export class VerdictRecorder {
  constructor(private readonly recorder: CheckRecorder) {}

  /**
   * Resolves when all results are committed and no longer pending. `all` must contain all pending results of a
   * heartbeat, oldest first. Several instances may record the same results at the same time. A result that isn't newer
   * than the newest recorded one has already been recorded. Results for deleted endpoints are dropped.
   */
  async record(sql: Sql, all: readonly ToRecord[]): Promise<void> {
    const some = all.filter(({ verdicts }) => verdicts.length > 0);
    if (some.length === 0) return;
    const checks = some.flatMap((owner) => owner.verdicts.map((verdict) => checkOf(owner, verdict)));
    await Promise.all(checks.map((check) => this.recorder.record(check)));
    await failpoint('heartbeat.recorded');
    const down = some.filter(({ verdicts }) => verdicts.some(({ outcome }) => outcome === 'down'));
    if (down.length > 0) await sql.query(REPEAT, [down.map(({ endpointId }) => endpointId)]);
    await settle(
      sql,
      some.map(({ endpointId, verdicts }) => ({ endpointId, atMs: verdicts.map(({ atMs }) => atMs) })),
    );
  }
}

const NO_PHASES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };

/**
 * When the check is recorded, dependencies are evaluated using the parent's newest result. The parent can't be checked
 * first.
 */
function checkOf({ endpointId, endpointKey, orgId }: Owner, verdict: PendingVerdict): FinishedCheck {
  return {
    endpointId,
    endpointKey,
    orgId,
    location: LOCAL,
    revision: verdict.revision,
    slotMs: verdict.atMs,
    checkedAt: new Date(verdict.atMs),
    result: {
      outcome: verdict.outcome,
      durationMs: verdict.durationMs === null ? null : Math.min(verdict.durationMs, MAX_DURATION_MS),
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

/** Appends the results of a decision to the pending ones. They count as pending from `nowMs` on. */
export function withPending(heartbeat: LockedHeartbeat, verdicts: readonly Verdict[], nowMs: number): LockedHeartbeat {
  const newest = verdicts.at(-1);
  if (!newest) return heartbeat;
  const { revision } = heartbeat;
  return {
    ...heartbeat,
    pending: [...heartbeat.pending, ...verdicts.map((verdict) => ({ ...verdict, revision }))],
    pendingMs: heartbeat.pendingMs ?? nowMs + PENDING_FOR_MS,
    lastVerdict: newest,
  };
}
