import { Injectable } from '@nestjs/common';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { Sql, Tx } from '../../platform/database/database';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import { foldTransitions, type Transition } from './alert-transition';
import type { DecidedTransition } from './incident';
import { IncidentRecorder } from './incident-recorder';

/** What one batch did to one endpoint. */
interface EndpointSteps {
  steps: StreakUpdate[];
  /** Longest streaks the batch reached; 0 when it had no such result. */
  failures: number;
  successes: number;
}

/** Turns recorded checks into alert transitions, inside the transaction that records the checks. */
@Injectable()
export class AlertEvaluator {
  constructor(private readonly incidents: IncidentRecorder) {}

  /**
   * Evaluates every alert the batch can change. The caller holds the `endpoint_state` rows of all its endpoints, which
   * keeps other batches away from the same alerts; edits of an alert wait for its row lock.
   *
   * Cost: with everything up one statement, a probe of the small partial index of open alerts. One more when something
   * failed. Three more, whatever their number, when alerts change.
   */
  async evaluate(tx: Tx, steps: readonly StreakUpdate[]): Promise<void> {
    const endpoints = byEndpoint(steps);
    const subjects = [...(await lockTriggerable(tx, endpoints)), ...(await lockResolvable(tx, endpoints))];
    const changes = subjects.map((subject) => ({
      subject,
      decided: foldTransitions(subject, endpoints.get(subject.endpointId)?.steps ?? []).map(({ transition, step }) =>
        decidedBy(transition, step),
      ),
      pinConfig: false,
    }));
    await this.incidents.record(tx, changes);
  }

  /** Of these endpoints those where one more failure would trigger an alert: a failure there is confirmed first. */
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

function byEndpoint(steps: readonly StreakUpdate[]): Map<string, EndpointSteps> {
  const endpoints = new Map<string, EndpointSteps>();
  for (const step of steps) {
    const known = endpoints.get(step.endpointId) ?? { steps: [], failures: 0, successes: 0 };
    known.steps.push(step);
    if (step.outcome === 'down') known.failures = Math.max(known.failures, step.consecutiveFailures);
    else known.successes = Math.max(known.successes, step.consecutiveSuccesses);
    endpoints.set(step.endpointId, known);
  }
  return endpoints;
}

/** Untriggered alerts whose threshold some failing result of the batch reaches. No statement when nothing failed. */
function lockTriggerable(tx: Tx, endpoints: ReadonlyMap<string, EndpointSteps>): Promise<AlertSnapshot[]> {
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

/** Triggered alerts whose threshold some good result of the batch reaches: nearly always none, found by `alert_open`. */
function lockResolvable(tx: Tx, endpoints: ReadonlyMap<string, EndpointSteps>): Promise<AlertSnapshot[]> {
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

const decidedBy = (transition: Transition, step: StreakUpdate): DecidedTransition => ({
  transition,
  reason: 'threshold',
  failureCount: step.consecutiveFailures,
  successCount: step.consecutiveSuccesses,
  at: step.checkedAt,
  failingSince: step.failingSince,
  error: transition === 'trigger' ? step.error : null,
  check: {
    checkedAt: step.checkedAt.toISOString(),
    durationMs: step.durationMs,
    statusCode: step.statusCode,
    address: step.address,
  },
});
