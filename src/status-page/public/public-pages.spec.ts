import { Config } from '../../platform/config/config';
import { Clock } from '../../platform/time/clock';
import { PublicPages } from './public-pages';
import { SHOWN_DAYS } from '../shown-days';
import { type HistoryExtent, type PublishedPage, type StatusSnapshot, type StatusSnapshots } from '../status-snapshot';

class StoppedClock extends Clock {
  atMs = 0;
  override monotonic(): number {
    return this.atMs;
  }
  override now(): Date {
    return new Date(NOW + this.atMs);
  }
}
const NOW = Date.parse('2026-11-22T00:00:00Z');

const PAGE = {
  title: null,
  description: '',
  accent: null,
  downAfterMinutes: null,
  logoHash: null,
  domain: null,
  indexed: true,
  supportUrl: null,
  groups: null,
  changedAt: new Date('2026-11-22T00:00:00Z'),
};

/** Creates pages of the maximum size, in separate organizations or in one. */
function pagesOf(orgOf: (slug: string) => string) {
  const read: string[] = [];
  const months: string[] = [];
  /** The times when pages were read, by the test clock. */
  const readAt = new Map<string, number>();
  const extent: HistoryExtent = { since: null, version: '' };
  /** Functions that are each called once while a page is read. */
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
  const frame = (slug: string) => ({
    slug,
    name: slug,
    look: {
      id: slug,
      accent: null,
      hasLogo: false,
      domain: null,
      indexed: true,
      supportUrl: null,
      changedAt: '2026-11-22T00:00:00Z',
    },
    updated_at: '2026-11-22T00:00:00Z',
  });
  const month = (slug: string, { name }: { name: string }) => ({
    ...frame(slug),
    month: name,
    earlier: null,
    later: null,
    incidents: [],
    outages: [],
  });
  const source: Pick<StatusSnapshots, 'find' | 'read' | 'extent' | 'history' | 'emptyHistory'> = {
    extent: () => Promise.resolve({ ...extent }),
    history: ({ slug }, asked) => {
      months.push(asked.name);
      return Promise.resolve(month(slug, asked));
    },
    emptyHistory: ({ slug }, asked) => month(slug, asked),
    find: (slug) => Promise.resolve<PublishedPage>({ ...PAGE, id: slug, slug, orgId: orgOf(slug), websiteId: slug }),
    read: ({ slug }) => {
      read.push(slug);
      readAt.set(slug, clock.atMs);
      whileReading.shift()?.();
      const page: StatusSnapshot = {
        ...frame(slug),
        description: '',
        status: 'up',
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
  const pages = new PublicPages(source as StatusSnapshots, clock, new Config());
  return { pages, clock, read, readAt, months, extent, whileReading };
}

describe('the cached public pages', () => {
  it('are bounded by their bytes: the least recently shown one is read again', async () => {
    const { pages, read } = pagesOf((slug) => `org of ${slug}`);
    for (let i = 0; i < 44; i++) await pages.get(`page-${i}`, 'html', {}, '');
    await pages.get('page-43', 'html', {}, '');
    expect(read).toHaveLength(44);
    await pages.get('page-0', 'html', {}, '');
    expect(read.slice(44)).toEqual(['page-0']);
  });

  it('are shown from the cache for at most a minute while an organization has many large ones read again and again', async () => {
    const { pages, clock, read, readAt } = pagesOf(() => 'one organization');
    const all = () => Promise.all(Array.from({ length: 30 }, (_, i) => pages.get(`page-${i}`, 'svg', {}, '')));
    await all();
    clock.atMs += 15_000;
    for (let i = 0; i < 10; i++) await all();
    // The budget of two hundred tokens allows for 18 reads at eleven tokens each, and every request still returned a
    // page.
    expect(read.slice(30)).toHaveLength(18);
    for (let second = 0; second < 180; second += 5) {
      clock.atMs += 5000;
      await expect(all()).resolves.not.toContain(null);
      expect(clock.atMs - Math.min(...readAt.values())).toBeLessThan(60_000);
    }
  });

  it('are read every 15 seconds while a client requests a hundred of their months per second', async () => {
    const { pages, clock, readAt, months, extent } = pagesOf(() => 'one organization');
    extent.since = new Date('2020-01-01T00:00:00Z');
    for (let second = 0; second < 60; second++) {
      clock.atMs += 1000;
      for (let n = 0; n < 100; n++) {
        const month = `20${20 + (n % 6)}-${String(1 + (second % 12)).padStart(2, '0')}`;
        await pages.get('page-0', n % 2 === 0 ? 'history' : 'history.json', { month }, '').catch(() => undefined);
      }
      await pages.get('page-0', 'svg', {}, '');
      expect(clock.atMs - (readAt.get('page-0') ?? 0)).toBeLessThanOrEqual(16_000);
    }
    expect(months.length).toBeGreaterThan(0);
    expect(months.length).toBeLessThan(100);
  });

  it('are not read for a month without incidents, and once for a month that is over, until an incident is changed', async () => {
    const { pages, clock, months, extent } = pagesOf(() => 'one organization');
    extent.since = new Date('2026-09-10T00:00:00Z');
    const ask = async (...asked: string[]) => {
      for (const month of asked) await pages.get('page-0', 'history.json', { month }, '');
      return months.splice(0);
    };
    expect(await ask('2000-01', '2026-08')).toEqual([]);
    expect(await ask('2026-09', '2026-10', '2026-09')).toEqual(['2026-09', '2026-10']);
    clock.atMs += 60_000;
    expect(await ask('2026-09', '2026-10')).toEqual([]);
    expect(await ask('2026-11')).toEqual(['2026-11']);
    clock.atMs += 15_000;
    expect(await ask('2026-11')).toEqual(['2026-11']);
    pages.changed('one organization');
    expect(await ask('2026-09')).toEqual(['2026-09']);
    extent.version = 'another instance has changed one';
    clock.atMs += 15_000;
    expect(await ask('2026-10')).toEqual(['2026-10']);
  });

  it('are read again immediately when an incident of their organization is changed, and no others', async () => {
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

  it('are shown from the cache while incidents are changed more often than pages may be read', async () => {
    const { pages, read } = pagesOf(() => 'one organization');
    for (let i = 0; i < 100; i++) {
      pages.changed('one organization');
      await expect(pages.get('page-0', 'svg', {}, '')).resolves.not.toBeNull();
    }
    expect(read).toHaveLength(19);
  });

  it('are refused for an invalid month before the page is looked up', async () => {
    const { pages, read } = pagesOf(() => 'one organization');
    await expect(pages.get('page-0', 'history', { month: '2026-13' }, '')).rejects.toMatchObject({
      code: 'invalid_query',
    });
    expect(read).toEqual([]);
  });
});
