import type { OverviewItem } from '../../../web/src/api/types';
import { wallGrid, wallOrder } from '../../../web/src/logic/wall';

const SCREEN = { width: 1888, height: 900 };

describe('the tiles of a wall', () => {
  it.each([
    ['show a few at the maximum size', 12, 0, { width: 467, height: 280, span: 2 }],
    ['show sixty at about the intended size', 60, 5, { width: 179, height: 107, span: 2 }],
    [
      'show two thousand as colors, and still show the text of the one that is down',
      2011,
      1,
      { width: 33, height: 20, span: 5 },
    ],
  ])('%s', (_case, quiet, loud, expected) => {
    expect(wallGrid(quiet, loud, SCREEN)).toMatchObject(expected);
  });

  it.each([
    [1, 0],
    [0, 1],
    [300, 40],
    [0, 500],
    [2000, 12],
    [1500, 500],
  ])('fit the screen: %d healthy and %d failing ones', (quiet, loud) => {
    const { columns, width, height, gap, span } = wallGrid(quiet, loud, SCREEN);
    const rows = Math.floor((SCREEN.height + gap) / (height + gap));
    expect(columns * (width + gap) - gap).toBeLessThanOrEqual(SCREEN.width);
    expect(quiet + loud * span ** 2).toBeLessThanOrEqual(columns * rows);
  });

  it('has a tile before the screen is measured', () => {
    expect(wallGrid(3, 1, { width: 0, height: 0 })).toMatchObject({ columns: 1 });
  });

  it('shows down first, then degraded, and is in the order of names otherwise', () => {
    const item = (name: string, status: OverviewItem['status'], degraded = false) =>
      ({ id: name, name, status, degraded }) as OverviewItem;
    const sorted = wallOrder([
      item('Shop 10', 'up'),
      item('Shop 9', 'up'),
      item('Old', 'paused'),
      item('New', 'unknown'),
      item('Search', 'up', true),
      item('Pay', 'down'),
    ]);
    expect(sorted.map(({ name }) => name)).toEqual(['Pay', 'Search', 'New', 'Shop 9', 'Shop 10', 'Old']);
  });
});
