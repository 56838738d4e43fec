import type { OverviewItem } from '../api/types';
import { shownStatus, STATUSES } from './overview-order';

/** The layout of the tiles on a wall, in pixels. All tiles are visible at the same time. */
export interface WallGrid {
  columns: number;
  width: number;
  height: number;
  gap: number;
  /** How many columns and rows a tile that is down or degraded takes up. */
  span: number;
}

const TILE = { width: 160, height: 96 };
const LARGEST_GAP = 6;
const [LARGEST, SMALLEST, STEP] = [3, 0.05, 0.01];
/** Tiles that need attention are twice as large as the others. */
const SPAN = 2;
/** Up to this many large tiles remain readable, even if the others must be small. */
const FEW = 24;

/** Whether the endpoint needs attention. */
export const needsSomebody = (item: OverviewItem): boolean => ['down', 'degraded'].includes(shownStatus(item));

/**
 * Returns the largest tile size at which `quiet` small tiles and `loud` large tiles fit on a screen. If even the
 * smallest size doesn't fit, the rest is cut off.
 */
export function wallGrid(quiet: number, loud: number, screen: { width: number; height: number }): WallGrid {
  let grid = gridAt(SMALLEST, loud, screen);
  for (let scale = LARGEST; scale >= SMALLEST; scale -= STEP) {
    grid = gridAt(scale, loud, screen);
    const { columns, gap, span } = grid;
    const rows = Math.floor((screen.height + gap) / (grid.height + gap));
    const inARow = Math.floor(columns / span);
    const isLoudIn = loud === 0 || (inARow > 0 && Math.ceil(loud / inARow) * span <= rows);
    if (isLoudIn && quiet + loud * span ** 2 <= columns * rows) break;
  }
  return grid;
}

function gridAt(scale: number, loud: number, screen: { width: number }): WallGrid {
  const [width, height] = [Math.floor(TILE.width * scale), Math.floor(TILE.height * scale)];
  const gap = Math.min(LARGEST_GAP, Math.ceil(height / 16));
  const columns = Math.max(1, Math.floor((screen.width + gap) / (width + gap)));
  return { columns, width, height, gap, span: loud > FEW ? SPAN : Math.max(SPAN, Math.ceil(1 / scale)) };
}

const { compare } = new Intl.Collator('en', { numeric: true });
const rank = (item: OverviewItem): number => STATUSES.indexOf(shownStatus(item));

/**
 * Sorts endpoints by status, worst first, then by name. A tile keeps its position as long as its status doesn't change.
 */
export const wallOrder = (items: readonly OverviewItem[]): OverviewItem[] =>
  [...items].sort((a, b) => rank(a) - rank(b) || compare(a.name, b.name) || compare(a.id, b.id));
