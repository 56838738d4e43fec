import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Config } from '../../platform/config/config';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { atomFeed } from '../render/atom-feed';
import { type BadgeWindow, statusBadge } from '../render/status-badge';
import { statusHtml } from '../render/status-html';
import { statusJson } from '../render/status-json';
import { statusPolicy } from '../render/status-policy';
import { SHOWN_DAYS } from '../shown-days';
import { type PublishedPage, type StatusSnapshot, StatusSnapshots } from '../status-snapshot';

/** In this process, and by every HTTP cache on the way. */
export const KEPT_SECONDS = 15;
const KEPT_MS = KEPT_SECONDS * SECOND_MS;

/** What is kept of pages, in bytes: the largest page with all its forms has about 6 MB. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_PAGES = 10_000;
/** A day of an endpoint as an object, by the heap of Node.js 20. */
const BYTES_PER_DAY = 80;
const MAX_UNKNOWN = 10_000;

/** How much of one organization's pages is read again in a second: two of the largest size, twenty small ones. */
const READS = { rate: 20, burst: 200 };
const ENDPOINTS_PER_READ = 20;
/** Names without a page that one address asks for, and all together: each costs a probe of an index. */
const GUESSES = { rate: 10, burst: 50 };
const ALL_GUESSES = { rate: 200, burst: 400 };

/** Rendering leaves the event loop to others after this. */
const PIECE_MS = 10;

/** What a page is sent as; `logo` is the uploaded picture. */
export type PageForm = 'html' | 'json' | 'svg' | 'atom' | 'logo';

/** A page as it is sent. */
export interface RenderedPage {
  body: Buffer;
  etag: string;
  type: string;
  /** Content-Security-Policy, where it is a document of its own. */
  policy: string | null;
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
} as const;

interface KeptPage {
  published: PublishedPage;
  readAtMs: number;
  snapshot: StatusSnapshot;
  /** By form, and window of the badge. `null`: the page has no such form. */
  rendered: Map<string, Promise<RenderedPage | null>>;
  bytes: number;
}

/**
 * The published pages as they are sent, each read at most once and rendered at most once per form in 15 seconds, whoever
 * asks how often. Names without a page are remembered apart, so that guessing drops no page.
 */
@Injectable()
export class PublicPages {
  private readonly pages = new BoundedMap<string, KeptPage>(MAX_PAGES, {
    max: MAX_KEPT_BYTES,
    of: ({ bytes }) => bytes,
  });
  private readonly reading = new Map<string, Promise<KeptPage | null>>();
  /** When a name was found to have no page. */
  private readonly unknown = new BoundedMap<string, number>(MAX_UNKNOWN);
  /** Names that had a page: asking for them is no guess. */
  private readonly known = new BoundedMap<string, true>(MAX_PAGES);
  private readonly reads: TokenBuckets;
  private readonly guesses: TokenBuckets;
  private readonly allGuesses: TokenBuckets;

  constructor(
    private readonly snapshots: StatusSnapshots,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    const monotonic = () => clock.monotonic();
    this.reads = new TokenBuckets(READS.rate, READS.burst, monotonic);
    this.guesses = new TokenBuckets(GUESSES.rate, GUESSES.burst, monotonic);
    this.allGuesses = new TokenBuckets(ALL_GUESSES.rate, ALL_GUESSES.burst, monotonic);
  }

  /**
   * `null` when no published page has that slug, or it has no logo. `network`: who asks. Throws `rate_limited` for a name that has had no
   * page while too many such are asked for, and `temporarily_unavailable` when its organization's pages are read too often.
   */
  async get(
    slug: string,
    form: PageForm,
    window: BadgeWindow | undefined,
    network: string,
  ): Promise<RenderedPage | null> {
    const page = await this.page(slug, network);
    if (!page) return null;
    const key = `${form} ${window ?? ''}`;
    const known = page.rendered.get(key);
    if (known) return known;
    const rendering = form === 'logo' ? this.logo(page) : render(form, page.snapshot, window, this.config);
    page.rendered.set(key, rendering);
    rendering.catch(() => page.rendered.delete(key));
    const rendered = await rendering;
    if (!rendered) return null;
    page.bytes += rendered.body.length;
    // Weighed again, unless it was forgotten or read again meanwhile.
    if (this.pages.get(slug) === page) this.pages.set(slug, page);
    return rendered;
  }

  /** Drops a page that was changed: this instance shows the change at once, others within 15 seconds. */
  forget(slug: string): void {
    this.pages.delete(slug);
    this.reading.delete(slug);
    this.unknown.delete(slug);
  }

  private async page(slug: string, network: string): Promise<KeptPage | null> {
    const nowMs = this.clock.monotonic();
    const kept = this.pages.get(slug);
    if (kept && nowMs - kept.readAtMs < KEPT_MS) return kept;
    const missedAtMs = this.unknown.get(slug);
    if (missedAtMs !== undefined && nowMs - missedAtMs < KEPT_MS) return null;
    if (kept && this.reads.waitFor(kept.published.orgId, costOf(kept)) > 0) return kept;
    const reading = this.reading.get(slug) ?? this.startReading(slug, kept ?? null, nowMs, network);
    return reading;
  }

  private startReading(slug: string, old: KeptPage | null, nowMs: number, network: string): Promise<KeptPage | null> {
    if (!this.known.has(slug)) this.countGuess(network);
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
      if (old) return old;
      throw problems.temporarilyUnavailable();
    }
    const snapshot = await this.snapshots.read(published);
    const bytes = snapshot.endpoints.length * SHOWN_DAYS * BYTES_PER_DAY;
    return { published, readAtMs: nowMs, snapshot, rendered: new Map(), bytes };
  }

  private async logo({ published }: KeptPage): Promise<RenderedPage | null> {
    const logo = published.logoHash === null ? null : await this.snapshots.logo(published);
    return logo && { ...logo, etag: `"${published.logoHash}"`, policy: null };
  }

  /** Right ones are not counted: a name that was found once is known. */
  private countGuess(network: string): void {
    const wait = Math.max(this.guesses.take(network), this.allGuesses.take(''));
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
  }
}

const costOf = ({ snapshot }: KeptPage): number => 1 + Math.floor(snapshot.endpoints.length / ENDPOINTS_PER_READ);

function pieces(
  form: keyof typeof TYPES,
  snapshot: StatusSnapshot,
  window: BadgeWindow | undefined,
  { publicUrl }: Config,
): Iterable<string> {
  switch (form) {
    case 'html':
      return statusHtml(snapshot);
    case 'svg':
      return [statusBadge(snapshot, window)];
    case 'json':
      return statusJson(snapshot);
    case 'atom':
      return atomFeed(snapshot, publicUrl);
    default:
      return form satisfies never;
  }
}

async function render(
  form: keyof typeof TYPES,
  snapshot: StatusSnapshot,
  window: BadgeWindow | undefined,
  config: Config,
): Promise<RenderedPage> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  let since = performance.now();
  for (const piece of pieces(form, snapshot, window, config)) {
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
    policy: form === 'html' ? statusPolicy(snapshot.look.accent) : null,
  };
}
