import { useSignal } from '@preact/signals';
import type { Check, Outcome, OverviewItem } from '../../api/types';
import { ms, time, words } from '../../logic/format';
import { LOCAL } from '../../logic/probe';
import { now } from '../../state/clock';
import { recentChecks } from '../../state/overview-store';
import { Beats } from './beats';

/** What a check is shown as: one that is up with a warning is degraded. */
export const outcomeOf = ({ outcome, warning }: Pick<Check, 'outcome' | 'warning'>): Outcome | 'degraded' =>
  outcome === 'up' && warning ? 'degraded' : outcome;

/**
 * How a check counted: as degraded where its location alone saw a failure, as unknown where it came too late. Of one location that
 * is what it saw.
 */
export function countedOf({ verdict, ...check }: Pick<Check, 'outcome' | 'warning' | 'verdict'>): Outcome | 'degraded' {
  if (verdict === null) return 'unknown';
  return verdict === 'up' && outcomeOf(check) !== 'up' ? 'degraded' : verdict;
}

/** `12:04:31 · Down · connection refused`, of a probe `12:04:31 from fra · …`. */
export function checkSentence(check: Check, nowMs: number): string {
  const at = `${time(check.checked_at, nowMs)}${check.location === LOCAL || check.location === null ? '' : ` from ${check.location}`}`;
  const why = check.warning?.message ?? words(check.error?.code ?? 'no reason given');
  const verdict = check.outcome === 'up' && !check.warning ? 'up' : `${outcomeOf(check)}, ${why}`;
  const took = check.duration_ms === null ? '' : ` · ${ms(check.duration_ms)}`;
  return `${at} · ${verdict}${check.planned ? ' · in maintenance' : ''}${took}`;
}

/** `Answered in 83 ms.`, of a job `Ran for 2 min.`, or that it did not say. */
export function tookText(durationMs: number | null, isOfRun: boolean): string {
  if (durationMs === null) return 'The job reported, but it had not sent a start ping.';
  return `${isOfRun ? 'Ran for' : 'Answered in'} ${ms(durationMs)}.`;
}

/** The last outcomes of an endpoint; times and latencies are loaded when the user points at a bar. */
export function RecentBeats({ item }: { item: OverviewItem }) {
  const isInspected = useSignal(false);
  if (isInspected.value) recentChecks.read(item.id, item.last_checked_at ?? '');
  const describe = (index: number): string => {
    const checks = recentChecks.peek(item.id);
    const check = checks?.[checks.length - item.recent.length + index];
    return check ? checkSentence(check, now.peek()) : (item.recent[index] ?? '');
  };
  return (
    <Beats
      name={item.name}
      beats={item.recent.map((outcome) => ({ outcome, level: null }))}
      describe={describe}
      onInspect={() => {
        isInspected.value = true;
      }}
    />
  );
}
