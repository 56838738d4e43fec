import type { StatusIncident } from '../page-incidents';
import { publicText } from '../incident-words';
import { incidentHtml, linked, openIncidents, pastList } from './incident-html';
import { pathsOf } from './page-paths';

const AT = '2026-11-24T02:00:00.000Z';
const update = (text: string, status: StatusIncident['status'] | null = 'identified') => ({ at: AT, status, text });
const incident = (fields: Partial<StatusIncident> = {}): StatusIncident => ({
  id: 'id',
  title: 'Login is down',
  status: 'identified',
  started_at: AT,
  ended_at: null,
  endpoints: ['Login'],
  everything: false,
  updates: [update('The load balancer lost power.')],
  more: false,
  published_at: AT,
  updated_at: AT,
  ...fields,
});
const NOW = '2026-11-24T03:30:00.000Z';
const LINKS = { paths: pathsOf('shop', { root: '', hosted: false }), absolute: null };
const LOOK = {
  id: 'p',
  accent: null,
  hasLogo: false,
  domain: null,
  indexed: true,
  supportUrl: null,
  changedAt: AT,
};
const open = (incidents: StatusIncident[], down: string[] = []): string =>
  [...openIncidents(incidents, new Set(down), { updated_at: NOW }, LINKS)].join('');
const past = (incidents: StatusIncident[], outages: Parameters<typeof pastList>[0]['outages'] = []): string =>
  [...pastList({ incidents, outages }, NOW, LINKS, 'None.')].join('');
const alone = (shown: StatusIncident): string =>
  [...incidentHtml({ name: 'Shop', look: LOOK, updated_at: NOW, incident: shown }, LINKS)].join('');

describe('the text of an update', () => {
  it.each([
    ['plain', 'plain'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['data:text/html,x ftp://a.example //b.example', 'data:text/html,x ftp://a.example //b.example'],
    [
      'See https://a.example/x?a=1&b="2".',
      'See <a href="https://a.example/x?a=1&amp;b=" rel="nofollow noreferrer">https://a.example/x?a=1&amp;b=</a>&quot;2&quot;.',
    ],
    ['(http://a.example)', '(<a href="http://a.example/" rel="nofollow noreferrer">http://a.example</a>)'],
    ['https://', 'https://'],
    ['https://[nonsense', 'https://[nonsense'],
    [
      'javascript:https://a.example',
      'javascript:<a href="https://a.example/" rel="nofollow noreferrer">https://a.example</a>',
    ],
  ])('%j is shown as %j', (text, shown) => {
    expect(linked(text)).toBe(shown);
  });

  it('is escaped at its maximum length', () => {
    expect(linked('&'.repeat(5000))).toBe('&amp;'.repeat(5000));
    const hostile = ['https://', 'https://a.', 'https://)', '<https://a', 'http://a..'].map((part) => part.repeat(500));
    for (const text of hostile) expect(linked(text)).not.toMatch(/<(?!a href="https?:\/\/|\/a>)/);
  });

  it('takes linear, not quadratic, time for each mark that can end a sentence', () => {
    const texts = [...".,;:!?)]}'*_"].map((mark) => `http://${mark.repeat(4992)}a`);
    const before = process.cpuUsage();
    for (const text of [...texts, ...texts, ...texts]) expect(linked(text).length).toBeGreaterThan(4000);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(200);
  });

  it.each([
    ['http://user:pw@a.example/x', 'http://a.example/x', 'http://a.example/x'],
    ['https://bank.example@evil.example', 'https://evil.example', 'https://evil.example/'],
    ['https://a@b:c@d.example?u=x@y', 'https://d.example?u=x@y', 'https://d.example/?u=x@y'],
    ['https:////user:pw@a.example', 'https://a.example', 'https://a.example/'],
    [
      String.raw`https://a.example\@b.example`,
      String.raw`https://a.example\@b.example`,
      'https://a.example/@b.example',
    ],
    ['https://a.example/@name', 'https://a.example/@name', 'https://a.example/@name'],
  ])('shows and links %s without credentials', (written, shown, href) => {
    expect(linked(`See ${written}.`)).toBe(`See <a href="${href}" rel="nofollow noreferrer">${shown}</a>.`);
    expect(publicText(`See ${written}.`)).toBe(`See ${shown}.`);
  });
});

describe('the incidents of a page', () => {
  const texts = (html: string) => [...html.matchAll(/<p class="text" dir="auto">([^<]+)/g)].map(([, text]) => text);

  it('show their newest updates while they are open, and link to a page with all of them (Kuma #579)', () => {
    const long = incident({ updates: ['fourth', 'third', 'second', 'first'].map((text) => update(text)) });
    const shown = open([long]);
    expect(texts(shown)).toEqual(['fourth', 'third', 'second']);
    expect(texts(alone(long))).toEqual(['fourth', 'third', 'second', 'first']);
    expect(shown).toContain('<a href="/status/shop/incidents/id">All updates</a>');
    expect(shown).toContain(`<h2 dir="auto">Login is down</h2>`);
    expect(shown).toContain(
      `Affects Login. Started <time datetime="${AT}">2026-11-24 02:00 UTC</time>, 1 h 30 min ago.`,
    );
    expect(open([incident()])).toContain('<a href="/status/shop/incidents/id">Permalink</a>');
  });

  it('are red while one of their endpoints is down', () => {
    expect(open([incident()], ['Login'])).toContain('<section class="hero down">');
    expect(open([incident()], ['Search'])).toContain('<section class="hero incident">');
  });

  it('are in one list with other outages when they are over, newest first, with their last text', () => {
    const over = incident({
      ended_at: NOW,
      status: 'resolved',
      updates: [update('', 'resolved'), update('All well.'), update('Bad.')],
    });
    const outage = { id: 'o', endpoint: 'Mail', ended_at: NOW, reason: 'connection refused' };
    const shown = past(
      [over],
      [
        { ...outage, started_at: '2026-11-24T01:00:00.000Z' },
        { ...outage, started_at: '2026-11-24T03:00:00.000Z' },
      ],
    );
    expect([...shown.matchAll(/<h3[^>]*>(?:<a [^>]+>)?([^<]+)/g)].map(([, title]) => title)).toEqual([
      'Mail was down',
      'Login is down',
      'Mail was down',
    ]);
    expect(shown).toContain('<p class="small soft" dir="auto">All well.</p>');
    expect(shown).not.toContain('Bad.');
    expect([open([over]), past([])]).toEqual(['', '\n<p class="soft">None.</p>']);
  });

  it('show when older updates are left out, and show an update without text by its status', () => {
    const long = incident({ more: true, updates: [update('', 'monitoring'), update('x', null)] });
    expect(open([long])).toContain('All updates');
    const shown = alone(long);
    expect(shown).toContain('Older updates are not shown.');
    expect(shown).toContain('<strong>Monitoring</strong>');
    expect(shown).toContain('<strong>Update</strong>');
    expect(shown).not.toContain('<p class="text" dir="auto"></p>');
  });

  it('are rendered as text even with hostile titles and names', () => {
    const hostile = incident({ title: '<b>"&', endpoints: ["<i>'"], updates: [update('"><b>')] });
    for (const shown of [open([hostile]), alone(hostile), past([{ ...hostile, ended_at: NOW }])]) {
      expect(shown).toContain('&lt;b&gt;&quot;&amp;');
      expect(shown).not.toMatch(/<[bi]>/);
    }
  });

  it('have a page with a title and a description for shared links', () => {
    const shown = alone(incident());
    expect(shown).toContain('<title>Shop: Login is down</title>');
    expect(shown).toContain('<meta property="og:description" content="The load balancer lost power.">');
    expect(shown).toContain('<a href="/status/shop">Current status</a>');
  });
});
