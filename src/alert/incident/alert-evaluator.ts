import { Injectable } from '@nestjs/common';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { Sql, Tx } from '../../platform/database/database';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import { foldTransitions, type Transition } from './alert-transition';
import type { DecidedTransition } from './incident';
import { IncidentRecorder } from './incident-recorder';

/** What one batch did to one endpoint. */
interface EndpointUpdates {
  updates: StreakUpdate[];
  /** The longest streaks that the batch reached; 0 when it had no such result. */
  failures: number;
  successes: number;
}

/** Turns recorded checks into alert transitions, inside the transaction that records the checks. */
@Injectable()
export class AlertEvaluator {
  constructor(private readonly incidents: IncidentRecorder) {}

  /**
   * Evaluates every alert that the batch can change. The caller holds the `endpoint_state` rows of all its endpoints,
   * which keeps other batches off the same alerts; edits of an alert wait for its row lock.
   *
   * Cost: with everything up one statement, a probe of the small partial index of open alerts. One more when something
   * failed. Three more, whatever their number, when alerts change.
   */
  async evaluate(tx: Tx, updates: readonly StreakUpdate[]): Promise<void> {
    const endpoints = byEndpoint(updates);
    const alerts = [...(await lockTriggerable(tx, endpoints)), ...(await lockResolvable(tx, endpoints))];
    const changes = alerts.map((alert) => ({
      alert,
      decided: foldTransitions(alert, endpoints.get(alert.endpointId)?.updates ?? []).map(({ transition, update }) =>
        decidedBy(transition, update),
      ),
      pinConfig: false,
    }));
    await this.incidents.record(tx, changes);
  }

  /**
   * How many alerts a failure of one of `failing`, or a success of one of `succeeding`, may change at most; endpoints
   * without any are absent. Probes two indexes, the second of which nearly always finds nothing.
   */
  async atStake(sql: Sql, failing: readonly string[], succeeding: readonly string[]): Promise<Map<string, number>> {
    const rows = await sql.query<{ id: string; count: number }>(AT_STAKE, [
      `{${failing.join(',')}}`,
      `{${succeeding.join(',')}}`,
    ]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Those of these endpoints where one more failure would trigger an alert: a failure there is confirmed first. */
  async nearTrigger(sql: Sql, endpointIds: readonly string[]): Promise<Set<string>> {
    if (endpointIds.length === 0) return new Set();
    const rows = await sql.query<{ id: string }>(
      `SELECT DISTINCT a.endpoint_id AS id
       FROM alert a JOIN endpoint_state s ON s.endpoint_id = a.endpoint_id
       WHERE a.endpoint_id = ANY ($1::uuid[]) AND a.enabled AND NOT a.triggered
         AND a.failure_threshold <= s.consecutive_failures + 1`,
      [endpointIds],
    );
    return new Set(rows.map(({ id }) => id));
  }
}

const AT_STAKE = `
  SELECT endpoint_id AS id, count(*)::int AS count FROM (
    SELECT endpoint_id FROM alert WHERE endpoint_id = ANY ($1::uuid[]) AND enabled AND NOT triggered
    UNION ALL
    SELECT endpoint_id FROM alert WHERE endpoint_id = ANY ($2::uuid[]) AND triggered
  ) AS may_change GROUP BY endpoint_id`;

function byEndpoint(updates: readonly StreakUpdate[]): Map<string, EndpointUpdates> {
  const endpoints = new Map<string, EndpointUpdates>();
  for (const update of updates) {
    const known = endpoints.get(update.endpointId) ?? { updates: [], failures: 0, successes: 0 };
    known.updates.push(update);
    if (update.outcome === 'down') known.failures = Math.max(known.failures, update.consecutiveFailures);
    else known.successes = Math.max(known.successes, update.consecutiveSuccesses);
    endpoints.set(update.endpointId, known);
  }
  return endpoints;
}

/** Alerts without an incident whose threshold a failing result of the batch reaches. No statement when nothing failed. */
function lockTriggerable(tx: Tx, endpoints: ReadonlyMap<string, EndpointUpdates>): Promise<AlertSnapshot[]> {
  const failing = [...endpoints].filter(([, { failures }]) => failures > 0);
  if (failing.length === 0) return Promise.resolve([]);
  return tx.query<AlertSnapshot>(
    lockAlertsSql(
      'a.endpoint_id = b.endpoint_id AND a.enabled AND NOT a.triggered AND a.failure_threshold <= b.streak',
      'unnest($1::uuid[], $2::int[]) AS b (endpoint_id, streak),',
    ),
    [failing.map(([id]) => id), failing.map(([, { failures }]) => failures)],
  );
}

/** Triggered alerts whose threshold a good result of the batch reaches: nearly always none, found by `alert_open`. */
function lockResolvable(tx: Tx, endpoints: ReadonlyMap<string, EndpointUpdates>): Promise<AlertSnapshot[]> {
  const succeeding = [...endpoints].filter(([, { successes }]) => successes > 0);
  if (succeeding.length === 0) return Promise.resolve([]);
  return tx.query<AlertSnapshot>(
    lockAlertsSql(
      'a.endpoint_id = b.endpoint_id AND a.triggered AND a.success_threshold <= b.streak',
      'unnest($1::uuid[], $2::int[]) AS b (endpoint_id, streak),',
    ),
    [succeeding.map(([id]) => id), succeeding.map(([, { successes }]) => successes)],
  );
}

const decidedBy = (transition: Transition, update: StreakUpdate): DecidedTransition => ({
  transition,
  reason: 'threshold',
  failureCount: update.consecutiveFailures,
  successCount: update.consecutiveSuccesses,
  at: update.checkedAt,
  failingSince: update.failingSince,
  error: transition === 'trigger' ? update.error : null,
  check: {
    checkedAt: update.checkedAt.toISOString(),
    durationMs: update.durationMs,
    statusCode: update.statusCode,
    address: update.address,
  },
});
