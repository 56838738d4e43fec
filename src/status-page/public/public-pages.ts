import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { networksOf } from '../../platform/access/client-network';
import { NetworkBuckets } from '../../platform/capacity/by-network';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Config } from '../../platform/config/config';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import { isOpaqueId } from '../page-maintenance';
import { type PageMonth, readMonth } from '../page-month';
import { atomFeed } from '../render/atom-feed';
import { calendarFeed } from '../render/calendar-feed';
import { historyHtml } from '../render/history-html';
import { incidentHtml } from '../render/incident-html';
import { pageIcon } from '../render/page-icon';
import type { PageLinks } from '../render/page-parts';
import { absolutePaths, type PagePlace, pathsOf } from '../render/page-paths';
import { pageState } from '../render/page-state';
import { pageRobots } from '../render/robots';
import { type BadgeWindow, statusBadge } from '../render/status-badge';
import { REFRESH_SECONDS, statusHtml } from '../render/status-html';
import { historyJson, statusJson } from '../render/status-json';
import { statusPolicy } from '../render/status-policy';
import { SHOWN_DAYS } from '../shown-days';
import type { StatusIncident } from '../page-incidents';
import {
  type HistoryExtent,
  type PageLook,
  type PublishedPage,
  type StatusSnapshot,
  StatusSnapshots,
} from '../status-snapshot';

/** How long this process and all HTTP caches keep a page. */
export const KEPT_SECONDS = 15;
const KEPT_MS = KEPT_SECONDS * SECOND_MS;
/**
 * A page that reaches this age is always read again, even if that exceeds its organization's budget, so that no page is
 * older than a minute.
 */
const LATEST_MS = 45 * SECOND_MS;
/** How long a completed month is cached, unless the page or a public incident of its organization changes. */
const KEPT_MONTH_MS = HOUR_MS;

/** The maximum number of bytes for cached pages. The largest page with all its forms takes about 6 MB. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_PAGES = 10_000;
/**
 * The maximum number of bytes for cached months. They are separate, so that a request for a month never evicts a page.
 */
const MAX_MONTH_BYTES = 16 * 1024 * 1024;
/** The size of an endpoint's day as an object on the heap of Node.js 20. */
const BYTES_PER_DAY = 80;
const MAX_UNKNOWN = 10_000;

/** How many page reads one organization may cause per second: two pages of the maximum size, or twenty small ones. */
const READS = { rate: 20, burst: 200 };
/** The budget for months is separate, so that reading the history never blocks the pages. */
const MONTH_READS = { rate: 10, burst: 100 };
const ENDPOINTS_PER_READ = 20;
/**
 * The rate limit for requests with unknown names, both per address and for all addresses combined. Each costs one index
 * lookup.
 */
const GUESSES = { rate: 10, burst: 50 };
const ALL_GUESSES = { rate: 200, burst: 400 };

/** Rendering yields to the event loop after this time. */
const PIECE_MS = 10;

/**
 * The forms of a page. `logo` is the uploaded image, `history` is one month of the page's history, and `incident` is the
 * page of one incident. `robots` is only under the page's own host name.
 */
type HistoryForm = 'history' | 'history.json';
type SnapshotForm = 'html' | 'json' | 'svg' | 'atom' | 'ics' | 'icon' | 'robots' | 'logo';
export type PageForm = SnapshotForm | HistoryForm | 'incident';
const HISTORY: ReadonlySet<PageForm> = new Set<HistoryForm>(['history', 'history.json']);
/** Documents that people read. They contain URLs that depend on where the page was requested. */
const FOR_PEOPLE: ReadonlySet<PageForm> = new Set<PageForm>(['html', 'history', 'incident']);
/** The page of the service itself, without a proxy's path. */
const AT_ROOT: PagePlace = { root: '', hosted: false };

export interface PageQuery {
  /** The number of days that the badge covers. */
  uptime?: BadgeWindow | undefined;
  /** The month of the history, not yet validated. */
  month?: unknown;
  /** The public ID of an incident, not yet validated. */
  incident?: string;
  /** `off` for a page that doesn't reload itself. */
  refresh?: unknown;
  /** For pages that people read, where the page was requested. */
  place?: PagePlace;
}

/** A rendered page, ready to send. */
export interface RenderedPage {
  body: Buffer;
  etag: string;
  type: string;
  /** The Content-Security-Policy, or `null` if the form isn't a document. */
  policy: string | null;
  /** Whether search engines may index it. */
  indexed: boolean;
  /** After how many seconds a browser reloads the document, or `null` for never. */
  refreshSeconds: number | null;
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
  icon: 'image/svg+xml; charset=utf-8',
  robots: 'text/plain; charset=utf-8',
  incident: 'text/html; charset=utf-8',
  history: 'text/html; charset=utf-8',
  'history.json': 'application/json; charset=utf-8',
} as const;

interface KeptPage {
  published: PublishedPage;
  readAtMs: number;
  /** The organization's newest incident change at the time of reading. */
  change: number | undefined;
  snapshot: StatusSnapshot;
  /** By form and badge window. `null` if the page doesn't have the form. */
  rendered: Map<string, Promise<RenderedPage | null>>;
  /** Read when the first month is requested. */
  extent: Promise<HistoryExtent> | null;
  bytes: number;
}

/** A rendered month, and the state of the data for which it is valid. */
interface KeptMonth {
  rendered: RenderedPage;
  renderedAtMs: number;
  /** A combined version of the page, its public incidents, and the incidents that this instance has changed. */
  version: string;
}

/**
 * Caches the rendered public pages. In 15 seconds, each page is read at most once, and rendered at most once per form,
 * regardless of the number of requests. Names without a page are cached separately, so guessing never evicts a page.
 * Months are also separate. An empty month is never read, and a completed month is cached until part of it changes.
 */
@Injectable()
export class PublicPages {
  private readonly pages = new BoundedMap<string, KeptPage>(MAX_PAGES, {
    max: MAX_KEPT_BYTES,
    of: ({ bytes }) => bytes,
  });
  private readonly reading = new Map<string, Promise<KeptPage | null>>();
  private readonly months = new BoundedMap<string, KeptMonth>(MAX_PAGES, {
    max: MAX_MONTH_BYTES,
    of: ({ rendered }) => rendered.body.length,
  });
  private readonly readingMonths = new Map<string, Promise<RenderedPage | null>>();
  /** The time when a name was found to have no page. */
  private readonly unknown = new BoundedMap<string, number>(MAX_UNKNOWN);
  /** The last change of incidents on this instance, by organization. */
  private readonly changes = new BoundedMap<string, number>(MAX_PAGES);
  private lastChange = 0;
  /** Names that had a page. Requesting them doesn't count as a guess. */
  private readonly known = new BoundedMap<string, true>(MAX_PAGES);
  private readonly reads: TokenBuckets;
  private readonly monthReads: TokenBuckets;
  private readonly guesses: NetworkBuckets;
  private readonly allGuesses: TokenBuckets;

  constructor(
    private readonly snapshots: StatusSnapshots,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    const monotonic = () => clock.monotonic();
    this.reads = new TokenBuckets(READS.rate, READS.burst, monotonic);
    this.monthReads = new TokenBuckets(MONTH_READS.rate, MONTH_READS.burst, monotonic);
    this.guesses = new NetworkBuckets(GUESSES, monotonic);
    this.allGuesses = new TokenBuckets(ALL_GUESSES.rate, ALL_GUESSES.burst, monotonic);
  }

  /**
   * Returns a page, or `null` if no published page has that slug, or it has no logo. `address` is the client's address.
   * Throws: `rate_limited` for a name without a page if too many such names are requested. Also
   * `temporarily_unavailable` if its organization's pages are read too often, and `invalid_query` for an invalid or
   * future month.
   */
  async get(slug: string, form: PageForm, query: PageQuery, address: string): Promise<RenderedPage | null> {
    const month = readMonth(HISTORY.has(form) ? query.month : undefined, this.clock.now());
    if (typeof month === 'string')
      throw problems.invalidQuery([{ pointer: '?month', code: 'invalid_format', message: month }]);
    const page = await this.page(slug, address);
    if (!page) return null;
    const { uptime, place = AT_ROOT } = query;
    if (form === 'history' || form === 'history.json') return this.month(page, form, month, place);
    if (form === 'incident') return this.incident(page, query.incident ?? '', place, address);
    const isRefreshed = query.refresh !== 'off';
    const key = `${form} ${(form === 'svg' && uptime) || ''} ${FOR_PEOPLE.has(form) ? `${keyOf(place)} ${isRefreshed}` : ''}`;
    const known = page.rendered.get(key);
    if (known) return known;
    const rendering = this.render(page, form, { uptime, place, isRefreshed });
    page.rendered.set(key, rendering);
    rendering.catch(() => page.rendered.delete(key));
    const rendered = await rendering;
    if (!rendered) return null;
    page.bytes += rendered.body.length;
    // Updates its size in the cache, unless it was dropped or read again in the meantime.
    if (this.pages.get(slug) === page) this.pages.set(slug, page);
    return rendered;
  }

  /**
   * Drops a page that was changed. This instance shows the change immediately, and others show it within 15 seconds.
   */
  forget(slug: string): void {
    this.pages.delete(slug);
    this.reading.delete(slug);
    this.unknown.delete(slug);
  }

  /**
   * Records that an incident of the organization was changed. This instance shows it immediately, and others show it
   * within 15 seconds.
   */
  changed(orgId: string): void {
    this.changes.set(orgId, ++this.lastChange);
  }

  private isFresh({ published, readAtMs, change }: KeptPage, nowMs: number): boolean {
    return nowMs - readAtMs < KEPT_MS && change === this.changes.get(published.orgId);
  }

  private async page(slug: string, address: string): Promise<KeptPage | null> {
    const nowMs = this.clock.monotonic();
    const kept = this.pages.get(slug);
    if (kept && this.isFresh(kept, nowMs)) return kept;
    const missedAtMs = this.unknown.get(slug);
    if (missedAtMs !== undefined && nowMs - missedAtMs < KEPT_MS) return null;
    if (kept && mayStay(kept, nowMs) && this.reads.waitFor(kept.published.orgId, costOf(kept)) > 0) return kept;
    return this.reading.get(slug) ?? this.startReading(slug, kept ?? null, nowMs, address);
  }

  private startReading(slug: string, old: KeptPage | null, nowMs: number, address: string): Promise<KeptPage | null> {
    if (!this.known.has(slug)) this.countGuess(address);
    const reading: Promise<KeptPage | null> = this.read(slug, old, nowMs)
      .then((page) => {
        if (this.reading.get(slug) !== reading) return page;
        if (page) this.pages.set(slug, page);
        else {
          this.pages.delete(slug);
          this.unknown.set(slug, nowMs);
        }
        return page;
      })
      .finally(() => {
        if (this.reading.get(slug) === reading) this.reading.delete(slug);
      });
    this.reading.set(slug, reading);
    return reading;
  }

  private async read(slug: string, old: KeptPage | null, nowMs: number): Promise<KeptPage | null> {
    const published: PublishedPage | null = await this.snapshots.find(slug);
    if (!published) {
      this.known.delete(slug);
      return null;
    }
    this.known.set(slug, true);
    const { orgId } = published;
    if (this.reads.take(orgId, old ? costOf(old) : 1) > 0) {
      if (old && mayStay(old, nowMs)) return old;
      if (!old) throw problems.temporarilyUnavailable();
    }
    const change = this.changes.get(orgId);
    const snapshot = await this.snapshots.read(published);
    const texts = snapshot.incidents.flatMap(({ updates }) => updates.map(({ text }) => text.length));
    const bytes = texts.reduce((sum, text) => sum + text, snapshot.endpoints.length * SHOWN_DAYS * BYTES_PER_DAY);
    return { published, readAtMs: nowMs, change, snapshot, rendered: new Map(), extent: null, bytes };
  }

  private render(
    page: KeptPage,
    form: SnapshotForm,
    { uptime, place, isRefreshed }: { uptime: BadgeWindow | undefined; place: PagePlace; isRefreshed: boolean },
  ): Promise<RenderedPage | null> {
    const { snapshot } = page;
    const { look } = snapshot;
    const { publicUrl } = this.config;
    switch (form) {
      case 'html':
        return rendered(form, statusHtml(snapshot, this.links(snapshot, place), isRefreshed), look, isRefreshed);
      case 'svg':
        return rendered(form, [statusBadge(snapshot, uptime)], look);
      case 'json':
        return rendered(form, statusJson(snapshot), look);
      case 'atom':
        return rendered(form, atomFeed(snapshot, publicUrl), look);
      case 'ics':
        return rendered(form, calendarFeed(snapshot, absolutePaths(snapshot, publicUrl)), look);
      case 'icon':
        return rendered(form, [pageIcon(pageState(snapshot))], look);
      case 'robots':
        return rendered(form, [pageRobots(look.indexed)], look);
      case 'logo':
        return this.logo(page);
      default:
        return form satisfies never;
    }
  }

  private links(shown: Pick<StatusSnapshot, 'slug' | 'look'>, place: PagePlace): PageLinks {
    return { paths: pathsOf(shown.slug, place), absolute: absolutePaths(shown, this.config.publicUrl) };
  }

  /**
   * Returns a month from the cache as long as nothing in it has changed. Throws: `temporarily_unavailable` if too many
   * months are read.
   */
  private async month(
    page: KeptPage,
    form: HistoryForm,
    month: PageMonth,
    place: PagePlace,
  ): Promise<RenderedPage | null> {
    const extent = await this.extentOf(page);
    const key = `${page.published.slug} ${form} ${month.name} ${FOR_PEOPLE.has(form) ? keyOf(place) : ''}`;
    const keptMs = month.until <= this.clock.now() ? KEPT_MONTH_MS : KEPT_MS;
    return this.whileSame(page, extent, { key, keptMs }, () => this.renderMonth(page, form, { month, place, extent }));
  }

  /**
   * Returns the page of an incident, or `null` if the page shows no such incident. The page itself has most of those that
   * people open. Throws: `temporarily_unavailable` if too many others are read.
   */
  private async incident(page: KeptPage, id: string, place: PagePlace, address: string): Promise<RenderedPage | null> {
    if (!isOpaqueId(id)) return null;
    const { published, snapshot } = page;
    const extent = await this.extentOf(page);
    const listed = snapshot.incidents.find((incident) => incident.id === id);
    const keptMs = listed?.ended_at === null ? KEPT_MS : KEPT_MONTH_MS;
    const key = `${published.slug} incident ${id} ${keyOf(place)}`;
    return this.whileSame(page, extent, { key, keptMs }, async () => {
      const incident = listed && !listed.more ? listed : await this.readIncident(published, id, address);
      if (!incident) return null;
      const isOpen = incident.ended_at === null;
      return rendered(
        'incident',
        incidentHtml({ ...snapshot, incident }, this.links(snapshot, place)),
        snapshot.look,
        isOpen,
      );
    });
  }

  private async readIncident(published: PublishedPage, id: string, address: string): Promise<StatusIncident | null> {
    if (this.monthReads.take(published.orgId, 1) > 0) throw problems.temporarilyUnavailable();
    const incident = await this.snapshots.incident(published, id);
    if (!incident) this.countGuess(address);
    return incident;
  }

  /** Returns a rendered page from the cache until the page or a public incident of its organization changes. */
  private async whileSame(
    { published }: KeptPage,
    extent: HistoryExtent,
    { key, keptMs }: { key: string; keptMs: number },
    render: () => Promise<RenderedPage | null>,
  ): Promise<RenderedPage | null> {
    const version = `${published.changedAt.getTime()} ${extent.version} ${this.changes.get(published.orgId) ?? ''}`;
    const nowMs = this.clock.monotonic();
    const kept = this.months.get(key);
    if (kept?.version === version && nowMs - kept.renderedAtMs < keptMs) return kept.rendered;
    const reading = this.readingMonths.get(`${key} ${version}`);
    if (reading) return reading;
    const rendering = render();
    this.readingMonths.set(`${key} ${version}`, rendering);
    try {
      const fresh = await rendering;
      if (fresh) this.months.set(key, { rendered: fresh, renderedAtMs: nowMs, version });
      return fresh;
    } finally {
      this.readingMonths.delete(`${key} ${version}`);
    }
  }

  private extentOf(page: KeptPage): Promise<HistoryExtent> {
    if (!page.extent) {
      page.extent = this.snapshots.extent(page.published);
      page.extent.catch(() => (page.extent = null));
    }
    return page.extent;
  }

  private async renderMonth(
    { published, snapshot }: KeptPage,
    form: HistoryForm,
    { month, place, extent: { since } }: { month: PageMonth; place: PagePlace; extent: HistoryExtent },
  ): Promise<RenderedPage> {
    const isEmpty = since === null || month.until <= since;
    if (!isEmpty && this.monthReads.take(published.orgId, costOf({ snapshot })) > 0)
      throw problems.temporarilyUnavailable();
    const history = isEmpty
      ? this.snapshots.emptyHistory(snapshot, month)
      : await this.snapshots.history(published, month);
    const body = form === 'history' ? historyHtml(history, this.links(history, place)) : historyJson(history);
    return rendered(form, body, history.look);
  }

  private async logo({ published }: KeptPage): Promise<RenderedPage | null> {
    const logo = published.logoHash === null ? null : await this.snapshots.logo(published);
    return (
      logo && {
        ...logo,
        etag: `"${published.logoHash}"`,
        policy: null,
        indexed: published.indexed,
        refreshSeconds: null,
      }
    );
  }

  /** Existing pages don't count as guesses, because names that were found before are remembered. */
  private countGuess(address: string): void {
    const wait = Math.max(this.guesses.take(networksOf(address)), this.allGuesses.take(''));
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
  }
}

/**
 * Returns true if the page is recent enough to be shown unchanged while its organization's pages are read too often.
 */
const mayStay = ({ readAtMs }: KeptPage, nowMs: number): boolean => nowMs - readAtMs < LATEST_MS;

const costOf = ({ snapshot }: Pick<KeptPage, 'snapshot'>): number =>
  1 + Math.floor(snapshot.endpoints.length / ENDPOINTS_PER_READ);

const keyOf = ({ root, hosted }: PagePlace): string => `${root} ${hosted}`;

async function rendered(
  form: keyof typeof TYPES,
  pieces: Iterable<string>,
  { accent, indexed }: PageLook,
  isRefreshed = false,
): Promise<RenderedPage> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  let since = performance.now();
  for (const piece of pieces) {
    const part = Buffer.from(piece);
    hash.update(part);
    parts.push(part);
    if (performance.now() - since < PIECE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return {
    body: Buffer.concat(parts),
    etag: `"${hash.digest('base64url').slice(0, 27)}"`,
    type: TYPES[form],
    policy: FOR_PEOPLE.has(form) ? statusPolicy(accent) : null,
    indexed,
    refreshSeconds: isRefreshed ? REFRESH_SECONDS : null,
  };
}
