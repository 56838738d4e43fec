import type { OverviewItem, Status } from '../../../web/src/api/types';
import { countsOf, type Filters, grouped } from '../../../web/src/logic/overview-order';
import { lineAt, linesOf, offsets } from '../../../web/src/logic/overview-lines';

const item = (name: string, website: string, status: Status, more: Partial<OverviewItem> = {}): OverviewItem => ({
  id: name,
  name,
  url: `https://${name}.example.com/`,
  type: 'HTTPS',
  website: { id: website, name: website },
  status,
  status_since: null,
  last_checked_at: null,
  last_error: null,
  uptime_24h: 1,
  coverage_24h: 1,
  uptime_7d: 1,
  uptime_30d: 1,
  uptime_90d: 1,
  p95_ms: 10,
  recent: [],
  certificate_expires_at: null,
  alert_open: false,
  ...more,
});

const ALL: Filters = { text: '', status: null, website: null, order: 'worst' };
const ITEMS = [
  item('alpha', 'Zoo', 'up', { uptime_24h: 0.9, p95_ms: 300 }),
  item('beta', 'Zoo', 'up'),
  item('gamma', 'Shop', 'paused'),
  item('delta', 'Shop', 'down', { last_error: 'connection_refused' }),
  item('node 10', 'Ring', 'up', { p95_ms: 500 }),
  item('node 9', 'Ring', 'unknown'),
];

const shown = (filters: Partial<Filters>) =>
  grouped(ITEMS, { ...ALL, ...filters }).map(({ name, status, items }) => [
    name,
    status,
    ...items.map((each) => each.name),
  ]);

describe('the order of the overview', () => {
  it('puts the worst websites and endpoints first', () => {
    expect(shown({})).toEqual([
      ['Shop', 'down', 'delta', 'gamma'],
      ['Ring', 'unknown', 'node 9', 'node 10'],
      ['Zoo', 'up', 'alpha', 'beta'],
    ]);
  });

  it('orders by name with numbers in numeric order', () => {
    expect(shown({ order: 'name' })).toEqual([
      ['Ring', 'unknown', 'node 9', 'node 10'],
      ['Shop', 'down', 'delta', 'gamma'],
      ['Zoo', 'up', 'alpha', 'beta'],
    ]);
  });

  it('orders by latency, slowest first', () => {
    expect(shown({ order: 'slowest' }).map(([name]) => name)).toEqual(['Ring', 'Zoo', 'Shop']);
  });

  it.each([
    [{ status: 'down' as const }, ['delta']],
    [{ website: 'Zoo' }, ['alpha', 'beta']],
    [{ text: 'REFUSED' }, ['delta']],
    [{ text: 'ring 10' }, ['node 10']],
    [{ text: 'https zoo', status: 'up' as const }, ['alpha', 'beta']],
    [{ text: 'nothing like this' }, []],
  ])('filters the overview by %j', (filters, names) => {
    expect(shown(filters).flatMap(([, , ...items]) => items)).toEqual(names);
  });

  it('counts endpoints by status', () => expect(countsOf(ITEMS)).toEqual({ up: 3, down: 1, unknown: 1, paused: 1 }));
});

describe('the lines of the overview', () => {
  const lines = linesOf(grouped(ITEMS, ALL));
  const tops = offsets(lines, 40, 52);

  it('stacks group heads and endpoints without gaps', () => {
    expect(lines).toHaveLength(9);
    expect(tops).toEqual([0, 40, 92, 144, 184, 236, 288, 328, 380, 432]);
  });

  it.each([
    [-100, 0],
    [0, 0],
    [39, 0],
    [40, 1],
    [91, 1],
    [92, 2],
    [431, 8],
    [9999, 8],
  ])('finds the line of the overview at %d pixels', (y, line) => expect(lineAt(tops, y)).toBe(line));

  it('finds line 0 of an overview without lines', () => expect(lineAt([0], 50)).toBe(0));
});
