import type { Outcome } from '../api/types';

/** One bar of a strip: an outcome, and its height from 0 to 1 where the latency is known. */
export interface Beat {
  outcome: Outcome | null;
  level: number | null;
}

/** SVG path data per kind of bar, in a view box `slots * STEP` wide and `HEIGHT` high: four paths, however many bars. */
export interface BeatPaths {
  up: string;
  down: string;
  unknown: string;
  none: string;
}

/** Width of a bar with its gap. */
export const STEP = 6;
/** Height of the view box. */
export const HEIGHT = 26;
const WIDTH = 4;
const bar = (x: number, height: number): string => `M${x} ${HEIGHT - height}h${WIDTH}v${height}h-${WIDTH}z`;

/**
 * Up: solid, 70 % high or as high as its latency. Down: solid, full height. Unknown: hollow. No check yet: a dot. So they
 * differ without colour (WCAG 1.4.1).
 */
export function beatPaths(beats: readonly Beat[], slots: number): BeatPaths {
  const paths: BeatPaths = { up: '', down: '', unknown: '', none: '' };
  for (let slot = 0; slot < slots; slot++) {
    const beat = beats[slot - slots + beats.length];
    const x = slot * STEP + 1;
    if (!beat || beat.outcome === null) paths.none += bar(x, 3);
    else if (beat.outcome === 'down') paths.down += bar(x, HEIGHT);
    else if (beat.outcome === 'up') {
      const height = beat.level === null ? HEIGHT * 0.7 : 4 + beat.level * (HEIGHT - 8);
      paths.up += bar(x, Math.round(height * 10) / 10);
    } else paths.unknown += `M${x + 0.6} ${HEIGHT * 0.3 + 0.6}h${WIDTH - 1.2}v${HEIGHT * 0.7 - 1.2}h-${WIDTH - 1.2}z`;
  }
  return paths;
}

/** SVG path data of a line through values, oldest first, with gaps where a value is `null`. */
export function linePath(values: readonly (number | null)[], width: number, height: number): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || values.length < 2) return '';
  const max = Math.max(...known);
  const min = Math.min(...known);
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
