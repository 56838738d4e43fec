import type { Outcome } from '../../checker/checker';
import type { AlertCondition } from '../../contact/alert-defaults';
import type { Quiet, StreakUpdate } from '../../endpoint/streak-update';
import { SECOND_MS } from '../../platform/time/time-units';

/** What of an alert decides whether it changes. */
export interface AlertRule {
  enabled: boolean;
  triggered: boolean;
  condition: AlertCondition;
  failureThreshold: number;
  /** Seconds that it must have been bad as well before it triggers. */
  afterSeconds: number;
  successThreshold: number;
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
  | 'quiet'
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

/**
 * What one check does to one alert. Level, not edge: a streak at or over the threshold counts whenever a further result
 * arrives, so a lowered threshold, a late rule, a re-enabled one or the end of a quiet time needs no history. `afterSeconds`
 * counts in the same way, and as well as the threshold. Only a bad result triggers, and not while it is quiet; only a good one resolves, at any time; `unknown` says nothing about the
 * target and changes nothing.
 */
export function nextTransition(rule: AlertRule, streaks: Streaks): Transition | null {
  if (!rule.enabled) return null;
  const { isBad, isGood, bad, good, badForMs } = judgedBy(rule.condition, streaks);
  if (rule.triggered) return isGood && good >= rule.successThreshold ? 'resolve' : null;
  if (streaks.quiet !== null) return null;
  return isBad && bad >= rule.failureThreshold && badForMs >= rule.afterSeconds * SECOND_MS ? 'trigger' : null;
}

/** What keeps the alerts of an endpoint quiet besides maintenance, which comes with each update. */
export interface Held {
  /** Somebody has the endpoint in hand, until then or (`null`) for as long as it lasts; `undefined`: nobody has. */
  acknowledgedUntil: Date | null | undefined;
  /** A parent is down. */
  isParentDown: boolean;
  /** When the last of its parents that are up came up: what was found before may have been theirs. */
  parentsUpSince?: Date | null;
  /** Alerts of the endpoint with an open episode that no update of the batch can close. */
  openElsewhere: number;
}

/** Why a trigger was held back, besides maintenance. */
export type HeldBackBy = Exclude<Quiet, 'maintenance' | null>;

/** What a batch does to the alerts of one endpoint. */
export interface Folded<Alert, Update> {
  /** Nearly always none or one of each alert; each alert's in order. */
  passed: { alert: Alert; transition: Transition; update: Update }[];
  /** Why triggers were held back outside of maintenance, one for each alert and check that would have triggered. */
  heldBack: HeldBackBy[];
  /** The acknowledgement was over at one of the updates: the endpoint was up, and none of its alerts was triggered. */
  isAcknowledgementOver: boolean;
}

/**
 * The transitions of alerts of one endpoint over a batch of its updates, in their order, as if each had come alone: an
 * acknowledgement that ends with one update keeps none of those after it quiet.
 */
export function foldTransitions<Alert extends AlertRule, Update extends Streaks>(
  alerts: readonly Alert[],
  updates: readonly Update[],
  held: Held,
): Folded<Alert, Update> {
  const folded: Folded<Alert, Update> = { passed: [], heldBack: [], isAcknowledgementOver: false };
  const triggered = new Map(alerts.map((alert) => [alert, alert.triggered]));
  let acknowledgedUntil = held.acknowledgedUntil;
  for (const update of updates) {
    const quiet = quietOf(update, acknowledgedUntil, held);
    for (const alert of alerts) {
      const rule = { ...alert, triggered: triggered.get(alert) === true };
      const transition = nextTransition(rule, { ...update, quiet });
      if (transition !== null) {
        folded.passed.push({ alert, transition, update });
        triggered.set(alert, transition === 'trigger');
      } else if (quiet !== null && quiet !== 'maintenance' && nextTransition(rule, { ...update, quiet: null }) !== null)
        folded.heldBack.push(quiet);
    }
    const isAnyOpen = held.openElsewhere > 0 || [...triggered.values()].includes(true);
    if (acknowledgedUntil !== undefined && update.outcome === 'up' && !isAnyOpen) {
      acknowledgedUntil = undefined;
      folded.isAcknowledgementOver = true;
    }
  }
  return folded;
}

/** Maintenance first, then what a person said, then what a parent explains. */
function quietOf(
  { quiet, checkedAt }: Pick<StreakUpdate, 'quiet' | 'checkedAt'>,
  acknowledgedUntil: Date | null | undefined,
  { isParentDown, parentsUpSince }: Held,
): Quiet {
  if (quiet !== null) return quiet;
  if (acknowledgedUntil === null || (acknowledgedUntil && checkedAt < acknowledgedUntil)) return 'acknowledged';
  return isParentDown || (parentsUpSince && checkedAt < parentsUpSince) ? 'dependency' : null;
}
