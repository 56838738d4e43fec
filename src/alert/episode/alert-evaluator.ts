import { Injectable } from '@nestjs/common';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { Sql, Tx } from '../../platform/database/database';
import { SECOND_MS } from '../../platform/time/time-units';
import { AlertMetrics } from '../alert.metrics';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import { type AlertRule, type Folded, foldTransitions, judgedBy, type Transition } from './alert-transition';
import { endAcknowledgements, endOverAcknowledgements, readHeld } from './held-alerts';
import type { DecidedTransition } from './episode';
import { EpisodeRecorder } from './episode-recorder';

/** What one batch did to one endpoint. */
interface EndpointUpdates {
  updates: StreakUpdate[];
  /** The longest streaks that the batch reached and that may trigger or resolve; 0 when it had no such result. */
  failures: number;
  successes: number;
  bad: number;
  good: number;
  /** The longest times that a failure, and any bad result, had lasted; milliseconds. */
  failingMs: number;
  badMs: number;
  /** It came up: what somebody had in hand may be over. */
  isRecovered: boolean;
}

/** Turns recorded checks into alert transitions, inside the transaction that records the checks. */
@Injectable()
export class AlertEvaluator {
  constructor(
    private readonly episodes: EpisodeRecorder,
    private readonly metrics: AlertMetrics,
  ) {}

  /**
   * Evaluates every alert that the batch can change. The caller holds the `endpoint_state` rows of all its endpoints, as
   * they are after the batch, which keeps other batches off the same alerts; edits of an alert wait for its row lock.
   *
   * Cost: with everything up one statement, a probe of the small partial index of open alerts. One more when something
   * was bad outside of a quiet time. One more when an alert may change or an endpoint came up. Three more, whatever their
   * number, when alerts change; two when an acknowledgement ends.
   */
  async evaluate(tx: Tx, updates: readonly StreakUpdate[]): Promise<void> {
    const endpoints = byEndpoint(updates);
    const alerts = byEndpointId([...(await lockTriggerable(tx, endpoints)), ...(await lockResolvable(tx, endpoints))]);
    const affected = [...endpoints].filter(
      ([id, { isRecovered, updates: own }]) => isRecovered || mayChange(alerts.get(id) ?? [], own),
    );
    const held = await readHeld(
      tx,
      affected.map(([id]) => id),
    );
    const folded = affected.map(([id, { updates: own }]) => {
      const locked = alerts.get(id) ?? [];
      const { triggered = [], acknowledgedUntil, isParentDown = false, parentsUpSince } = held.get(id) ?? {};
      const wasParentDown = own.some((update) => update.isParentDown === true);
      const openElsewhere = triggered.filter((open) => !locked.some((alert) => alert.id === open)).length;
      return {
        id,
        locked,
        isUp: own.at(-1)?.outcome === 'up',
        isAcknowledged: acknowledgedUntil !== undefined,
        ...foldTransitions(locked, own, {
          acknowledgedUntil,
          isParentDown: isParentDown || wasParentDown,
          parentsUpSince,
          openElsewhere,
        }),
      };
    });
    await this.episodes.record(
      tx,
      folded.flatMap(({ locked, passed }) => changesOf(locked, passed)),
    );
    await endAcknowledgements(
      tx,
      folded.filter((one) => one.isAcknowledgementOver).map(({ id }) => id),
    );
    await endOverAcknowledgements(
      tx,
      folded.filter((one) => one.isAcknowledged && one.isUp && !one.isAcknowledgementOver).map(({ id }) => id),
    );
    const heldBack = folded.flatMap((one) => one.heldBack);
    if (heldBack.length > 0) tx.afterCommit(() => heldBack.forEach((reason) => this.metrics.heldBack(reason)));
  }

  /**
   * How many alerts a failure of one of `failing`, a success of one of `succeeding`, or a warning of one of `degraded` may
   * change at most; endpoints without any are absent. Probes two indexes, the second of which nearly always finds nothing.
   */
  async alertsAffected(
    sql: Sql,
    failing: readonly string[],
    succeeding: readonly string[],
    degraded: readonly string[] = [],
  ): Promise<Map<string, number>> {
    const rows = await sql.query<{ id: string; count: number }>(AT_STAKE, [
      `{${failing.join(',')}}`,
      `{${succeeding.join(',')}}`,
      `{${degraded.join(',')}}`,
    ]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /**
   * Those endpoints where one of these failures would trigger an alert: it is confirmed first. One that comes before the
   * alert's delay is over triggers nothing, so a long delay does not have each of its failures confirmed.
   */
  async nearTrigger(sql: Sql, failures: readonly { endpointId: string; checkedAt: Date }[]): Promise<Set<string>> {
    if (failures.length === 0) return new Set();
    const rows = await sql.query<{ id: string }>(NEAR_TRIGGER, [
      failures.map(({ endpointId }) => endpointId),
      failures.map(({ checkedAt }) => checkedAt),
    ]);
    return new Set(rows.map(({ id }) => id));
  }
}

// Cost: for each failure the alerts of its endpoint, by an index, and its state.
const NEAR_TRIGGER = `
  SELECT DISTINCT a.endpoint_id AS id
  FROM unnest($1::uuid[], $2::timestamptz[]) AS f (endpoint_id, checked_at)
  JOIN alert a ON a.endpoint_id = f.endpoint_id
  JOIN endpoint_state s ON s.endpoint_id = a.endpoint_id
  WHERE a.enabled AND NOT a.triggered
    AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN s.consecutive_bad ELSE s.consecutive_failures END + 1
    AND (a.after_seconds = 0 OR f.checked_at - a.after_seconds * interval '1 second' >=
         CASE a.condition WHEN 'degraded' THEN s.bad_unmuted_since ELSE s.failing_unmuted_since END)`;

const AT_STAKE = `
  SELECT endpoint_id AS id, count(*)::int AS count FROM (
    SELECT endpoint_id FROM alert WHERE endpoint_id = ANY ($1::uuid[]) AND enabled AND NOT triggered
    UNION ALL
    SELECT endpoint_id FROM alert WHERE endpoint_id = ANY ($2::uuid[]) AND triggered
    UNION ALL
    SELECT endpoint_id FROM alert
     WHERE endpoint_id = ANY ($3::uuid[]) AND enabled AND NOT triggered AND condition = 'degraded'
  ) AS may_change GROUP BY endpoint_id`;

function byEndpoint(updates: readonly StreakUpdate[]): Map<string, EndpointUpdates> {
  const endpoints = new Map<string, EndpointUpdates>();
  for (const update of updates) {
    const known = endpoints.get(update.endpointId) ?? NONE();
    known.updates.push(update);
    const [down, degraded] = [judgedBy('down', update), judgedBy('degraded', update)];
    if (update.quiet === null) {
      if (down.isBad) known.failures = Math.max(known.failures, down.bad);
      if (degraded.isBad) known.bad = Math.max(known.bad, degraded.bad);
      known.failingMs = Math.max(known.failingMs, down.badForMs);
      known.badMs = Math.max(known.badMs, degraded.badForMs);
    }
    if (down.isGood) known.successes = Math.max(known.successes, down.good);
    if (degraded.isGood) known.good = Math.max(known.good, degraded.good);
    if (down.isGood && down.good === 1) known.isRecovered = true;
    endpoints.set(update.endpointId, known);
  }
  return endpoints;
}

const NONE = (): EndpointUpdates => ({
  updates: [],
  failures: 0,
  successes: 0,
  bad: 0,
  good: 0,
  failingMs: 0,
  badMs: 0,
  isRecovered: false,
});

function byEndpointId(alerts: readonly AlertSnapshot[]): Map<string, AlertSnapshot[]> {
  const groups = new Map<string, AlertSnapshot[]>();
  for (const alert of alerts) {
    const group = groups.get(alert.endpointId);
    if (group) group.push(alert);
    else groups.set(alert.endpointId, [alert]);
  }
  return groups;
}

/** Whether any of the alerts would change if nothing held it back. */
const mayChange = (alerts: readonly AlertSnapshot[], updates: readonly StreakUpdate[]): boolean =>
  foldTransitions(alerts, updates, FREE).passed.length > 0;

const FREE = { acknowledgedUntil: undefined, isParentDown: false, openElsewhere: 0 };

/**
 * Alerts without an episode whose threshold and delay a bad result of the batch reaches: one that still waits for its delay
 * is not locked at every failure. No statement when none was bad.
 */
function lockTriggerable(tx: Tx, endpoints: ReadonlyMap<string, EndpointUpdates>): Promise<AlertSnapshot[]> {
  const bad = [...endpoints].filter((one) => one[1].bad > 0 || one[1].failures > 0);
  if (bad.length === 0) return Promise.resolve([]);
  return tx.query<AlertSnapshot>(
    lockAlertsSql(
      `a.endpoint_id = b.endpoint_id AND a.enabled AND NOT a.triggered
       AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN b.bad ELSE b.failures END
       AND a.after_seconds <= CASE a.condition WHEN 'degraded' THEN b.bad_for ELSE b.failing_for END`,
      'unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[]) AS b (endpoint_id, failures, bad, failing_for, bad_for),',
    ),
    [
      bad.map(([id]) => id),
      bad.map(([, { failures }]) => failures),
      bad.map((one) => one[1].bad),
      bad.map(([, { failingMs }]) => wholeSeconds(failingMs)),
      bad.map(([, { badMs }]) => wholeSeconds(badMs)),
    ],
  );
}

/** No delay is longer than what fits a column. */
const wholeSeconds = (ms: number): number => Math.min(2 ** 31 - 1, Math.floor(ms / SECOND_MS));

/** Triggered alerts whose threshold a good result of the batch reaches: nearly always none, found by `alert_open`. */
function lockResolvable(tx: Tx, endpoints: ReadonlyMap<string, EndpointUpdates>): Promise<AlertSnapshot[]> {
  const good = [...endpoints].filter(([, { successes }]) => successes > 0);
  if (good.length === 0) return Promise.resolve([]);
  return tx.query<AlertSnapshot>(
    lockAlertsSql(
      `a.endpoint_id = b.endpoint_id AND a.triggered
       AND a.success_threshold <= CASE a.condition WHEN 'degraded' THEN b.good ELSE b.successes END`,
      'unnest($1::uuid[], $2::int[], $3::int[]) AS b (endpoint_id, successes, good),',
    ),
    [good.map(([id]) => id), good.map(([, { successes }]) => successes), good.map((one) => one[1].good)],
  );
}

type Passed = Folded<AlertSnapshot, StreakUpdate>['passed'];

const changesOf = (alerts: readonly AlertSnapshot[], passed: Passed) =>
  alerts.map((alert) => ({
    alert,
    decided: passed
      .filter((one) => one.alert === alert)
      .map(({ transition, update }) => decidedBy(alert, transition, update)),
    pinned: null,
  }));

function decidedBy(alert: AlertRule, transition: Transition, update: StreakUpdate): DecidedTransition {
  const { bad, good } = judgedBy(alert.condition, update);
  return {
    transition,
    reason: 'threshold',
    failureCount: bad,
    successCount: good,
    at: update.checkedAt,
    failingSince: alert.condition === 'degraded' ? update.badSince : update.failingSince,
    isDegraded: update.degraded,
    error: transition === 'trigger' ? (update.error ?? update.warning) : null,
    check: {
      checkedAt: update.checkedAt.toISOString(),
      durationMs: update.durationMs,
      statusCode: update.statusCode,
      address: update.address,
    },
  };
}
