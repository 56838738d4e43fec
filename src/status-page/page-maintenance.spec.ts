import { type Announcement, endpointMaintenance, maintenanceOf, type ShownEndpoint } from './page-maintenance';

const NOW = new Date('2026-11-23T12:00:00Z');
const at = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000);
const iso = (hours: number): string => at(hours).toISOString();

const shown: ShownEndpoint[] = ['Checkout', 'Search', 'Mail'].map((name) => ({
  id: name,
  orgId: 'o',
  websiteId: name === 'Mail' ? 'mail' : 'shop',
  tags: name === 'Search' ? ['db'] : [],
  name,
}));

const announced = (startsAt: number, endsAt: number, change: Partial<Announcement> = {}): Announcement => ({
  orgId: 'o',
  windowId: 'w',
  name: 'Upgrade',
  startsAt: at(startsAt),
  endsAt: at(endsAt),
  mute: true,
  excludeFromUptime: true,
  public: true,
  coversAll: true,
  websiteIds: [],
  endpointIds: [],
  tags: [],
  description: '',
  recurring: false,
  announcedAt: at(-72),
  changedAt: at(-72),
  ...change,
});
const times = (rows: readonly Announcement[]) =>
  maintenanceOf(rows, shown, NOW).map(({ starts_at, ends_at, state }) => [starts_at, ends_at, state]);

describe('announced maintenance on a page', () => {
  it('is planned until it starts, active until before it ends, then over', () => {
    const rows = [announced(0.01, 1), announced(0, 1), announced(-1, 0.01), announced(-1, 0)];
    const states = rows.flatMap((row) => maintenanceOf([row], shown, NOW).map(({ state }) => state));
    expect(states).toEqual(['planned', 'active', 'active', 'over']);
  });

  it.each([
    ['everything', { coversAll: true }, ['Checkout', 'Search', 'Mail'], true],
    ['a website', { coversAll: false, websiteIds: ['shop'] }, ['Checkout', 'Search'], false],
    ['an endpoint', { coversAll: false, endpointIds: ['Mail'] }, ['Mail'], false],
    ['a tag', { coversAll: false, tags: ['db'] }, ['Search'], false],
  ])('names what it covers: %s', (_, scope, endpoints, everything) => {
    expect(maintenanceOf([announced(1, 2, scope)], shown, NOW)).toMatchObject([{ endpoints, everything }]);
  });

  it.each([
    ['something else', { coversAll: false, websiteIds: ['other'], endpointIds: ['other'], tags: ['other'] }],
    ['another organization', { orgId: 'other' }],
  ])('is not shown if it is about %s', (_, scope) => {
    expect(maintenanceOf([announced(-1, 2, scope)], shown, NOW)).toEqual([]);
  });

  it('is one entry if its window was changed while it ran', () => {
    const rows = [announced(-2, -1), announced(-1, 3, { name: 'Upgrade, longer' })];
    expect(maintenanceOf(rows, shown, NOW)).toMatchObject([
      { name: 'Upgrade, longer', starts_at: iso(-2), ends_at: iso(3), state: 'active' },
    ]);
  });

  it('happens once if a one-time window was ended and postponed', () => {
    expect(times([announced(-2, -1), announced(5, 6)])).toEqual([[iso(5), iso(6), 'planned']]);
  });

  it('happens each time if it recurs, soonest first, each with its own ID', () => {
    const rows = [29, 5, -19].map((hour) => announced(hour, hour + 1, { recurring: true }));
    expect(times(rows)).toEqual([
      [iso(-19), iso(-18), 'over'],
      [iso(5), iso(6), 'planned'],
      [iso(29), iso(30), 'planned'],
    ]);
    const works = maintenanceOf(rows, shown, NOW);
    expect(new Set(works.map(({ id }) => id)).size).toBe(3);
    expect(new Set(works.map(({ window }) => window)).size).toBe(1);
  });

  it('keeps the ID of a one-time window that is postponed, changed, or ended, and of a deleted occurrence among known ones', () => {
    const idsOf = (rows: readonly Announcement[]) => maintenanceOf(rows, shown, NOW).map(({ id }) => id);
    const [id] = idsOf([announced(5, 6)]);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(idsOf([announced(20, 21, { name: 'Later' })])).toEqual([id]);
    expect(idsOf([announced(-2, -1)])).toEqual([id]);
    expect(idsOf([announced(-2, -1, { recurring: null })])).toEqual([id]);
    const daily = (recurring: boolean | null) => [-25, -1].map((hour) => announced(hour, hour + 1, { recurring }));
    expect(idsOf(daily(null))).toEqual(idsOf(daily(true)));
  });

  it.each([
    ['announced today', announced(5, 6, { announcedAt: at(-2), changedAt: at(-2) }), iso(-2), iso(-2)],
    ['changed since', announced(5, 6, { changedAt: at(-1) }), iso(-72), iso(-1)],
    [
      'of a window that is years old',
      announced(100, 101, { announcedAt: at(-9999), changedAt: at(-9999) }),
      iso(-68),
      iso(-68),
    ],
    ['under way', announced(-1, 6), iso(-72), iso(-1)],
    ['changed while it runs', announced(-2, 6, { changedAt: at(-1) }), iso(-72), iso(-1)],
    ['over', announced(-3, -1), iso(-72), iso(-1)],
    [
      'over and deleted',
      announced(-3, -1, { recurring: null, announcedAt: null, changedAt: null }),
      iso(-171),
      iso(-1),
    ],
  ])('shows when it was first published, and when it last changed: %s', (_, row, published, updated) => {
    expect(maintenanceOf([row], shown, NOW)).toMatchObject([{ published_at: published, updated_at: updated }]);
  });

  it('lasts on an endpoint until the last of several consecutive windows ends', () => {
    const [checkout, , mail] = shown;
    if (!checkout || !mail) throw new Error('nothing is shown');
    const rows = [
      announced(-1, 1, { windowId: 'a', coversAll: false, websiteIds: ['shop'] }),
      announced(1, 2, { windowId: 'b' }),
    ];
    expect(endpointMaintenance(rows, checkout, NOW)).toEqual({ name: 'Upgrade', until: iso(2) });
    expect(endpointMaintenance(rows, mail, NOW)).toBeNull();
  });
});
