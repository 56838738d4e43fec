import type { OverviewItem } from '../api/types';
import { shownStatus, STATUSES } from './overview-order';

/** How the tiles of a wall are drawn, so that all are seen at once. Pixels. */
export interface WallGrid {
  columns: number;
  width: number;
  height: number;
  gap: number;
  /** A tile of what is down or degraded is so many columns wide and rows high. */
  span: number;
}

const TILE = { width: 160, height: 96 };
const LARGEST_GAP = 6;
const [LARGEST, SMALLEST, STEP] = [3, 0.05, 0.01];
/** What needs somebody is twice as large as the others. */
const SPAN = 2;
/** So few are readable however small the others have to be. */
const FEW = 24;

/** Whether someone has to look at it. */
export const needsSomebody = (item: OverviewItem): boolean => ['down', 'degraded'].includes(shownStatus(item));

/** The largest tiles of which `quiet` small and `loud` large ones fit a screen. More than fit at the smallest are cut off. */
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

/** The worst first, then by name: a tile stays where it is as long as its status does. */
export const wallOrder = (items: readonly OverviewItem[]): OverviewItem[] =>
  [...items].sort((a, b) => rank(a) - rank(b) || compare(a.name, b.name) || compare(a.id, b.id));
