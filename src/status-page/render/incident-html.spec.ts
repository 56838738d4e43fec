import type { StatusIncident } from '../page-incidents';
import { publicText } from '../incident-words';
import { linked, openIncidents, pastIncidents } from './incident-html';

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
const open = (incidents: StatusIncident[]): string => [...openIncidents(incidents, NOW)].join('');
const past = (incidents: StatusIncident[]): string => [...pastIncidents(incidents, NOW)].join('');

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
  it('show all updates while they are open, newest first (Kuma #579)', () => {
    const shown = open([incident({ updates: ['third', 'second', 'first'].map((text) => update(text)) })]);
    expect([...shown.matchAll(/<p class="text" dir="auto">([^<]+)/g)].map(([, text]) => text)).toEqual([
      'third',
      'second',
      'first',
    ]);
    expect(shown).toContain(`<h2 dir="auto">Login is down</h2>`);
    expect(shown).toContain(`Affects Login. Since <time datetime="${AT}">2026-11-24 02:00 UTC</time>, for 1 h 30 min.`);
    expect(past([incident()])).toBe('');
  });

  it('are below a separate heading when they are over, with the last update, and earlier updates folded', () => {
    const over = incident({
      ended_at: NOW,
      status: 'resolved',
      updates: [update('All well.', 'resolved'), update('Bad.')],
    });
    const shown = past([over]);
    expect(shown).toMatch(
      /<h2>Past incidents<\/h2>.+<h3 dir="auto">.+Resolved.+All well\..+<summary>1 earlier update<\/summary>.+Bad\./s,
    );
    expect(open([over])).toBe('');
  });

  it('show when older updates are left out, and show an update without text by its status', () => {
    const shown = open([incident({ more: true, updates: [update('', 'monitoring'), update('x', null)] })]);
    expect(shown).toContain('Older updates are not shown.');
    expect(shown).toContain('<strong>Monitoring</strong>');
    expect(shown).toContain('<strong>Update</strong>');
    expect(shown).not.toContain('<p class="text" dir="auto"></p>');
  });

  it('are rendered as text even with hostile titles and names', () => {
    const shown = open([incident({ title: '<b>"&', endpoints: ["<i>'"] })]);
    expect(shown).toContain('&lt;b&gt;&quot;&amp;');
    expect(shown).not.toMatch(/<[bi]>/);
  });
});
