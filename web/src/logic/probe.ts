import type { Probe } from '../api/types';
import { age, count, duration } from './format';
import type { Shown } from './overview-order';

/** The service's own name in an endpoint's `locations`. */
export const LOCAL = 'local';

/** Whether an endpoint monitors a probe. */
export const isProbe = ({ type }: { type: string }): boolean => type === 'PROBE';

/** Returns the probe's name in an endpoint's `locations`. */
export const locationOf = ({ key, shared }: Pick<Probe, 'key' | 'shared'>): string => (shared ? `shared/${key}` : key);

/** A clock that is off by more than this is a problem, because certificates can't be validated. */
const CLOCK_MS = 60_000;
/** Results are sent every five seconds, so a longer lag is a problem. */
const LAG_MS = 60_000;

/** Whether version `a` is older than `b`, comparing their numbers. Always false if either has no numbers. */
export function isBefore(a: string, b: string): boolean {
  const [own, other] = [a, b].map((text) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (!own || !other) return false;
  const at = own.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (own[at] ?? 0) < (other[at] ?? 0);
}

type Facts = Pick<Probe, 'status' | 'version' | 'clock_offset_ms' | 'lag_ms'>;

/**
 * Describes an online probe's problems and how to fix them. `ours` is the service's version, or `null` until it is
 * known. Dropped and skipped results are counted since the probe started, so they don't show its current state.
 */
export function troublesOf({ status, version, clock_offset_ms, lag_ms }: Facts, ours: string | null): string[] {
  if (status !== 'online') return [];
  return [
    ...(Math.abs(clock_offset_ms ?? 0) > CLOCK_MS
      ? [
          `Its clock is ${clockText(clock_offset_ms)}. Set it, because certificates cannot be verified there until then.`,
        ]
      : []),
    ...(version !== null && ours !== null && isBefore(version, ours)
      ? [`Its version is older than the version of this service. Update it.`]
      : []),
    ...((lag_ms ?? 0) > LAG_MS
      ? [`Its results have been waiting for ${duration((lag_ms ?? 0) / 1000)} to be sent.`]
      : []),
  ];
}

const STATES: Record<Probe['status'], { status: Shown; word: string }> = {
  new: { status: 'unknown', word: 'Not seen yet' },
  online: { status: 'up', word: 'Online' },
  offline: { status: 'down', word: 'Offline' },
  disabled: { status: 'paused', word: 'Disabled' },
  unsupported: { status: 'down', word: 'Unsupported' },
};

/** Returns a probe's state as a shape and a word. An online probe with a problem is degraded. */
export const probeState = (of: Facts, ours: string | null): { status: Shown; word: string } =>
  troublesOf(of, ours).length > 0 ? { status: 'degraded', word: 'Online, with problems' } : STATES[of.status];

const RANK: Record<Shown, number> = { down: 0, degraded: 1, unknown: 2, up: 3, paused: 4 };
const { compare } = new Intl.Collator('en', { numeric: true });

/** Sorts probes by status, worst first, then by how many endpoints use them, then by region and name. */
export const worstFirst = <T extends Facts & Pick<Probe, 'endpoint_count' | 'region' | 'name'>>(
  probes: readonly T[],
  ours: string | null,
): T[] =>
  [...probes].sort(
    (a, b) =>
      RANK[probeState(a, ours).status] - RANK[probeState(b, ours).status] ||
      (RANK[probeState(a, ours).status] < RANK.up ? b.endpoint_count - a.endpoint_count : 0) ||
      compare(a.region, b.region) ||
      compare(a.name, b.name),
  );

/** Describes a clock offset, such as `correct`, `4 min ahead`, or `2 d behind`. `–` if the probe doesn't report it. */
export function clockText(offsetMs: number | null): string {
  if (offsetMs === null) return '–';
  const seconds = Math.abs(offsetMs) / 1000;
  return seconds < 1 ? 'correct' : `${duration(seconds)} ${offsetMs > 0 ? 'ahead' : 'behind'}`;
}

/** Returns text such as `none` or `120, oldest 4 min`. `–` if the probe doesn't report it. */
export function bufferedText({ buffered, lag_ms }: Pick<Probe, 'buffered' | 'lag_ms'>): string {
  if (buffered === null) return '–';
  if (buffered === 0) return 'none';
  return `${buffered.toLocaleString('en')}${(lag_ms ?? 0) >= 1000 ? `, oldest ${duration((lag_ms ?? 0) / 1000)}` : ''}`;
}

/** Returns text such as `now`, `12 s ago`, or `never`. */
export function seenText(at: string | null, nowMs: number): string {
  if (at === null) return 'never';
  return nowMs - Date.parse(at) < 5000 ? 'now' : `${age(at, nowMs)} ago`;
}

/** Returns text such as `16 of 20 probes are in use.` when at least 80 % of the limit is used. */
export function quotaText(quota: { used: number | null; limit: number | null } | undefined): string | null {
  if (!quota?.limit || quota.used === null || quota.used < 0.8 * quota.limit) return null;
  const used = quota.used.toLocaleString('en');
  return `${used} of ${count(quota.limit, 'probe')} ${quota.used === 1 ? 'is' : 'are'} in use.`;
}

/** Returns why a probe can't be deleted, or `null` if it can. */
export const keptBy = ({ endpoint_count }: Pick<Probe, 'endpoint_count'>): string | null =>
  endpoint_count === 0
    ? null
    : `${count(endpoint_count, 'endpoint')} ${endpoint_count === 1 ? 'uses' : 'use'} it. Remove it from ${
        endpoint_count === 1 ? 'its' : 'their'
      } locations first.`;
