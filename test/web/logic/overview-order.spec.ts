import type { OverviewItem, Status } from '../../../web/src/api/types';
import {
  countsOf,
  type Filters,
  grouped,
  type GroupWebsite,
  ofWebsite,
  selected,
  shownStatus,
  tagsOf,
} from '../../../web/src/logic/overview-order';
import { itemsOf, lineAt, linesOf, offsets } from '../../../web/src/logic/overview-lines';

const item = (name: string, website: string, status: Status, more: Partial<OverviewItem> = {}): OverviewItem => ({
  id: name,
  name,
  url: `https://${name}.example.com/`,
  type: 'HTTPS',
  website: { id: website, name: website },
  status,
  status_since: null,
  last_checked_at: null,
  next_expected_at: null,
  last_error: null,
  locations: null,
  uptime_24h: 1,
  coverage_24h: 1,
  watched_24h: 1,
  uptime_7d: 1,
  watched_7d: 1,
  uptime_30d: 1,
  watched_30d: 1,
  uptime_90d: 1,
  watched_90d: 1,
  p95_ms: 10,
  recent: [],
  certificate_expires_at: null,
  alert_open: false,
  tags: [],
  degraded: false,
  verifying: false,
  maintenance: null,
  acknowledgement: null,
  ...more,
});

const ALL: Filters = {
  text: '',
  status: null,
  website: null,
  order: 'worst',
  tag: null,
  planned: false,
  location: null,
  at: null,
};
const ITEMS = [
  item('alpha', 'Zoo', 'up', { uptime_24h: 0.9, p95_ms: 300 }),
  item('beta', 'Zoo', 'up'),
  item('gamma', 'Shop', 'paused'),
  item('delta', 'Shop', 'down', { last_error: 'connection_refused' }),
  item('node 10', 'Ring', 'up', { p95_ms: 500 }),
  item('node 9', 'Ring', 'unknown'),
];

const website = (name: string, status: Status = 'unknown'): GroupWebsite => ({
  id: name,
  name,
  url: `https://www.${name.toLowerCase()}.example.com/`,
  status,
  enabled: status !== 'paused',
  endpoint_count: 0,
  tags: [],
});

const shown = (filters: Partial<Filters>, websites: GroupWebsite[] = []) =>
  grouped(ITEMS, { ...ALL, ...filters }, websites).map(({ name, status, items }) => [
    name,
    status,
    ...items.map((each) => each.name),
  ]);

describe('the order of the overview', () => {
  it('puts degraded endpoints first as well, below those that are down', () => {
    const [slow, down] = [item('slow', 'Zoo', 'up', { degraded: true }), item('gone', 'Zoo', 'down')];
    const first = (...items: OverviewItem[]) => {
      const [group] = grouped([item('fine', 'Ring', 'up'), ...items], ALL);
      return [group?.name, group?.status, ...(group?.items ?? []).map(({ name }) => name)];
    };
    expect(first(slow)).toEqual(['Degraded', 'degraded', 'slow']);
    expect(first(slow, down)).toEqual(['Down and degraded', 'down', 'gone', 'slow']);
  });

  it('puts endpoints that are down first, of all websites, then the worst websites and their worst endpoints', () => {
    const more = [...ITEMS, item('omega', 'Zoo', 'down')];
    expect(
      grouped(more, ALL).map(({ name, above, items }) => [name, above, ...items.map((each) => each.name)]),
    ).toEqual([
      ['Down', 0, 'delta', 'omega'],
      ['Shop', 1, 'gamma'],
      ['Zoo', 1, 'alpha', 'beta'],
      ['Ring', 0, 'node 9', 'node 10'],
    ]);
  });

  it('orders by name with numbers in numeric order', () => {
    expect(shown({ order: 'name' })).toEqual([
      ['Ring', 'unknown', 'node 9', 'node 10'],
      ['Shop', 'down', 'delta', 'gamma'],
      ['Zoo', 'up', 'alpha', 'beta'],
    ]);
  });

  it('orders by latency, slowest first, over all websites', () => {
    expect(shown({ order: 'slowest' })).toEqual([
      ['All endpoints', 'unknown', 'node 10', 'alpha', 'beta', 'delta', 'gamma', 'node 9'],
    ]);
  });

  it('shows websites without an endpoint last, or in the order of names', () => {
    const websites = [website('Attic'), website('Shop', 'down'), website('Cellar', 'paused')];
    expect(shown({}, websites).map(([name]) => name)).toEqual(['Down', 'Shop', 'Ring', 'Zoo', 'Attic', 'Cellar']);
    expect(shown({ order: 'name' }, websites).map(([name]) => name)).toEqual([
      'Attic',
      'Cellar',
      'Ring',
      'Shop',
      'Zoo',
    ]);
  });

  it.each([
    [{ text: 'attic' }, ['Attic']],
    [{ text: 'www.attic' }, ['Attic']],
    [{ website: 'Attic' }, ['Attic']],
    [{ status: 'up' as const }, ['Ring', 'Zoo']],
    [{ status: 'down' as const }, ['Down']],
  ])('shows the heads that %j leaves', (filters, names) => {
    expect(shown(filters, [website('Attic')]).map(([name]) => name)).toEqual(names);
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

  it('counts the matches of text and website, in every status', () => {
    const filters: Filters = { ...ALL, text: 'zoo', status: 'down' };
    expect(countsOf(selected(ITEMS, filters))).toEqual({ up: 2, degraded: 0, down: 0, unknown: 0, paused: 0 });
  });

  it('counts endpoints by status', () =>
    expect(countsOf(ITEMS)).toEqual({ up: 3, degraded: 0, down: 1, unknown: 1, paused: 1 }));
});

describe('degraded, in maintenance, or tagged endpoints on the overview', () => {
  const maintenance = { id: 'mw_1', name: 'Patch', until: '', mute: true, exclude_from_uptime: true };
  const list = [
    item('slow', 'Shop', 'up', { degraded: true, tags: ['web'] }),
    item('fine', 'Shop', 'up'),
    item('broken', 'Ring', 'down', { degraded: true, maintenance, tags: ['prod', 'web'] }),
    item('lost', 'Ring', 'unknown', { tags: ['prod'] }),
  ];
  const websites = [{ ...website('Shop'), tags: ['prod'] }, website('Ring')];
  const names = (filters: Partial<Filters>) =>
    grouped(list, { ...ALL, ...filters }, websites).flatMap(({ items }) => items.map(({ name }) => name));

  it('shows up with a failing warning as degraded, and down as down', () =>
    expect(list.map(shownStatus)).toEqual(['degraded', 'up', 'down', 'unknown']));

  it('counts each endpoint in one category only', () =>
    expect(countsOf(list)).toEqual({ up: 1, degraded: 1, down: 1, unknown: 1, paused: 0 }));

  it('puts degraded after down, both above all websites', () => {
    expect(names({})).toEqual(['broken', 'slow', 'lost', 'fine']);
    expect(grouped(list, ALL, websites).map(({ name, status }) => [name, status])).toEqual([
      ['Down and degraded', 'down'],
      ['Ring', 'down'],
      ['Shop', 'degraded'],
    ]);
  });

  it.each([
    [{ status: 'degraded' as const }, ['slow']],
    [{ planned: true }, ['broken']],
    [{ tag: 'web' }, ['broken', 'slow']],
    [{ tag: 'none' }, []],
    [{ text: 'web' }, ['broken', 'slow']],
  ])('finds endpoints by %j', (filters, found) => expect(names(filters)).toEqual(found));

  it('finds an endpoint by a tag of its website as well', () =>
    expect(names({ tag: 'prod' })).toEqual(['broken', 'slow', 'lost', 'fine']));

  it('lists tags with the number of endpoints that have them, the most used first', () =>
    expect(tagsOf(list, websites)).toEqual([
      ['prod', 4],
      ['web', 2],
    ]));

  it('shows the head of a website without an endpoint only if it has the tag of the filter', () => {
    expect(grouped([], { ...ALL, planned: true }, websites)).toEqual([]);
    expect(grouped([], { ...ALL, tag: 'prod' }, websites).map(({ name }) => name)).toEqual(['Shop']);
  });
});

describe('the lines of the overview', () => {
  const lines = linesOf(grouped(ITEMS, { ...ALL, order: 'name' }), new Set());
  const tops = offsets(lines, 40, 52);

  it('stacks group heads and endpoints without gaps', () => {
    expect(lines).toHaveLength(9);
    expect(tops).toEqual([0, 40, 92, 144, 184, 236, 288, 328, 380, 432]);
  });

  it('leaves out the endpoints of a website that is folded', () => {
    const some = linesOf(grouped(ITEMS, ALL), new Set(['Ring']));
    expect(itemsOf(some).map(({ name }) => name)).toEqual(['delta', 'gamma', 'alpha', 'beta']);
    expect(some).toHaveLength(7);
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

it('lists the endpoints of a website, the worst first', () => {
  expect(ofWebsite(ITEMS, 'Shop').map(({ name }) => name)).toEqual(['delta', 'gamma']);
  expect(ofWebsite(ITEMS, 'Zoo').map(({ name }) => name)).toEqual(['alpha', 'beta']);
});
