import type { System } from '../api/types';
import { time } from './format';

type Overload = NonNullable<System['scheduler']['overload']>;

/** Returns one or two calm sentences about an overload: since when, by how much, and what it means. */
export function overloadText({ since, ratio, skipped_per_second }: Overload, nowMs: number): string {
  const asked = ratio >= 1.05 ? `${ratio.toFixed(1)} times as many checks as` : 'slightly more checks than';
  const skipped = Math.round(skipped_per_second);
  const effect =
    skipped === 0
      ? 'Checks start late'
      : `${skipped.toLocaleString('en')} ${skipped === 1 ? 'check per second is' : 'checks per second are'} skipped`;
  return `Overloaded since ${time(since, nowMs)}: ${asked} this installation can run. ${effect}. Alerts are still sent.`;
}
