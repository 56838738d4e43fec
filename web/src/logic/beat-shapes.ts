import type { Outcome } from '../api/types';

/** One bar in a strip chart: the result, plus the bar's height (0 to 1) if the latency is known. */
export interface Beat {
  outcome: Outcome | 'degraded' | 'partly' | 'planned' | null;
  /** Whether the check ran during a maintenance window and doesn't count. */
  planned?: boolean | undefined;
  level: number | null;
}

/**
 * SVG path data for each kind of bar, in a view box that is `slots * STEP` wide and `HEIGHT` high. There are seven paths,
 * no matter how many bars there are.
 */
export interface BeatPaths {
  up: string;
  degraded: string;
  partly: string;
  planned: string;
  down: string;
  unknown: string;
  none: string;
}

/** The width of a bar, including the gap. */
export const STEP = 6;
export const HEIGHT = 26;
const WIDTH = 4;
const bar = (x: number, height: number): string => `M${x} ${HEIGHT - height}h${WIDTH}v${height}h-${WIDTH}z`;

function striped(x: number, height: number): string {
  let path = '';
  for (let y = HEIGHT - 2.5; y >= HEIGHT - height; y -= 4.5) path += `M${x} ${y}h${WIDTH}v2.5h-${WIDTH}z`;
  return path;
}

/**
 * Returns the paths for a strip. Up is solid, with a height based on its latency, or 70 %. Degraded has an additional
 * gap below the top. Down is solid at full height, and partly down is split in the middle. Planned is striped, as high as its result. Unknown is hollow, and a
 * dot means no check yet. The shapes can be distinguished without color (WCAG 1.4.1).
 */
export function beatPaths(beats: readonly Beat[], slots: number): BeatPaths {
  const paths: BeatPaths = { up: '', degraded: '', partly: '', planned: '', down: '', unknown: '', none: '' };
  for (let slot = 0; slot < slots; slot++) {
    const beat = beats[slot - slots + beats.length];
    const x = slot * STEP + 1;
    const level = beat?.level ?? null;
    const height = level === null ? HEIGHT * 0.7 : Math.round((4 + level * (HEIGHT - 8)) * 10) / 10;
    if (!beat || beat.outcome === null) paths.none += bar(x, 3);
    else if (beat.planned === true || beat.outcome === 'planned')
      paths.planned += striped(x, beat.outcome === 'down' ? HEIGHT : height);
    else if (beat.outcome === 'down') paths.down += bar(x, HEIGHT);
    else if (beat.outcome === 'partly')
      paths.partly += `${bar(x, HEIGHT * 0.3)}M${x} 0h${WIDTH}v${HEIGHT * 0.4}h-${WIDTH}z`;
    else if (beat.outcome === 'up') paths.up += bar(x, height);
    else if (beat.outcome === 'degraded') {
      const top = Math.max(height, 12);
      paths.degraded += `${bar(x, top - 7)}M${x} ${HEIGHT - top}h${WIDTH}v4h-${WIDTH}z`;
    } else paths.unknown += `M${x + 0.6} ${HEIGHT * 0.3 + 0.6}h${WIDTH - 1.2}v${HEIGHT * 0.7 - 1.2}h-${WIDTH - 1.2}z`;
  }
  return paths;
}

/**
 * Returns SVG path data for a line through values, oldest first, with gaps where a value is `null`. The vertical axis
 * starts at `low`, or else at the smallest value.
 */
export function linePath(values: readonly (number | null)[], width: number, height: number, low?: number): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || values.length < 2) return '';
  const max = Math.max(...known);
  const min = low ?? Math.min(...known);
  const span = max - min || 1;
  let path = '';
  let pen = 'M';
  values.forEach((value, index) => {
    if (value === null) {
      pen = 'M';
      return;
    }
    const x = (index / (values.length - 1)) * (width - 2) + 1;
    const y = height - 2 - ((value - min) / span) * (height - 4);
    path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = 'L';
  });
  return path;
}
