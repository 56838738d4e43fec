import type { Outcome } from '../../checker/checker';
import type { AlertCondition, StoredRule } from '../../alert-rule/alert-rule';
import type { StreakUpdate } from '../../endpoint/streak-update';
import { SECOND_MS } from '../../platform/time/time-units';
import { type SuppressedBy, suppressedBy, type SuppressionFacts } from '../suppression/suppressed-by';

/** What of an alert decides whether it changes. */
export interface AlertRule extends Pick<
  StoredRule,
  'condition' | 'failureThreshold' | 'afterSeconds' | 'successThreshold'
> {
  enabled: boolean;
  triggered: boolean;
}

/** What of a `StreakUpdate` decides; `unknown` results, which make no update, are covered as well. */
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

/** A trigger opens an episode, a resolve closes it. */
export type Transition = 'trigger' | 'resolve';

/** What a check is for alerts of one condition, with the streaks that count for them. */
export interface Judged {
  isBad: boolean;
  isGood: boolean;
  /** Consecutive bad checks up to this one. */
  bad: number;
  good: number;
  /** For how long it has been bad by this check, without what a mute covered, in milliseconds; 0 for one that is not bad. */
  badForMs: number;
}

/** What is bad for a condition. An `unknown` check is neither bad nor good. */
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

/** 0 for a time that has not begun, or lies ahead. */
const lengthMs = (since: Date | null, at: Date): number =>
  since === null ? 0 : Math.max(0, at.getTime() - since.getTime());

/** Whether a bad check reaches threshold and delay. `REACHES_TRIGGER` says the same in SQL. */
const reachesTrigger = (rule: AlertRule, { isBad, bad, badForMs }: Judged): boolean =>
  isBad && bad >= rule.failureThreshold && badForMs >= rule.afterSeconds * SECOND_MS;

/** The streaks of a bad check, its own included. Whole seconds that it has lasted; 0 for what does not count. */
export interface BadStreaks {
  endpointId: string;
  failures: number;
  bad: number;
  failingFor: number;
  badFor: number;
}

/** Rows `b` of the parameters that `badStreaks` makes, the first of the statement. */
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
 * The enabled alerts `a` without an episode whose threshold and delay the streaks `b` reach: as `reachesTrigger`. `$1`: the
 * endpoints of `b`. Cost: an index scan for each; by the join alone the planner would read all of 20,000 alerts for 200.
 */
export const REACHES_TRIGGER = `a.endpoint_id = b.endpoint_id AND a.endpoint_id = ANY ($1::uuid[]) AND a.enabled AND NOT a.triggered
       AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN b.bad ELSE b.failures END
       AND a.after_seconds <= CASE a.condition WHEN 'degraded' THEN b.bad_for ELSE b.failing_for END`;

/**
 * What one check does to one alert that nothing suppresses. Level, not edge: a streak at or over the threshold counts
 * whenever a further result arrives, so a lowered threshold, a late rule, a re-enabled one or the end of a suppression needs
 * no history. `afterSeconds` counts in the same way, and as well as the threshold. Only a bad result triggers, only a good
 * one resolves; `unknown` says nothing about the target and changes nothing.
 */
export function nextTransition(rule: AlertRule, streaks: Streaks): Transition | null {
  if (!rule.enabled) return null;
  const judged = judgedBy(rule.condition, streaks);
  if (rule.triggered) return judged.isGood && judged.good >= rule.successThreshold ? 'resolve' : null;
  return reachesTrigger(rule, judged) ? 'trigger' : null;
}

/** What is known of the endpoint of a batch beside its updates. */
export interface EndpointFacts extends SuppressionFacts {
  /** Alerts of the endpoint with an open episode that no update of the batch can close. */
  openElsewhere: number;
}

/** What a batch does to the alerts of one endpoint. */
export interface Folded<Alert, Update> {
  /** Nearly always none or one of each alert; each alert's in order. */
  passed: { alert: Alert; transition: Transition; update: Update }[];
  /** Why there was no trigger, one for each alert and check that would have triggered. */
  suppressed: SuppressedBy[];
  /** The acknowledgement was over at one of the updates: the endpoint was up, and none of its alerts was triggered. */
  isAcknowledgementOver: boolean;
}

/**
 * The transitions of alerts of one endpoint over a batch of its updates, in their order, as if each had come alone: an
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
