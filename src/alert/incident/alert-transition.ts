import type { Outcome } from '../../checker/checker';

/** What of an alert decides whether it changes. */
export interface AlertRule {
  enabled: boolean;
  triggered: boolean;
  failureThreshold: number;
  successThreshold: number;
}

/** One check of the alert's endpoint, with the endpoint's streaks right after it. */
export interface Streaks {
  outcome: Outcome;
  consecutiveFailures: number;
  consecutiveSuccesses: number;
}

export type Transition = 'trigger' | 'resolve';

/**
 * What one check does to one alert. Level, not edge: a streak at or over the threshold counts whenever a further result
 * arrives, so a lowered threshold, a late rule or a re-enabled one needs no history. Only a failing result triggers and
 * only a good one resolves; `unknown` says nothing about the target and changes nothing.
 */
export function nextTransition(rule: AlertRule, step: Streaks): Transition | null {
  if (!rule.enabled) return null;
  if (rule.triggered) {
    return step.outcome === 'up' && step.consecutiveSuccesses >= rule.successThreshold ? 'resolve' : null;
  }
  return step.outcome === 'down' && step.consecutiveFailures >= rule.failureThreshold ? 'trigger' : null;
}

/** The transitions one alert goes through over a batch of its endpoint's steps, in their order; nearly always none or one. */
export function foldTransitions<Step extends Streaks>(
  rule: AlertRule,
  steps: readonly Step[],
): { transition: Transition; step: Step }[] {
  const passed: { transition: Transition; step: Step }[] = [];
  let { triggered } = rule;
  for (const step of steps) {
    const transition = nextTransition({ ...rule, triggered }, step);
    if (transition === null) continue;
    passed.push({ transition, step });
    triggered = transition === 'trigger';
  }
  return passed;
}
