import type { Outcome } from '../../checker/checker';
import type { AlertCondition, StoredRule } from '../../alert-rule/alert-rule';
import type { StreakUpdate } from '../../endpoint/streak-update';
import { SECOND_MS } from '../../platform/time/time-units';
import { type SuppressedBy, suppressedBy, type SuppressionFacts } from '../suppression/suppressed-by';

/** The fields of an alert that decide whether it changes. */
export interface AlertRule extends Pick<
  StoredRule,
  'condition' | 'failureThreshold' | 'afterSeconds' | 'successThreshold'
> {
  enabled: boolean;
  triggered: boolean;
}

/** The fields of a `StreakUpdate` that decide. They also cover `unknown` results, which create no update. */
export type Streaks = Pick<
  StreakUpdate,
  | 'consecutiveFailures'
  | 'consecutiveSuccesses'
  | 'degraded'
  | 'consecutiveBad'
  | 'consecutiveGood'
  | 'failingSince'
  | 'badSince'
  | 'muted'
  | 'isLate'
  | 'checkedAt'
> & { outcome: Outcome };

/** A trigger opens an episode, and a resolve closes it. */
export type Transition = 'trigger' | 'resolve';

/** How a check counts for alerts with one condition, with the streaks that matter for them. */
export interface Judged {
  isBad: boolean;
  isGood: boolean;
  /** Number of consecutive checks that were bad, up to this one. */
  bad: number;
  good: number;
  /**
   * How long the endpoint has been bad at this check, in milliseconds, without muted time. 0 if the check isn't bad.
   */
  badForMs: number;
}

/** Returns how a check counts for a condition. An `unknown` check is neither bad nor good. */
export function judgedBy(condition: AlertCondition, streaks: Streaks): Judged {
  const { outcome, degraded, checkedAt, failingSince, badSince } = streaks;
  if (condition === 'down') {
    const isBad = outcome === 'down';
    return {
      isBad,
      isGood: outcome === 'up',
      bad: streaks.consecutiveFailures,
      good: streaks.consecutiveSuccesses,
      badForMs: isBad ? lengthMs(failingSince, checkedAt) : 0,
    };
  }
  const isBad = outcome === 'down' || (outcome === 'up' && degraded);
  return {
    isBad,
    isGood: outcome === 'up' && !degraded,
    bad: streaks.consecutiveBad,
    good: streaks.consecutiveGood,
    badForMs: isBad ? lengthMs(badSince, checkedAt) : 0,
  };
}

/** Returns 0 for a time that isn't set or is in the future. */
const lengthMs = (since: Date | null, at: Date): number =>
  since === null ? 0 : Math.max(0, at.getTime() - since.getTime());

/** Returns whether a check is bad and reaches the threshold and the delay. `REACHES_TRIGGER` is the same in SQL. */
const reachesTrigger = (rule: AlertRule, { isBad, bad, badForMs }: Judged): boolean =>
  isBad && bad >= rule.failureThreshold && badForMs >= rule.afterSeconds * SECOND_MS;

/**
 * The streaks at a check that is bad, including the check itself, and their length in whole seconds. 0 if they don't
 * count.
 */
export interface BadStreaks {
  endpointId: string;
  failures: number;
  bad: number;
  failingFor: number;
  badFor: number;
}

/** Rows `b` from the parameters of `badStreaks`, which are the first of the statement. */
export const BAD_STREAKS =
  'unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[]) AS b (endpoint_id, failures, bad, failing_for, bad_for)';

export const badStreaks = (streaks: readonly BadStreaks[]): unknown[] => [
  streaks.map(({ endpointId }) => endpointId),
  streaks.map(({ failures }) => failures),
  streaks.map(({ bad }) => bad),
  streaks.map(({ failingFor }) => failingFor),
  streaks.map(({ badFor }) => badFor),
];

/**
 * SQL condition: enabled alerts `a` without an episode whose threshold and delay are reached by the streaks `b`, like
 * `reachesTrigger`. `$1` is the list of endpoints in `b`. Cost: one index scan for each endpoint. With the join alone,
 * the planner would read all of 20,000 alerts for 200.
 */
export const REACHES_TRIGGER = `a.endpoint_id = b.endpoint_id AND a.endpoint_id = ANY ($1::uuid[]) AND a.enabled AND NOT a.triggered
       AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN b.bad ELSE b.failures END
       AND a.after_seconds <= CASE a.condition WHEN 'degraded' THEN b.bad_for ELSE b.failing_for END`;

/**
 * Returns how one check changes one alert that nothing suppresses. A streak at or over the threshold counts with every
 * new result, not only when it reaches the threshold. So a lowered threshold, a new rule, a re-enabled one, or the end
 * of a suppression needs no history. `afterSeconds` works the same way, in addition to the threshold. An alert triggers
 * only if the result is bad, and resolves only if it is good. `unknown` says nothing about the target and changes
 * nothing.
 */
export function nextTransition(rule: AlertRule, streaks: Streaks): Transition | null {
  if (!rule.enabled) return null;
  const judged = judgedBy(rule.condition, streaks);
  if (rule.triggered) return judged.isGood && judged.good >= rule.successThreshold ? 'resolve' : null;
  return reachesTrigger(rule, judged) ? 'trigger' : null;
}

/** The known facts about an endpoint of a batch, in addition to its updates. */
export interface EndpointFacts extends SuppressionFacts {
  /** Number of alerts of the endpoint with an open episode that no update of the batch can close. */
  openElsewhere: number;
}

/** The effect of a batch on the alerts of one endpoint. */
export interface Folded<Alert, Update> {
  /** The changes, in order for each alert. There is nearly always at most one for each alert. */
  passed: { alert: Alert; transition: Transition; update: Update }[];
  /** Reasons for suppressed triggers, one for each alert and check that would have triggered. */
  suppressed: SuppressedBy[];
  /**
   * Whether the acknowledgement ended with one of the updates: the endpoint was up, and no alert of it was triggered.
   */
  isAcknowledgementOver: boolean;
}

/**
 * Returns the changes of the alerts of one endpoint for a batch of updates, in order, as if each update had come alone.
 * An acknowledgement that ends with one update suppresses nothing after it. A resolve is never suppressed.
 */
export function foldTransitions<Alert extends AlertRule, Update extends Streaks>(
  alerts: readonly Alert[],
  updates: readonly Update[],
  facts: EndpointFacts,
): Folded<Alert, Update> {
  const folded: Folded<Alert, Update> = { passed: [], suppressed: [], isAcknowledgementOver: false };
  const triggered = new Map(alerts.map((alert) => [alert, alert.triggered]));
  let { acknowledgedUntil } = facts;
  for (const update of updates) {
    const reason = suppressedBy(update, { ...facts, acknowledgedUntil });
    for (const alert of alerts) {
      const transition = nextTransition({ ...alert, triggered: triggered.get(alert) === true }, update);
      if (transition === 'trigger' && reason !== null) folded.suppressed.push(reason);
      else if (transition !== null) {
        folded.passed.push({ alert, transition, update });
        triggered.set(alert, transition === 'trigger');
      }
    }
    const isAnyOpen = facts.openElsewhere > 0 || [...triggered.values()].includes(true);
    if (acknowledgedUntil !== undefined && update.outcome === 'up' && !isAnyOpen) {
      acknowledgedUntil = undefined;
      folded.isAcknowledgementOver = true;
    }
  }
  return folded;
}
