import type { HeartbeatSchedule } from '../endpoint/heartbeat/heartbeat-schedule';
import type { Sql } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import type { HeartbeatState, Run, Verdict } from './expectation';

/** A result that was committed together with its heartbeat but may not have been recorded as a check yet. */
export interface PendingVerdict extends Verdict {
  /** The revision of the endpoint when the result was decided. */
  revision: number;
}

export interface LockedHeartbeat {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
  schedule: HeartbeatSchedule;
  state: HeartbeatState;
  armed: boolean;
  lastPingMs: number | null;
  repeatMs: number | null;
  pending: readonly PendingVerdict[];
  pendingMs: number | null;
  lastVerdict: Verdict | null;
}

interface Row {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
  schedule: HeartbeatSchedule;
  active: boolean;
  armed: boolean;
  expectedMs: number | null;
  deadlineMs: number | null;
  overrunMs: number | null;
  repeatMs: number | null;
  lastPingMs: number | null;
  lastVerdictMs: number | null;
  pending: PendingVerdict[] | null;
  pendingMs: number | null;
  lastVerdict: Verdict | null;
  runs: Run[] | null;
}

// Cost: a lookup in four primary keys for each row. Only the narrow row is locked, so nothing else waits for a ping.
const LOCK = `
  SELECT h.endpoint_id AS "endpointId", e.key::text AS "endpointKey", e.org_id AS "orgId", e.revision, e.heartbeat AS schedule,
         (e.enabled AND w.enabled) AS active, h.armed, ${epochMs('h.expected_at')} AS "expectedMs", ${epochMs('h.deadline_at')} AS "deadlineMs",
         ${epochMs('h.overrun_at')} AS "overrunMs", ${epochMs('h.repeat_at')} AS "repeatMs", ${epochMs('h.last_ping_at')} AS "lastPingMs",
         ${epochMs('h.last_verdict_at')} AS "lastVerdictMs", h.pending, ${epochMs('h.pending_at')} AS "pendingMs", h.last_verdict AS "lastVerdict",
         (SELECT jsonb_agg(jsonb_build_object('id', r.run_id, 'startedMs', ${epochMs('r.started_at')},
                                              'overran', r.overran) ORDER BY r.started_at)
            FROM heartbeat_run r WHERE r.endpoint_id = h.endpoint_id) AS runs
    FROM heartbeat h JOIN endpoint e ON e.id = h.endpoint_id JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL`;

/**
 * Locks and returns the heartbeats that match a condition on `h`, `e`, and `w`. `tail` contains the order, the limit,
 * and how to wait for locks.
 */
export async function lockHeartbeats(
  sql: Sql,
  condition: string,
  parameters: readonly unknown[],
  { tail = '', wait = '' }: { tail?: string; wait?: 'SKIP LOCKED' | '' } = {},
): Promise<LockedHeartbeat[]> {
  const rows = await sql.query<Row>(`${LOCK} WHERE ${condition} ${tail} FOR UPDATE OF h ${wait}`, parameters);
  return rows.map(({ active, expectedMs, deadlineMs, overrunMs, lastVerdictMs, runs, pending, ...row }) => ({
    ...row,
    pending: pending ?? [],
    state: { active, expectedMs, deadlineMs, overrunMs, lastVerdictMs, runs: runs ?? [] },
  }));
}

const at = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

// Cost: one update per row, which moves the row in the partial index of due heartbeats.
const STORE = `
  UPDATE heartbeat h
     SET expected_at = r.expected_at, deadline_at = r.deadline_at, overrun_at = r.overrun_at, repeat_at = r.repeat_at,
         last_ping_at = r.last_ping_at, last_verdict_at = r.last_verdict_at, last_verdict = r.last_verdict,
         pending = r.pending, pending_at = r.pending_at
    FROM jsonb_to_recordset($1::jsonb) AS r (endpoint_id uuid, expected_at timestamptz, deadline_at timestamptz,
           overrun_at timestamptz, repeat_at timestamptz, last_ping_at timestamptz, last_verdict_at timestamptz,
           last_verdict jsonb, pending jsonb, pending_at timestamptz)
   WHERE h.endpoint_id = r.endpoint_id`;

// Deletes the runs and inserts them again. There are at most a hundred, and nearly always one.
const FORGET_RUNS = 'DELETE FROM heartbeat_run WHERE endpoint_id = ANY ($1::uuid[])';
const KEEP_RUNS = `
  INSERT INTO heartbeat_run (endpoint_id, run_id, started_at, overran)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (endpoint_id uuid, run_id uuid, started_at timestamptz, overran boolean)`;

/** A locked heartbeat before and after a decision. */
export interface Stored {
  before: LockedHeartbeat;
  after: LockedHeartbeat;
}

/** Stores the decisions about locked heartbeats. Cost: one statement, and two more if runs have changed. */
export async function storeHeartbeats(sql: Sql, changes: readonly Stored[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ after }) => ({
    endpoint_id: after.endpointId,
    expected_at: at(after.state.expectedMs),
    deadline_at: at(after.state.deadlineMs),
    overrun_at: at(after.state.overrunMs),
    repeat_at: at(after.repeatMs),
    last_ping_at: at(after.lastPingMs),
    last_verdict_at: at(after.state.lastVerdictMs),
    last_verdict: after.lastVerdict,
    pending: after.pending.length > 0 ? after.pending : null,
    pending_at: at(after.pendingMs),
  }));
  await sql.query(STORE, [JSON.stringify(rows)]);
  const changed = changes.filter(({ before, after }) => before.state.runs !== after.state.runs);
  const runs = changed.flatMap(({ after }) =>
    after.state.runs.map(({ id, startedMs, overran }) => ({
      endpoint_id: after.endpointId,
      run_id: id,
      started_at: at(startedMs),
      overran,
    })),
  );
  const hadRuns = changed.filter(({ before }) => before.state.runs.length > 0);
  if (hadRuns.length > 0) await sql.query(FORGET_RUNS, [hadRuns.map(({ after }) => after.endpointId)]);
  if (runs.length > 0) await sql.query(KEEP_RUNS, [JSON.stringify(runs)]);
}

// Uses only the row itself. Joined rows would be from before the wait for the lock, without decisions that other
// transactions made in the meantime.
const LEFT = `nullif(jsonb_path_query_array(h.pending, '$[*] ? (!(@.atMs == $at[*]))', jsonb_build_object('at', r.at_ms)), '[]')`;

// Cost: one update per row.
const SETTLE = `
  UPDATE heartbeat h SET pending = ${LEFT}, pending_at = CASE WHEN ${LEFT} IS NOT NULL THEN h.pending_at END
    FROM jsonb_to_recordset($1::jsonb) AS r (endpoint_id uuid, at_ms jsonb)
   WHERE h.endpoint_id = r.endpoint_id AND h.pending IS NOT NULL`;

/** Removes the results with these times from the pending ones, because they have been recorded. */
export async function settle(sql: Sql, settled: readonly { endpointId: string; atMs: readonly number[] }[]) {
  const rows = settled.map(({ endpointId, atMs }) => ({ endpoint_id: endpointId, at_ms: atMs }));
  await sql.query(SETTLE, [JSON.stringify(rows)]);
}
