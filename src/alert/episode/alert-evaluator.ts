import { Injectable } from '@nestjs/common';
import { silentAfterSql } from '../../endpoint/verdict';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { Sql, Tx } from '../../platform/database/database';
import { SECOND_MS } from '../../platform/time/time-units';
import { AlertMetrics } from '../alert.metrics';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import {
  type AlertRule,
  BAD_STREAKS,
  type BadStreaks,
  type Folded,
  foldTransitions,
  judgedBy,
  REACHES_TRIGGER,
  type Transition,
} from './alert-transition';
import { NOTHING_KNOWN, suppressedBy } from '../suppression/suppressed-by';
import { endAcknowledgements, endOverAcknowledgements, readSuppression } from '../suppression/suppression-queries';
import type { DecidedTransition } from './episode';
import { EpisodeRecorder } from './episode-recorder';

interface EndpointUpdates {
  updates: StreakUpdate[];
  /** The longest streaks in the batch that may trigger or resolve an alert, or 0 if there was no such result. */
  failures: number;
  successes: number;
  bad: number;
  good: number;
  /** The longest time that the endpoint had been down, and the longest time it had been bad, in milliseconds. */
  failingMs: number;
  badMs: number;
  /** Whether the endpoint came up, so that its acknowledgement may end. */
  isRecovered: boolean;
}

/** Turns recorded checks into triggers and resolves, inside the transaction that records the checks. */
@Injectable()
export class AlertEvaluator {
  constructor(
    private readonly episodes: EpisodeRecorder,
    private readonly metrics: AlertMetrics,
  ) {}

  /**
   * Evaluates every alert that the batch can change. The caller must have locked the `endpoint_state` rows of all its
   * endpoints, as they are after the batch. This prevents other batches from changing the same alerts, and edits to an
   * alert wait for its row lock. Returns the endpoints that came up and have dependents.
   * Cost: one statement while everything is up, which is a lookup in the small partial index of open alerts. One more
   * if a result was bad outside of maintenance. One more if an alert may change or an endpoint came up. If alerts
   * change, three more, regardless of the number of alerts, and the statements of `IncidentRecorder`. Two more if an
   * acknowledgement ends.
   */
  async evaluate(tx: Tx, updates: readonly StreakUpdate[]): Promise<string[]> {
    const endpoints = byEndpoint(updates);
    const alerts = byEndpointId([...(await lockTriggerable(tx, endpoints)), ...(await lockResolvable(tx, endpoints))]);
    const affected = [...endpoints].filter(
      ([id, { isRecovered, updates: own }]) => isRecovered || mayChange(alerts.get(id) ?? [], own),
    );
    const known = await readSuppression(
      tx,
      affected.map(([id]) => id),
    );
    const folded = affected.map(([id, { updates: own }]) => {
      const locked = alerts.get(id) ?? [];
      const { triggered, held, ...facts } = known.get(id) ?? { triggered: [], held: false, ...NOTHING_KNOWN };
      const wasParentDown = own.some((update) => update.isParentDown === true);
      const openElsewhere = triggered.filter((open) => !locked.some((alert) => alert.id === open)).length;
      return {
        id,
        orgId: own[0]?.orgId ?? '',
        locked,
        wellSince: held ? upSince(own.at(-1)) : null,
        isUp: own.at(-1)?.outcome === 'up',
        isAcknowledged: facts.acknowledgedUntil !== undefined,
        ...foldTransitions(locked, own, {
          ...facts,
          isParentDown: facts.isParentDown || wasParentDown,
          openElsewhere,
        }),
      };
    });
    const heldNow = await this.episodes.record(
      tx,
      folded.flatMap(({ locked, passed }) => changesOf(locked, passed)),
      folded.flatMap(({ id, orgId, wellSince }) => (wellSince ? [{ orgId, endpointId: id, at: wellSince }] : [])),
    );
    await endAcknowledgements(
      tx,
      folded.filter((one) => one.isAcknowledgementOver).map(({ id }) => id),
    );
    await endOverAcknowledgements(
      tx,
      folded.filter((one) => one.isAcknowledged && one.isUp && !one.isAcknowledgementOver).map(({ id }) => id),
    );
    const suppressed = folded.flatMap((one) => [
      ...one.suppressed,
      ...(heldNow.has(one.id)
        ? one.passed.flatMap(({ transition }) => (transition === 'trigger' ? ['acknowledged' as const] : []))
        : []),
    ]);
    if (suppressed.length > 0) tx.afterCommit(() => suppressed.forEach((reason) => this.metrics.suppressed(reason)));
    return affected.flatMap(([id, { isRecovered }]) => (isRecovered && known.get(id)?.isParent === true ? id : []));
  }

  /**
   * Returns the maximum number of alerts that may be changed by a failure in `failing`, a success in `succeeding`, or a
   * warning in `degraded`. Endpoints without alerts are absent. Cost: lookups in two indexes, the second of which
   * nearly always finds nothing.
   */
  async alertsAffected(
    sql: Sql,
    failing: readonly string[],
    succeeding: readonly string[],
    degraded: readonly string[] = [],
  ): Promise<Map<string, number>> {
    const streaks = [
      ...failing.map((endpointId) => ({ ...ANY_STREAK, endpointId })),
      ...degraded.map((endpointId) => ({ ...ANY_STREAK, endpointId, failures: 0, failingFor: 0 })),
    ];
    const rows = await sql.query<{ id: string; count: number }>(ALERTS_AFFECTED, [
      ...BAD_STREAKS.of(streaks),
      succeeding,
    ]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /**
   * Returns the endpoints where one of these failures would trigger an alert, so that it has to be confirmed first. The
   * value is whether its location's vote is enough. A failure before the end of the alert's delay doesn't trigger, so
   * failures during a long delay aren't confirmed each time. `location` defaults to 0.
   */
  async nearTrigger(
    sql: Sql,
    failures: readonly { endpointId: string; checkedAt: Date; location?: number }[],
  ): Promise<Map<string, boolean>> {
    if (failures.length === 0) return new Map();
    const rows = await sql.query<{ id: string; isEnough: boolean }>(NEAR_TRIGGER, [
      failures.map(({ endpointId }) => endpointId),
      failures.map(({ checkedAt }) => checkedAt),
      failures.map(({ location }) => location ?? 0),
    ]);
    return new Map(rows.map(({ id, isEnough }) => [id, isEnough]));
  }
}

// A muted streak has no start time. A failure that is so late that its location counts as silent triggers nothing.
// Cost: for each failure, its endpoint's alerts by index, the endpoint's state, and the location's state.
const NEAR_TRIGGER = `
  SELECT DISTINCT a.endpoint_id AS id, b.is_enough AS "isEnough"
  FROM (SELECT f.endpoint_id, coalesce(l.failures, s.consecutive_failures) + 1 AS failures, coalesce(l.bad, s.consecutive_bad) + 1 AS bad,
               greatest(0, extract(epoch FROM f.checked_at - s.failing_unmuted_since)) AS failing_for,
               greatest(0, extract(epoch FROM f.checked_at - s.bad_unmuted_since)) AS bad_for,
               l.number IS NULL OR e.location_count = 1 OR e.quorum IN ('any', '1') AS is_enough
          FROM unnest($1::uuid[], $2::timestamptz[], $3::smallint[]) AS f (endpoint_id, checked_at, number)
          JOIN endpoint_state s ON s.endpoint_id = f.endpoint_id
          LEFT JOIN (endpoint_location l JOIN endpoint e ON e.id = l.endpoint_id) ON l.endpoint_id = f.endpoint_id AND l.number = f.number
         WHERE l.number IS NULL OR f.checked_at >= now() - ${silentAfterSql('e')}) b
  JOIN alert a ON ${REACHES_TRIGGER}`;

const upSince = (update: StreakUpdate | undefined): Date | null =>
  update?.outcome === 'up' ? (update.upSince ?? update.checkedAt) : null;

/** The maximum of an integer column. No threshold or delay is longer. */
const LONGEST = 2 ** 31 - 1;
const ANY_STREAK = { failures: LONGEST, bad: LONGEST, failingFor: LONGEST, badFor: LONGEST };

const ALERTS_AFFECTED = `
  SELECT id, count(*)::int AS count FROM (
    SELECT a.endpoint_id AS id FROM ${BAD_STREAKS.as('b')} JOIN alert a ON ${REACHES_TRIGGER}
    UNION ALL
    SELECT endpoint_id FROM alert WHERE endpoint_id = ANY ($6::uuid[]) AND triggered
  ) AS may_change GROUP BY id`;

function byEndpoint(updates: readonly StreakUpdate[]): Map<string, EndpointUpdates> {
  const endpoints = new Map<string, EndpointUpdates>();
  for (const update of updates) {
    const known = endpoints.get(update.endpointId) ?? NONE();
    known.updates.push(update);
    const [down, degraded] = [judgedBy('down', update), judgedBy('degraded', update)];
    if (suppressedBy(update) === null) {
      if (down.isBad) known.failures = Math.max(known.failures, down.bad);
      if (degraded.isBad) known.bad = Math.max(known.bad, degraded.bad);
      known.failingMs = Math.max(known.failingMs, down.badForMs);
      known.badMs = Math.max(known.badMs, degraded.badForMs);
    }
    if (down.isGood) known.successes = Math.max(known.successes, down.good);
    if (degraded.isGood) known.good = Math.max(known.good, degraded.good);
    if (down.isGood && (down.good === 1 || isFirst(update))) known.isRecovered = true;
    endpoints.set(update.endpointId, known);
  }
  return endpoints;
}

/** With several locations, the streak that counts may already be long when the endpoint comes up. */
const isFirst = ({ locations, upSince: since, checkedAt }: StreakUpdate): boolean =>
  locations !== undefined && since?.getTime() === checkedAt.getTime();

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

/** Returns whether any alert would change if only the checks' marks counted. */
const mayChange = (alerts: readonly AlertSnapshot[], updates: readonly StreakUpdate[]): boolean =>
  foldTransitions(alerts, updates, FREE).passed.length > 0;

const FREE = { ...NOTHING_KNOWN, openElsewhere: 0 };

/**
 * Locks alerts without an episode if the batch reaches their threshold and delay. An alert that is still waiting for
 * its delay isn't locked at every failure. Cost: no statement if no result was bad.
 */
function lockTriggerable(tx: Tx, endpoints: ReadonlyMap<string, EndpointUpdates>): Promise<AlertSnapshot[]> {
  const bad = [...endpoints].flatMap(([endpointId, { failures, bad, failingMs, badMs }]): BadStreaks[] =>
    bad > 0 || failures > 0
      ? [{ endpointId, failures, bad, failingFor: wholeSeconds(failingMs), badFor: wholeSeconds(badMs) }]
      : [],
  );
  if (bad.length === 0) return Promise.resolve([]);
  return tx.query<AlertSnapshot>(lockAlertsSql(REACHES_TRIGGER, `${BAD_STREAKS.as('b')},`), BAD_STREAKS.of(bad));
}

const wholeSeconds = (ms: number): number => Math.min(LONGEST, Math.floor(ms / SECOND_MS));

/**
 * Locks triggered alerts if the batch reaches their threshold for resolving. There are nearly always none, as a lookup
 * in `alert_open` shows.
 */
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
    endedAt: alert.condition === 'degraded' ? update.goodSince : update.upSince,
    isDegraded: update.degraded,
    error: transition === 'trigger' ? (update.error ?? update.warning) : null,
    check: {
      checkedAt: update.checkedAt.toISOString(),
      durationMs: update.durationMs,
      statusCode: update.statusCode,
      address: update.address,
    },
    locations: update.locations,
  };
}
