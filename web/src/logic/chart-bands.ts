import type { Occurrence, Outage } from '../api/types';

/** A section of a chart, in seconds. */
export interface Band {
  from: number;
  to: number;
}

/**
 * Returns past and future maintenance as non-overlapping bands, oldest first. Merges occurrences and planned outages.
 */
export function bandsOf(
  occurrences: readonly Occurrence[],
  outages: readonly Pick<Outage, 'started_at' | 'ended_at' | 'planned'>[],
  nowMs: number,
): Band[] {
  const all = [
    ...occurrences.map(({ starts_at, ends_at }) => ({ from: seconds(starts_at), to: seconds(ends_at) })),
    ...outages
      .filter(({ planned }) => planned)
      .map(({ started_at, ended_at }) => ({
        from: seconds(started_at),
        to: ended_at === null ? nowMs / 1000 : seconds(ended_at),
      })),
  ].sort((a, b) => a.from - b.from);
  const bands: Band[] = [];
  for (const band of all) {
    const last = bands.at(-1);
    if (last && band.from <= last.to) last.to = Math.max(last.to, band.to);
    else bands.push(band);
  }
  return bands;
}

const seconds = (iso: string): number => Date.parse(iso) / 1000;
