import { Config } from '../../platform/config/config';
import { Clock } from '../../platform/time/clock';
import { PublicPages } from './public-pages';
import { SHOWN_DAYS } from '../shown-days';
import { type PublishedPage, type StatusSnapshot, type StatusSnapshots } from '../status-snapshot';

class StoppedClock extends Clock {
  atMs = 0;
  override monotonic(): number {
    return this.atMs;
  }
}

const PAGE = {
  title: null,
  description: '',
  accent: null,
  logoHash: null,
  domain: null,
  groups: null,
  changedAt: new Date('2026-11-22T00:00:00Z'),
};

/** Pages of the largest size, each of an organization of its own or of one. */
function pagesOf(orgOf: (slug: string) => string) {
  const read: string[] = [];
  /** What happens while a page is read, once each. */
  const whileReading: (() => void)[] = [];
  const days = Array.from({ length: SHOWN_DAYS }, (_, i) => ({
    date: `2026-01-${i}`,
    up: 1440,
    down: i % 7,
    unknown: 0,
    excluded: false,
    planned: false,
  }));
  const endpoints = Array.from({ length: 200 }, (_, i) => ({
    name: `Endpoint ${i}`,
    group: '',
    status: 'up' as const,
    degraded: false,
    maintenance: null,
    days,
  }));
  const source: Pick<StatusSnapshots, 'find' | 'read'> = {
    find: (slug) => Promise.resolve<PublishedPage>({ ...PAGE, id: slug, slug, orgId: orgOf(slug), websiteId: slug }),
    read: ({ slug }) => {
      read.push(slug);
      whileReading.shift()?.();
      const page: StatusSnapshot = {
        slug,
        name: slug,
        description: '',
        look: { id: slug, accent: null, hasLogo: false, domain: null, changedAt: '2026-11-22T00:00:00Z' },
        status: 'up',
        updated_at: '2026-11-22T00:00:00Z',
        endpoints,
        incidents: [],
        outages: [],
        otherOutages: [],
        maintenance: [],
      };
      return Promise.resolve(page);
    },
  };
  const clock = new StoppedClock();
  return { pages: new PublicPages(source as StatusSnapshots, clock, new Config()), clock, read, whileReading };
}

describe('the public pages that are kept', () => {
  it('are bounded by their bytes: the least recently shown one is read again', async () => {
    const { pages, read } = pagesOf((slug) => `org of ${slug}`);
    for (let i = 0; i < 24; i++) await pages.get(`page-${i}`, 'html', {}, '');
    await pages.get('page-23', 'html', {}, '');
    expect(read).toHaveLength(24);
    await pages.get('page-0', 'html', {}, '');
    expect(read.slice(24)).toEqual(['page-0']);
  });

  it('are shown as they were while an organization has many large ones read again and again', async () => {
    const { pages, clock, read } = pagesOf(() => 'one organization');
    const all = () => Promise.all(Array.from({ length: 30 }, (_, i) => pages.get(`page-${i}`, 'svg', {}, '')));
    await all();
    for (let second = 0; second < 60; second += 15) {
      clock.atMs += 15_000;
      await all();
    }
    const before = read.length;
    clock.atMs += 15_000;
    for (let i = 0; i < 10; i++) await all();
    // Two hundred tokens, eleven each; and every page was shown each time.
    expect(read.length - before).toBe(18);
    await expect(all()).resolves.not.toContain(null);
  });

  it('are read again at once when an incident of their organization is changed, and no others', async () => {
    const { pages, read } = pagesOf((slug) => `org of ${slug}`);
    const both = async () => {
      for (const slug of ['page-0', 'page-1']) await pages.get(slug, 'json', {}, '');
    };
    await both();
    pages.changed('org of page-1');
    await both();
    await both();
    expect(read).toEqual(['page-0', 'page-1', 'page-1']);
  });

  it('are read once more when an incident is changed while they are read', async () => {
    const { pages, read, whileReading } = pagesOf(() => 'one organization');
    whileReading.push(() => pages.changed('one organization'));
    for (let i = 0; i < 3; i++) await pages.get('page-0', 'json', {}, '');
    expect(read).toEqual(['page-0', 'page-0']);
  });

  it('are shown as they were while incidents are changed more often than pages may be read', async () => {
    const { pages, read } = pagesOf(() => 'one organization');
    for (let i = 0; i < 100; i++) {
      pages.changed('one organization');
      await expect(pages.get('page-0', 'svg', {}, '')).resolves.not.toBeNull();
    }
    expect(read).toHaveLength(19);
  });

  it('are refused for a month that is none before the page is looked for', async () => {
    const { pages, read } = pagesOf(() => 'one organization');
    await expect(pages.get('page-0', 'history', { month: '2026-13' }, '')).rejects.toMatchObject({
      code: 'invalid_query',
    });
    expect(read).toEqual([]);
  });
});
