import type { Outcome } from '../../checker/checker';
import type { StreakUpdate } from '../../endpoint/streak-update';

/** Which checks are bad for an alert: those that are down, or also those that are degraded. */
export const ALERT_CONDITIONS = ['down', 'degraded'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** What of an alert decides whether it changes. */
export interface AlertRule {
  enabled: boolean;
  triggered: boolean;
  failureThreshold: number;
  successThreshold: number;
}

/** What of a `StreakUpdate` decides; `unknown` results, which make no update, are covered as well. */
export type Streaks = Pick<StreakUpdate, 'consecutiveFailures' | 'consecutiveSuccesses'> & { outcome: Outcome };

/** A trigger opens an incident, a resolve closes it. */
export type Transition = 'trigger' | 'resolve';

/**
 * What one check does to one alert. Level, not edge: a streak at or over the threshold counts whenever a further result
 * arrives, so a lowered threshold, a late rule or a re-enabled one needs no history. Only a failing result triggers and
 * only a good one resolves; `unknown` says nothing about the target and changes nothing.
 */
export function nextTransition(rule: AlertRule, streaks: Streaks): Transition | null {
  if (!rule.enabled) return null;
  if (rule.triggered) {
    return streaks.outcome === 'up' && streaks.consecutiveSuccesses >= rule.successThreshold ? 'resolve' : null;
  }
  return streaks.outcome === 'down' && streaks.consecutiveFailures >= rule.failureThreshold ? 'trigger' : null;
}

/** The transitions of one alert over a batch of its endpoint's updates, in their order; nearly always none or one. */
export function foldTransitions<Update extends Streaks>(
  rule: AlertRule,
  updates: readonly Update[],
): { transition: Transition; update: Update }[] {
  const passed: { transition: Transition; update: Update }[] = [];
  let { triggered } = rule;
  for (const update of updates) {
    const transition = nextTransition({ ...rule, triggered }, update);
    if (transition === null) continue;
    passed.push({ transition, update });
    triggered = transition === 'trigger';
  }
  return passed;
}
