import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BoundedMap } from '../platform/cache/bounded-map';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import { statusBadge } from './status-badge';
import { STATUS_POLICY, statusHtml } from './status-html';
import type { BadgeWindow } from './status-page.dto';
import { type StatusSnapshot, StatusSnapshots, uptimeOf } from './status-snapshot';

/** In this process, and by every HTTP cache on the way. */
const CACHED_SECONDS = 15;
const MAX_CACHED = 1000;

interface Cached {
  readAtMs: number;
  snapshot: Promise<StatusSnapshot | null>;
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/** Serves public pages. However many clients ask, the database is read at most once per page in 15 seconds. */
@Injectable()
export class PublicStatusService {
  private readonly cache = new BoundedMap<string, Cached>(MAX_CACHED);

  constructor(
    private readonly snapshots: StatusSnapshots,
    private readonly clock: Clock,
  ) {}

  /** `page`: `<slug>`, `<slug>.json` or `<slug>.svg`. A page that is not published is a 404 like any other. */
  async respond(page: string, window: BadgeWindow | undefined, request: Request, response: Response): Promise<void> {
    const [, slug = '', form = 'html'] = /^([a-z0-9-]{3,64})(?:\.(json|svg))?$/.exec(page) ?? [];
    const snapshot = slug === '' ? null : await this.read(slug);
    if (!snapshot) throw problems.notFound();
    const kind = form as keyof typeof TYPES;
    const body = bodyOf(kind, snapshot, window);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    response.setHeader('Cache-Control', `public, max-age=${CACHED_SECONDS}`);
    response.setHeader('Content-Type', TYPES[kind]);
    response.setHeader('ETag', etag);
    if (kind === 'html') response.setHeader('Content-Security-Policy', STATUS_POLICY);
    else response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (kind !== 'html') response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.headers['if-none-match'] === etag) response.status(304).end();
    else response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Drops a page that was changed from the cache: this instance shows the change at once, others within 15 seconds. */
  forget(slug: string): void {
    this.cache.delete(slug);
  }

  private read(slug: string): Promise<StatusSnapshot | null> {
    const nowMs = this.clock.monotonic();
    const cached = this.cache.get(slug);
    if (cached && nowMs - cached.readAtMs < CACHED_SECONDS * SECOND_MS) return cached.snapshot;
    const snapshot = this.snapshots.read(slug);
    this.cache.set(slug, { readAtMs: nowMs, snapshot });
    snapshot.catch(() => this.cache.delete(slug));
    return snapshot;
  }
}

function bodyOf(kind: keyof typeof TYPES, snapshot: StatusSnapshot, window: BadgeWindow | undefined): string {
  switch (kind) {
    case 'html':
      return statusHtml(snapshot);
    case 'svg':
      return statusBadge(snapshot, window);
    case 'json':
      return JSON.stringify(toJson(snapshot));
    default:
      return kind satisfies never;
  }
}

const toJson = ({ endpoints, ...page }: StatusSnapshot) => ({
  ...page,
  endpoints: endpoints.map(({ name, status, days }) => ({
    name,
    status,
    uptime_90d: uptimeOf(days),
    days: days.map((day) => ({ date: day.date, checks: day.up + day.down, uptime: uptimeOf([day]) })),
  })),
});
