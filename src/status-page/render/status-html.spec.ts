import { SHOWN_DAYS } from '../shown-days';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';
import { pathsOf } from './page-paths';
import { statusHtml } from './status-html';

const NOW = '2026-11-24T12:00:00.000Z';
const dates = Array.from({ length: SHOWN_DAYS }, (_, at) =>
  new Date(Date.parse(NOW) - (SHOWN_DAYS - 1 - at) * 86_400_000).toISOString().slice(0, 10),
);
const endpoint = (name: string, change: Partial<StatusEndpoint> = {}): StatusEndpoint => ({
  name,
  group: '',
  status: 'up',
  degraded: false,
  maintenance: null,
  days: dates.map((date) => ({ date, up: 1440, down: 0, unknown: 0, excluded: false, planned: false })),
  ...change,
});
/** A failure on every sixth day, of a different severity each time, and maintenance every two weeks. */
const bad = dates.map((date, at) => ({
  date,
  up: 1400,
  down: at % 6 === 0 ? ([1, 40, 700][(at / 6) % 3] ?? 0) : 0,
  unknown: 0,
  excluded: false,
  planned: at % 14 === 3,
}));
const page = (change: Partial<StatusSnapshot> = {}): StatusSnapshot => ({
  slug: 'shop',
  name: 'Example',
  description: '',
  status: 'up',
  updated_at: NOW,
  look: {
    id: 'p',
    accent: null,
    hasLogo: false,
    domain: null,
    indexed: true,
    supportUrl: null,
    changedAt: NOW,
  },
  endpoints: [endpoint('Storefront')],
  incidents: [],
  outages: [],
  otherOutages: [],
  maintenance: [],
  ...change,
});
const LINKS = {
  paths: pathsOf('shop', { root: '', hosted: false }),
  absolute: pathsOf('shop', { root: 'https://uptime.example.com/monitor', hosted: false }),
};
const shown = (snapshot: StatusSnapshot, isRefreshed = true): string =>
  [...statusHtml(snapshot, LINKS, isRefreshed)].join('');

describe('a status page', () => {
  it('of 50 endpoints takes at most 90 KB, even if each is down and had failures on fifteen days', () => {
    const endpoints = Array.from({ length: 50 }, (_, at) =>
      endpoint(`Endpoint number ${at}`, { group: `Group ${Math.floor(at / 5)}`, days: bad, status: 'down' }),
    );
    const outages = Array.from({ length: 20 }, (_, at) => ({
      id: `${at}`,
      endpoint: `Endpoint number ${at}`,
      started_at: '2026-11-24T01:00:00.000Z',
      ended_at: at < 10 ? null : NOW,
      reason: 'the response was not complete in time',
    }));
    const html = shown(page({ endpoints, outages, otherOutages: outages }));
    expect(Buffer.byteLength(html)).toBeLessThan(90_000);
  });

  it('folds groups in which everything is operational, if there are several', () => {
    const endpoints = [
      endpoint('Storefront', { group: 'Shop', status: 'down' }),
      endpoint('REST', { group: 'API' }),
      endpoint('Queue', { group: 'Platform', degraded: true }),
    ];
    const folded = (html: string) =>
      [...html.matchAll(/<details class="fold"( open)?><summary><div class="row"><h3 class="group">(\w+)/g)].map(
        ([, open, name]) => [name, open === undefined],
      );
    expect(folded(shown(page({ endpoints })))).toEqual([
      ['Shop', false],
      ['API', true],
      ['Platform', false],
    ]);
    expect(folded(shown(page({ endpoints: [endpoint('REST', { group: 'API' })] })))).toEqual([['API', false]]);
  });

  it('shows what is down and since when, next to the incidents that explain the rest', () => {
    const endpoints = [endpoint('Checkout', { status: 'down' }), endpoint('Mail', { status: 'down' }), endpoint('Web')];
    const outage = { id: 'o', endpoint: 'Mail', started_at: '2026-11-24T11:46:00.000Z', reason: 'connection refused' };
    const incident = {
      id: 'i',
      title: 'Card payments fail',
      status: 'identified' as const,
      started_at: '2026-11-24T11:00:00.000Z',
      ended_at: null,
      endpoints: ['Checkout'],
      everything: false,
      updates: [{ at: NOW, status: 'identified' as const, text: 'A release.' }],
      more: false,
      published_at: NOW,
      updated_at: NOW,
    };
    const html = shown(
      page({ status: 'down', endpoints, incidents: [incident], otherOutages: [{ ...outage, ended_at: null }] }),
    );
    expect([...html.matchAll(/<section class="hero (\w+)">/g)].map(([, state]) => state)).toEqual(['down', 'down']);
    expect(html).toContain('<span>Partial outage: Mail</span>');
    expect(html).toMatch(
      /<strong>Mail<\/strong> <span class="soft">connection refused · since <time [^>]+>[^<]+<\/time>, 14 min/,
    );
    expect(html).not.toContain('<h3>Mail was down</h3>');
    expect(html).toContain('<h2 dir="auto">Card payments fail</h2>');
  });

  it('describes itself to search engines and chats with absolute URLs', () => {
    const html = shown(page({ description: 'All   our\nservices.', look: { ...page().look, hasLogo: true } }));
    for (const tag of [
      '<title>Example: All services are operational</title>',
      '<meta name="description" content="All services are operational. All our services.">',
      '<link rel="canonical" href="https://uptime.example.com/monitor/status/shop">',
      '<meta property="og:title" content="Example: All services are operational">',
      '<meta property="og:url" content="https://uptime.example.com/monitor/status/shop">',
      '<meta property="og:image" content="https://uptime.example.com/monitor/status/shop/logo">',
      '<a href="webcal://uptime.example.com/monitor/status/shop/calendar.ics">',
    ])
      expect(html).toContain(tag);
    expect(html).not.toContain('noindex');
    expect(shown(page({ look: { ...page().look, indexed: false } }))).toContain(
      '<meta name="robots" content="noindex">',
    );
  });

  it('has a link to report a problem if the page has one, and says whether it updates', () => {
    const supportUrl = 'mailto:help@example.com?subject="<b>"';
    const html = shown(page({ look: { ...page().look, supportUrl } }));
    expect(html).toContain(
      'href="mailto:help@example.com?subject=&quot;&lt;b&gt;&quot;" rel="noreferrer">Report a problem<',
    );
    expect(shown(page())).not.toContain('Report a problem');
    expect(shown(page())).toContain('Updates every minute · <a href="/status/shop?refresh=off">Pause updates</a>');
    expect(shown(page(), false)).toContain('Updates are paused · <a href="/status/shop">Resume updates</a>');
  });
});
