import type { Outcome } from '../../checker/checker';
import type { AlertCondition, StoredRule } from '../../alert-rule/alert-rule';
import type { StreakUpdate } from '../../endpoint/streak-update';
import { rowsOf } from '../../platform/database/rows-of';
import { SECOND_MS } from '../../platform/time/time-units';
import { type SuppressedBy, suppressedBy, type SuppressionFacts } from '../suppression/suppressed-by';

/** The alert fields that decide whether it changes. */
export interface AlertRule extends Pick<
  StoredRule,
  'condition' | 'failureThreshold' | 'afterSeconds' | 'successThreshold'
> {
  enabled: boolean;
  triggered: boolean;
}

/**
 * The fields of a `StreakUpdate` that matter for the decision. They also cover `unknown` results, which create no
 * update.
 */
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

/** The change to an alert: a trigger opens an episode, and a resolve closes it. */
export type Transition = 'trigger' | 'resolve';

/** How a check counts for alerts with a given condition, with the streaks that matter for them. */
export interface Judged {
  isBad: boolean;
  isGood: boolean;
  /** The number of consecutive checks that were bad, including this one. */
  bad: number;
  good: number;
  /**
   * How long the endpoint has been bad at the time of this check, in milliseconds, excluding muted time. 0 if the check
   * isn't bad.
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

/** Returns 0 if the time isn't set or is in the future. */
const lengthMs = (since: Date | null, at: Date): number =>
  since === null ? 0 : Math.max(0, at.getTime() - since.getTime());

/** Returns whether a check is bad and reaches the threshold and the delay. `REACHES_TRIGGER` is the same in SQL. */
const reachesTrigger = (rule: AlertRule, { isBad, bad, badForMs }: Judged): boolean =>
  isBad && bad >= rule.failureThreshold && badForMs >= rule.afterSeconds * SECOND_MS;

/** The streaks at a check that is bad, including that check, and their length in whole seconds. 0 if not counted. */
export interface BadStreaks {
  endpointId: string;
  failures: number;
  bad: number;
  failingFor: number;
  badFor: number;
}

/** Rows `b`, whose parameters must be the first ones of the statement. */
export const BAD_STREAKS = rowsOf<BadStreaks>({
  endpoint_id: ['uuid', ({ endpointId }) => endpointId],
  failures: ['int', ({ failures }) => failures],
  bad: ['int', ({ bad }) => bad],
  failing_for: ['int', ({ failingFor }) => failingFor],
  bad_for: ['int', ({ badFor }) => badFor],
});

/**
 * SQL condition: enabled alerts `a` without an episode whose threshold and delay are reached by the streaks `b`, like
 * `reachesTrigger`. `$1` is the list of endpoints in `b`. Cost: one index scan for each endpoint. With the join alone,
 * the planner would read all of 20,000 alerts to find 200.
 */
export const REACHES_TRIGGER = `a.endpoint_id = b.endpoint_id AND a.endpoint_id = ANY ($1::uuid[]) AND a.enabled AND NOT a.triggered
       AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN b.bad ELSE b.failures END
       AND a.after_seconds <= CASE a.condition WHEN 'degraded' THEN b.bad_for ELSE b.failing_for END`;

/**
 * Returns how one check changes one alert that isn't suppressed. A streak at or above the threshold counts with every
 * new result, not only when it reaches the threshold. So a lowered threshold, a new rule, a re-enabled rule, or the end
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

/** The known facts about an endpoint in a batch, in addition to its updates. */
export interface EndpointFacts extends SuppressionFacts {
  /** The number of the endpoint's alerts that have an open episode and can't be closed by any update in the batch. */
  openElsewhere: number;
}

/** The effect of a batch on one endpoint's alerts. */
export interface Folded<Alert, Update> {
  /** The changes, in order for each alert. There is nearly always at most one for each alert. */
  passed: { alert: Alert; transition: Transition; update: Update }[];
  /** The reasons for suppressed triggers, one for each alert and check that would have triggered. */
  suppressed: SuppressedBy[];
  /**
   * Whether the acknowledgement ended with one of the updates, because the endpoint was up and had no triggered alert.
   */
  isAcknowledgementOver: boolean;
}

/**
 * Returns how a batch of updates changes one endpoint's alerts, in order, as if each update had arrived separately. An
 * acknowledgement that ends with one update suppresses nothing after it. A resolve is never suppressed.
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
