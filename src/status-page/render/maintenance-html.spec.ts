import type { StatusDay } from '../status-snapshot';
import type { StatusMaintenance } from '../page-maintenance';
import { atomFeed } from './atom-feed';
import { dayBars, dayItems } from './day-bars';
import { activeWork, affected, nextWork, plannedWork } from './maintenance-html';

const HOSTILE = `<img src=x onerror="alert(1)">'&`;
const SAFE = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;';

const work = (change: Partial<StatusMaintenance> = {}): StatusMaintenance => ({
  id: '0',
  window: 'w',
  name: 'Upgrade',
  description: '',
  starts_at: '2026-11-24T02:00:00.000Z',
  ends_at: '2026-11-24T04:00:00.000Z',
  state: 'planned',
  endpoints: ['Checkout'],
  everything: false,
  published_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
  ...change,
});
const active = (all: StatusMaintenance[]): string => [...activeWork(all)].join('');
const planned = (all: StatusMaintenance[]): string => [...plannedWork(all)].join('');
const names = (count: number) => Array.from({ length: count }, (_, i) => `E${i + 1}`);

describe('announced work in words', () => {
  it.each([
    [1, true, 'E1'],
    [3, true, 'everything on this page'],
    [3, false, 'E1, E2, E3'],
    [6, false, 'E1, E2, E3, E4, E5, E6'],
    [200, false, 'E1, E2, E3, E4, E5, 195 more'],
  ])('of %s endpoints, all that is shown: %s: %s', (count, everything, text) => {
    expect(affected({ endpoints: names(count), everything })).toBe(text);
  });

  it('is silent while nothing is announced', () => {
    const over = [work({ state: 'over' })];
    expect([active(over), nextWork(over), planned(over)]).toEqual(['', '', '']);
  });

  it('says of active work until when, and of planned work from when until when', () => {
    expect(active([work({ state: 'active' })])).toContain(
      '<h2>Upgrade</h2><span>Maintenance until <time datetime="2026-11-24T04:00:00.000Z">2026-11-24 04:00 UTC</time></span>',
    );
    expect(nextWork([work()])).toContain('<time datetime="2026-11-24T02:00:00.000Z">2026-11-24 02:00 UTC</time>');
    expect(planned([work({ ends_at: '2026-11-25T01:30:00.000Z' })])).toContain(
      '<time datetime="2026-11-24T02:00:00.000Z" data-until="2026-11-25T01:30:00.000Z">2026-11-24 02:00 to 2026-11-25 01:30 UTC</time>',
    );
  });

  it('lists a recurring window once, with seven times and a word that there are more', () => {
    const hourly = Array.from({ length: 8 }, (_, hour) =>
      work({ starts_at: `2026-11-24T0${hour}:00:00.000Z`, ends_at: `2026-11-24T0${hour}:30:00.000Z` }),
    );
    const html = planned(hourly);
    expect([html.match(/<h3>/g)?.length, html.match(/<time /g)?.length]).toEqual([1, 7]);
    expect(html).toContain('and more times');
    expect(planned(hourly.slice(1))).not.toContain('and more times');
  });

  it.each(['active', 'planned'] as const)('cannot be anything but text: %s', (state) => {
    const hostile = [work({ state, name: HOSTILE, description: `${HOSTILE}\n\n${HOSTILE}`, endpoints: [HOSTILE] })];
    const html = active(hostile) + planned(hostile);
    expect(html).not.toContain('<img');
    expect(html.split(SAFE)).toHaveLength(5);
    expect(html).toContain(`<p>${SAFE}</p><p>${SAFE}</p>`);
  });

  it('cannot be anything but text in the feed, whose entries are sorted by what happened last', () => {
    const look = { id: 'p', accent: null, hasLogo: false, domain: null, changedAt: '2026-01-01T00:00:00.000Z' };
    const page = { slug: 's', name: 'S', description: '', status: 'up', updated_at: '', look, endpoints: [] } as const;
    const works = [
      work({ id: '1', name: HOSTILE, description: `${HOSTILE}\u0000` }),
      work({ id: '2', state: 'active', updated_at: '2026-11-22T02:00:00.000Z' }),
      work({ id: '3', state: 'over', updated_at: '2026-11-21T02:00:00.000Z' }),
    ];
    const xml = [
      ...atomFeed({ ...page, endpoints: [], incidents: [], outages: [], otherOutages: [], maintenance: works }, null),
    ].join('');
    expect([...xml.matchAll(/<id>urn:uuid:(\d)<\/id>\n<title>([^<]+)</g)].map(([, id, title]) => [id, title])).toEqual([
      ['2', 'Maintenance in progress: Upgrade'],
      ['3', 'Maintenance completed: Upgrade'],
      ['1', `Planned maintenance: ${SAFE}`],
    ]);
    expect(xml).toContain('<updated>2026-11-22T02:00:00.000Z</updated>\n<author>');
    expect(xml).toContain(`2026-11-24 02:00 to 04:00 UTC. Affects Checkout.\n${SAFE}\ufffd</content>`);
  });
});

describe('a day with planned maintenance', () => {
  const day = (up: number, down: number, planned: boolean): StatusDay => ({
    date: '2026-11-20',
    up,
    down,
    unknown: 0,
    excluded: planned && up + down === 0,
    planned,
  });

  it.each([
    ['is dashes alone when nothing else was checked', day(0, 0, true), ['work'], 'planned maintenance'],
    [
      'is dashes below what else there was',
      day(10, 0, true),
      ['ok', 'work'],
      'planned maintenance, otherwise 100% of 10 checks',
    ],
    [
      'shows failures all the same',
      day(9, 1, true),
      ['bad', 'ok', 'work'],
      'planned maintenance, otherwise 90.00% of 10 checks',
    ],
    ['is like any other without', day(10, 0, false), ['ok'], '100% of 10 checks'],
  ])('%s', (_, one, kinds, text) => {
    const svg = dayBars([one], '');
    expect([...svg.matchAll(/<path class="(\w+)"/g)].map(([, kind]) => kind)).toEqual(kinds);
    expect(svg).toContain(`<title>2026-11-20: ${text}</title>`);
    expect(dayItems([one])).toContain(`<span>${text}</span>`);
  });

  it('stands alone in the list of days', () => {
    const days = [day(10, 0, false), day(10, 0, true), day(10, 0, true), day(10, 0, false)];
    expect(dayItems(days).match(/<li>/g)).toHaveLength(4);
  });
});
