import type { StatusMaintenance } from '../page-maintenance';
import { atomFeed } from './atom-feed';
import { activeWork, affected, nextWork, plannedWork } from './maintenance-html';
import { pathsOf } from './page-paths';

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
const planned = (all: StatusMaintenance[]): string => [...plannedWork(all, PATHS)].join('');
const PATHS = pathsOf('s', { root: '', hosted: false });
const names = (count: number) => Array.from({ length: count }, (_, i) => `E${i + 1}`);

describe('the text of announced maintenance', () => {
  it.each([
    [1, true, 'E1'],
    [3, true, 'everything on this page'],
    [3, false, 'E1, E2, E3'],
    [6, false, 'E1, E2, E3, E4, E5, E6'],
    [200, false, 'E1, E2, E3, E4, E5, 195 more'],
  ])('for %s endpoints, everything on the page: %s: %s', (count, everything, text) => {
    expect(affected({ endpoints: names(count), everything })).toBe(text);
  });

  it('is empty while nothing is announced', () => {
    const over = [work({ state: 'over' })];
    expect([active(over), nextWork(over), planned(over)]).toEqual(['', '', '']);
  });

  it('shows the end of active maintenance, and the start and end of planned maintenance', () => {
    expect(active([work({ state: 'active' })])).toContain(
      '<h2>Upgrade</h2><span class="small soft">Maintenance until <time datetime="2026-11-24T04:00:00.000Z">2026-11-24 04:00 UTC</time></span>',
    );
    expect(nextWork([work()])).toContain('<time datetime="2026-11-24T02:00:00.000Z">2026-11-24 02:00 UTC</time>');
    expect(planned([work({ ends_at: '2026-11-25T01:30:00.000Z' })])).toContain(
      '<time datetime="2026-11-24T02:00:00.000Z" data-until="2026-11-25T01:30:00.000Z">2026-11-24 02:00 to 2026-11-25 01:30 UTC</time>',
    );
  });

  it('lists a recurring window once, with seven times and a note that there are more', () => {
    const hourly = Array.from({ length: 8 }, (_, hour) =>
      work({ starts_at: `2026-11-24T0${hour}:00:00.000Z`, ends_at: `2026-11-24T0${hour}:30:00.000Z` }),
    );
    const html = planned(hourly);
    expect([html.match(/<h3>/g)?.length, html.match(/<time /g)?.length]).toEqual([1, 7]);
    expect(html).toContain('and more times');
    expect(planned(hourly.slice(1))).not.toContain('and more times');
  });

  it.each(['active', 'planned'] as const)('is always rendered as text: %s', (state) => {
    const hostile = [work({ state, name: HOSTILE, description: `${HOSTILE}\n\n${HOSTILE}`, endpoints: [HOSTILE] })];
    const html = active(hostile) + planned(hostile);
    expect(html).not.toContain('<img');
    expect(html.split(SAFE)).toHaveLength(5);
    expect(html).toContain(`<p>${SAFE}</p><p>${SAFE}</p>`);
  });

  it('is always rendered as text in the feed, whose entries are sorted by their last change', () => {
    const look = {
      id: 'p',
      accent: null,
      hasLogo: false,
      domain: null,
      indexed: true,
      supportUrl: null,
      changedAt: '2026-01-01T00:00:00.000Z',
    };
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
