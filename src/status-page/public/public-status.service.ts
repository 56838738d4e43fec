import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientAddress, networkOf } from '../../platform/access/client-network';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Config } from '../../platform/config/config';
import { Compression } from '../../platform/http/compression';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { NOT_FOUND_PAGE } from '../render/status-html';
import { statusPolicy } from '../render/status-policy';
import { KEPT_SECONDS, type PageForm, type PageQuery, PublicPages } from './public-pages';

/** What is asked for: a form of the page with a slug. */
export interface AskedPage {
  slug: string;
  form: PageForm;
}

const PAGE = /^([a-z0-9-]{3,64})(?:\.(json|svg))?$/;

/** Reads `<slug>`, `<slug>.json` or `<slug>.svg`; `null` for what no page can be called. */
export function readPageName(name: string): AskedPage | null {
  const [, slug, named] = PAGE.exec(name) ?? [];
  return slug === undefined ? null : { slug, form: named === 'json' || named === 'svg' ? named : 'html' };
}

const NOT_FOUND_POLICY = statusPolicy(null, false);

/** Serves public pages to everybody, as often as one address may ask. */
@Injectable()
export class PublicStatusService {
  private readonly requests: TokenBuckets | null;

  constructor(
    private readonly pages: PublicPages,
    { statusRateLimitPerSecond: rate }: Config,
    private readonly compression: Compression,
    clock: Clock,
  ) {
    this.requests = rate === 0 ? null : new TokenBuckets(rate, rate * 2, () => clock.monotonic());
  }

  /** A page by its name below `/status/`. */
  respond(name: string, query: PageQuery, request: Request, response: Response): Promise<void> {
    return this.send(readPageName(name), query, request, response);
  }

  /** The feed, the logo or a month of a page. */
  respondWith(
    form: 'atom' | 'logo' | 'history' | 'history.json',
    name: string,
    query: PageQuery,
    request: Request,
    response: Response,
  ): Promise<void> {
    const page = readPageName(name);
    return this.send(page?.slug === name ? { slug: name, form } : null, query, request, response);
  }

  /**
   * A page that is not published is a 404 like any other, for people as a page. Throws `rate_limited` for an address that
   * asks too often.
   */
  async send(asked: AskedPage | null, query: PageQuery, request: Request, response: Response): Promise<void> {
    const network = networkOf(clientAddress(request));
    const wait = this.requests?.take(network) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    const form = asked?.form ?? 'html';
    const rendered = asked && (await this.pages.get(asked.slug, form, query, network));
    if (!rendered) return sendNotFound(request, response);
    response.setHeader('Cache-Control', `public, max-age=${KEPT_SECONDS}`);
    response.setHeader('Content-Type', rendered.type);
    response.setHeader('ETag', rendered.etag);
    if (rendered.policy !== null) response.setHeader('Content-Security-Policy', rendered.policy);
    else {
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      response.setHeader('Access-Control-Allow-Origin', '*');
    }
    const isShorter = form !== 'logo' && this.compression.applies(request, response, rendered.body.length);
    if (request.headers['if-none-match'] === rendered.etag) {
      response.status(304).end();
      return;
    }
    const body = isShorter ? await this.compression.encode(response, rendered.body) : rendered.body;
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Drops a page that was changed: this instance shows the change at once, others within 15 seconds. */
  forget(slug: string): void {
    this.pages.forget(slug);
  }
}

/** Programs that accept anything get the problem as JSON. */
function sendNotFound(request: Request, response: Response): void {
  response.setHeader('Vary', 'Accept');
  if (request.accepts(['json', 'html']) !== 'html') throw problems.notFound();
  response.status(404);
  response.setHeader('Content-Security-Policy', NOT_FOUND_POLICY);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', NOT_FOUND_PAGE.length);
  response.end(request.method === 'HEAD' ? undefined : NOT_FOUND_PAGE);
}
