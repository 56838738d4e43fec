import {
  type AffectedEndpoint,
  downtimeMs,
  incidentsOf,
  mayShow,
  periodsOf,
  type PublicIncident,
  type PublicUpdate,
} from './page-incidents';

const ORG = 'org';
const endpoint = (id: string, works = false): AffectedEndpoint => ({
  id,
  name: id.toUpperCase(),
  orgId: ORG,
  websiteId: `website of ${id}`,
  tags: [`tag of ${id}`],
  works,
});
const update = (at: number, status: PublicUpdate['status'] = null, editedAt: number | null = null): PublicUpdate => ({
  at,
  editedAt,
  status,
  text: `said at ${at}`,
});
const incident = (fields: Partial<PublicIncident> = {}, ...members: string[]): PublicIncident => ({
  orgId: ORG,
  id: 'incident',
  severity: 'down',
  title: null,
  status: null,
  startedAt: new Date(1000),
  endedAt: null,
  publicAt: new Date(2000),
  coversAll: false,
  websiteIds: [],
  endpointIds: [],
  tags: [],
  members: members.map((id) => ({ id, from: 1000, until: null })),
  updates: [update(2000, 'investigating')],
  more: false,
  ...fields,
});
const manual = (fields: Partial<PublicIncident>) => incident({ severity: null, ...fields });
const shown = ['a', 'b', 'c'].map((id) => endpoint(id));
const one = (read: PublicIncident, endpoints = shown) => incidentsOf([read], endpoints)[0];

describe('an incident on a page', () => {
  it.each<[string, PublicIncident, string[] | undefined]>([
    ['its members, in the order of the page', incident({}, 'c', 'a'), ['A', 'C']],
    ['no member that the page does not show', incident({}, 'b', 'hidden'), ['B']],
    ['nothing, and is not shown, if the page shows none of them', incident({}, 'hidden'), undefined],
    ['the endpoints of its scope', manual({ endpointIds: ['b'] }), ['B']],
    ['the endpoints of the websites of its scope', manual({ websiteIds: ['website of c'] }), ['C']],
    ['those with a tag of its scope', manual({ tags: ['tag of a'] }), ['A']],
    ['everything', manual({ coversAll: true }), ['A', 'B', 'C']],
    ['nothing of another organization', manual({ coversAll: true, orgId: 'other' }), undefined],
    ['nothing, and is not shown, if there are no public updates', incident({ updates: [] }, 'a'), undefined],
  ])('names %s', (_, read, names) => {
    expect(one(read)?.endpoints).toEqual(names);
  });

  it.each<[string, PublicIncident, AffectedEndpoint[]]>([
    ['A is down', incident({}, 'a'), shown],
    ['A and B are down', incident({}, 'a', 'b'), shown],
    ['A and 2 more are down', incident({}, 'a', 'b', 'c', 'hidden'), shown],
    ['A and B are degraded', incident({ severity: 'degraded' }, 'a', 'b'), shown],
    ['A was down', incident({ endedAt: new Date(3000) }, 'a'), shown],
    ['A and B were down', incident({ endedAt: new Date(3000) }, 'a', 'b'), shown],
    ['C is affected', manual({ endpointIds: ['c'] }), shown],
    ['A and 2 more were affected', manual({ coversAll: true, endedAt: new Date(3000) }), shown],
    ['Our words', incident({ title: 'Our words' }, 'a'), shown],
  ])('is called "%s"', (title, read, endpoints) => {
    expect(one(read, endpoints)?.title).toBe(title);
  });

  it('shows that recovered endpoints were down, even while it is open (Cachet #790, #2423, #4578)', () => {
    const read = incident({}, 'a', 'b');
    expect(one(read, [endpoint('a', true), endpoint('b')])?.title).toBe('A and B are down');
    expect(one(read, [endpoint('a', true), endpoint('b', true)])?.title).toBe('A and B were down');
  });

  it.each<[string, string, Partial<PublicIncident>]>([
    [
      'what was said publicly last',
      'identified',
      { updates: [update(3), update(2, 'identified'), update(1, 'investigating')] },
    ],
    ['without the internal status if there are public updates', 'investigating', { status: 'monitoring' }],
    ['of the internal status without public updates', 'identified', { status: 'identified', updates: [update(1)] }],
    ['that at least someone investigates', 'investigating', { updates: [update(1)] }],
    [
      'that it is over, also with a postmortem',
      'resolved',
      { endedAt: new Date(5), updates: [update(6, 'postmortem')] },
    ],
    ['that it is over, even if no one closed it', 'resolved', { endedAt: new Date(5), status: 'monitoring' }],
  ])('has the status %s: %s', (_, status, fields) => {
    expect(one(incident(fields, 'a'))?.status).toBe(status);
  });

  it.each<[string, number, Partial<PublicIncident>]>([
    ['the newest update', 4000, { updates: [update(4000), update(3000)] }],
    ['a change of an older one', 5000, { updates: [update(4000), update(3000, null, 5000)] }],
    ['its end', 6000, { updates: [update(4000)], endedAt: new Date(6000) }],
  ])('was last changed by %s', (_, at, fields) => {
    expect(one(incident(fields, 'a'))?.updated_at).toBe(new Date(at).toISOString());
  });

  it('has an ID that reveals nothing about the incident and is the same on each page', () => {
    const [first] = incidentsOf([incident({ id: '0193b3e0-0000-7000-8000-000000000001' }, 'a')], shown);
    const [second] = incidentsOf([incident({ id: '0193b3e0-0000-7000-8000-000000000001' }, 'b')], [endpoint('b')]);
    expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8/);
    expect(second?.id).toBe(first?.id);
    expect(first?.id).not.toContain('0193b3e0');
  });
});

describe('a change of an incident', () => {
  const publicAt = new Date();
  it.each([
    ['updated', publicAt, true],
    ['updated', null, true],
    ['deleted', null, true],
    ['merged', null, true],
    ['ended', publicAt, true],
    ['joined', publicAt, true],
    ['ended', null, false],
    ['joined', null, false],
    ['opened', null, false],
    ['acknowledged', publicAt, false],
  ] as const)('"%s", public since %s, may be seen on a page: %s', (change, since, seen) => {
    expect(mayShow({ incident: { publicAt: since }, change })).toBe(seen);
  });
});

describe('the downtime of an incident on a page', () => {
  it.each<[string, [number, number | null][], [number, number | null][]]>([
    ['nothing', [], []],
    ['one', [[1, 5]], [[1, 5]]],
    [
      'two that overlap, in any order',
      [
        [4, 9],
        [1, 5],
      ],
      [[1, 9]],
    ],
    [
      'two apart',
      [
        [1, 5],
        [7, null],
      ],
      [
        [1, 5],
        [7, null],
      ],
    ],
    [
      'one within an open one',
      [
        [1, null],
        [3, 4],
      ],
      [[1, null]],
    ],
  ])('consists of the periods of its outages: %s', (_, outages, expected) => {
    const periods = periodsOf(outages.map(([from, until]) => ({ from, until })));
    expect(periods.map(({ from, until }) => [from, until])).toEqual(expected);
  });

  it('does not include the time between two outages', () => {
    const outages = [
      { id: 'a', from: 1000, until: 308_000 },
      { id: 'a', from: 498_000, until: null },
    ];
    const read = one(incident({ outages }, 'a'));
    expect(read?.outages).toHaveLength(2);
    expect(read && downtimeMs(read, new Date(594_000).toISOString())).toBe(403_000);
  });
});
