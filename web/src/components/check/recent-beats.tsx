import type { Check, Outcome } from '../../api/types';
import { ms, time, words } from '../../logic/format';
import { LOCAL } from '../../logic/probe';

/** Returns the result to show for a check. A successful check with a warning counts as degraded. */
export const outcomeOf = ({ outcome, warning }: Pick<Check, 'outcome' | 'warning'>): Outcome | 'degraded' =>
  outcome === 'up' && warning ? 'degraded' : outcome;

/**
 * Returns how a check counted: degraded if only this location saw a failure, or unknown if the result arrived too late.
 * If there is only one location, returns what that location saw.
 */
export function countedOf({
  combined_outcome: combined,
  ...check
}: Pick<Check, 'outcome' | 'warning' | 'combined_outcome'>): Outcome | 'degraded' {
  if (combined === null) return 'unknown';
  return combined === 'up' && outcomeOf(check) !== 'up' ? 'degraded' : combined;
}

/**
 * Describes a check, such as `12:04:31 · down, connection refused`. For a probe, the line starts with `12:04:31 from
 * fra · …`.
 */
export function checkSentence(check: Check, nowMs: number): string {
  const at = `${time(check.checked_at, nowMs)}${check.location === LOCAL || check.location === null ? '' : ` from ${check.location}`}`;
  const why = check.warning?.message ?? words(check.error?.code ?? 'no reason given');
  const verdict = check.outcome === 'up' && !check.warning ? 'up' : `${outcomeOf(check)}, ${why}`;
  const took = check.duration_ms === null ? '' : ` · ${ms(check.duration_ms)}`;
  return `${at} · ${verdict}${check.planned ? ' · in maintenance' : ''}${took}`;
}

/** Returns a sentence such as `Answered in 83 ms.`, or `Ran for 2 min.` for a job that reported its start. */
export function tookText(durationMs: number | null, isOfRun: boolean): string {
  if (durationMs === null) return 'The job reported, but it had not sent a start ping.';
  return `${isOfRun ? 'Ran for' : 'Answered in'} ${ms(durationMs)}.`;
}
