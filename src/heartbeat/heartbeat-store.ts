import type { HeartbeatSchedule } from '../endpoint/heartbeat/heartbeat-schedule';
import type { Sql } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import { rowsOf } from '../platform/database/rows-of';
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

const DECIDED = rowsOf<Stored>({
  endpoint_id: ['uuid', ({ after }) => after.endpointId],
  expected_at: ['timestamptz', ({ after }) => at(after.state.expectedMs)],
  deadline_at: ['timestamptz', ({ after }) => at(after.state.deadlineMs)],
  overrun_at: ['timestamptz', ({ after }) => at(after.state.overrunMs)],
  repeat_at: ['timestamptz', ({ after }) => at(after.repeatMs)],
  last_ping_at: ['timestamptz', ({ after }) => at(after.lastPingMs)],
  last_verdict_at: ['timestamptz', ({ after }) => at(after.state.lastVerdictMs)],
  last_verdict: ['jsonb', ({ after }) => after.lastVerdict && JSON.stringify(after.lastVerdict)],
  pending: ['jsonb', ({ after }) => (after.pending.length > 0 ? JSON.stringify(after.pending) : null)],
  pending_at: ['timestamptz', ({ after }) => at(after.pendingMs)],
});

// Cost: one update per row, which moves the row in the partial index of due heartbeats.
const STORE = `
  UPDATE heartbeat h
     SET expected_at = r.expected_at, deadline_at = r.deadline_at, overrun_at = r.overrun_at, repeat_at = r.repeat_at,
         last_ping_at = r.last_ping_at, last_verdict_at = r.last_verdict_at, last_verdict = r.last_verdict,
         pending = r.pending, pending_at = r.pending_at
    FROM ${DECIDED.as('r')} WHERE h.endpoint_id = r.endpoint_id`;

// Deletes the runs and inserts them again. There are at most a hundred, and nearly always one.
const FORGET_RUNS = 'DELETE FROM heartbeat_run WHERE endpoint_id = ANY ($1::uuid[])';
const RUNS = rowsOf<Run & { endpointId: string }>({
  endpoint_id: ['uuid', ({ endpointId }) => endpointId],
  run_id: ['uuid', ({ id }) => id],
  started_at: ['timestamptz', ({ startedMs }) => at(startedMs)],
  overran: ['boolean', ({ overran }) => overran],
});
const KEEP_RUNS = `INSERT INTO heartbeat_run (${RUNS.names}) SELECT * FROM ${RUNS.as('r')}`;

/** A locked heartbeat before and after a decision. */
export interface Stored {
  before: LockedHeartbeat;
  after: LockedHeartbeat;
}

/** Stores the decisions about locked heartbeats. Cost: one statement, and two more if runs have changed. */
export async function storeHeartbeats(sql: Sql, changes: readonly Stored[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(STORE, DECIDED.of(changes));
  const changed = changes.filter(({ before, after }) => before.state.runs !== after.state.runs);
  const runs = changed.flatMap(({ after: { endpointId, state } }) => state.runs.map((run) => ({ ...run, endpointId })));
  const hadRuns = changed.filter(({ before }) => before.state.runs.length > 0);
  if (hadRuns.length > 0) await sql.query(FORGET_RUNS, [hadRuns.map(({ after }) => after.endpointId)]);
  if (runs.length > 0) await sql.query(KEEP_RUNS, RUNS.of(runs));
}

// Uses only the row itself. Joined rows would be from before the wait for the lock, without decisions that other
// transactions made in the meantime.
const LEFT = `nullif(jsonb_path_query_array(h.pending, '$[*] ? (!(@.atMs == $at[*]))', jsonb_build_object('at', r.at_ms)), '[]')`;

interface Settled {
  endpointId: string;
  atMs: readonly number[];
}

const SETTLED = rowsOf<Settled>({
  endpoint_id: ['uuid', ({ endpointId }) => endpointId],
  at_ms: ['jsonb', ({ atMs }) => JSON.stringify(atMs)],
});

// Cost: one update per row.
const SETTLE = `
  UPDATE heartbeat h SET pending = ${LEFT}, pending_at = CASE WHEN ${LEFT} IS NOT NULL THEN h.pending_at END
    FROM ${SETTLED.as('r')}
   WHERE h.endpoint_id = r.endpoint_id AND h.pending IS NOT NULL`;

/** Removes the results with these times from the pending ones, because they have been recorded. */
export async function settle(sql: Sql, settled: readonly Settled[]): Promise<void> {
  await sql.query(SETTLE, SETTLED.of(settled));
}
