import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { networkOf } from '../platform/access/client-network';
import { TokenBuckets } from '../platform/access/token-bucket';
import { Config } from '../platform/config/config';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { KEPT_SECONDS, type PageForm, PublicPages } from './public-pages';
import { STATUS_POLICY } from './status-html';
import type { BadgeWindow } from './status-page.dto';

const TYPES: Readonly<Record<PageForm, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

const PAGE = /^([a-z0-9-]{3,64})(?:\.(json|svg))?$/;

/** Serves public pages to everybody, as often as one address may ask. */
@Injectable()
export class PublicStatusService {
  private readonly requests: TokenBuckets | null;

  constructor(
    private readonly pages: PublicPages,
    { statusRateLimitPerSecond: rate }: Config,
    clock: Clock,
  ) {
    this.requests = rate === 0 ? null : new TokenBuckets(rate, rate * 2, () => clock.monotonic());
  }

  /**
   * `page`: `<slug>`, `<slug>.json` or `<slug>.svg`. A page that is not published is a 404 like any other. Throws
   * `rate_limited` for an address that asks too often.
   */
  async respond(page: string, window: BadgeWindow | undefined, request: Request, response: Response): Promise<void> {
    const network = networkOf(request.socket.remoteAddress);
    const wait = this.requests?.take(network) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    const [, slug, named] = PAGE.exec(page) ?? [];
    const form: PageForm = named === 'json' || named === 'svg' ? named : 'html';
    const rendered =
      slug === undefined ? null : await this.pages.get(slug, form, form === 'svg' ? window : undefined, network);
    if (!rendered) throw problems.notFound();
    response.setHeader('Cache-Control', `public, max-age=${KEPT_SECONDS}`);
    response.setHeader('Content-Type', TYPES[form]);
    response.setHeader('ETag', rendered.etag);
    if (form === 'html') response.setHeader('Content-Security-Policy', STATUS_POLICY);
    else response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (form !== 'html') response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.headers['if-none-match'] === rendered.etag) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Length', rendered.body.length);
    response.end(request.method === 'HEAD' ? undefined : rendered.body);
  }

  /** Drops a page that was changed: this instance shows the change at once, others within 15 seconds. */
  forget(slug: string): void {
    this.pages.forget(slug);
  }
}
