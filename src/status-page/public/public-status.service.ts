import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientNetworks } from '../../platform/access/client-network';
import { NetworkBuckets } from '../../platform/capacity/by-network';
import { Config } from '../../platform/config/config';
import { Compression } from '../../platform/http/compression';
import { rootFor } from '../../platform/http/own-address';
import { IF_NONE_MATCH, isNamedBy } from '../../platform/http/precondition/precondition';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { notFoundPage } from '../render/status-html';
import { statusPolicy } from '../render/status-policy';
import { KEPT_SECONDS, type PageForm, type PageQuery, PublicPages } from './public-pages';

/** A request for one form of the page that has this slug. */
export interface AskedPage {
  slug: string;
  form: PageForm;
  /** The public ID in the URL, for the page of an incident. */
  incident?: string;
}

const PAGE = /^([a-z0-9-]{3,64})(?:\.(json|svg))?$/;

/** Parses `<slug>`, `<slug>.json`, or `<slug>.svg`. Returns `null` if no page can have the name. */
export function readPageName(name: string): AskedPage | null {
  const [, slug, named] = PAGE.exec(name) ?? [];
  return slug === undefined ? null : { slug, form: named === 'json' || named === 'svg' ? named : 'html' };
}

const NOT_FOUND_POLICY = statusPolicy(null, false);

/** Serves public pages to everyone, subject to a rate limit per address. */
@Injectable()
export class PublicStatusService {
  private readonly requests: NetworkBuckets | null;

  constructor(
    private readonly pages: PublicPages,
    { statusRateLimitPerSecond: rate }: Config,
    private readonly compression: Compression,
    clock: Clock,
  ) {
    this.requests = rate === 0 ? null : new NetworkBuckets({ rate, burst: rate * 2 }, () => clock.monotonic());
  }

  /** Sends the page with this name under `/status/`. */
  respond(name: string, query: PageQuery, request: Request, response: Response): Promise<void> {
    return this.send(readPageName(name), query, request, response);
  }

  /** Sends any other form of a page. */
  respondWith(
    form: Exclude<PageForm, 'html' | 'json' | 'svg' | 'robots'>,
    name: string,
    query: PageQuery,
    request: Request,
    response: Response,
  ): Promise<void> {
    const page = readPageName(name);
    return this.send(page?.slug === name ? { slug: name, form } : null, query, request, response);
  }

  /**
   * Sends a page. A page that isn't published gets the usual 404, shown as an HTML page in a browser. Throws:
   * `rate_limited` for an address that sends too many requests.
   */
  async send(
    asked: AskedPage | null,
    query: PageQuery,
    request: Request,
    response: Response,
    hosted = false,
  ): Promise<void> {
    const networks = clientNetworks(request);
    const wait = this.requests?.take(networks) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    const form = asked?.form ?? 'html';
    const rendered =
      asked &&
      (await this.pages.get(
        asked.slug,
        form,
        { incident: asked.incident ?? '', ...query, place: { root: rootFor(request), hosted } },
        networks[0] ?? '',
      ));
    if (!rendered) return sendNotFound(request, response);
    if (!rendered.indexed) response.setHeader('X-Robots-Tag', 'noindex');
    // Works without a script, and a reader can pause it.
    if (rendered.refreshSeconds !== null) response.setHeader('Refresh', String(rendered.refreshSeconds));
    response.setHeader('Cache-Control', `public, max-age=${KEPT_SECONDS}`);
    response.setHeader('Content-Type', rendered.type);
    response.setHeader('ETag', rendered.etag);
    if (rendered.policy !== null) response.setHeader('Content-Security-Policy', rendered.policy);
    else {
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      response.setHeader('Access-Control-Allow-Origin', '*');
    }
    const isShorter = form !== 'logo' && this.compression.applies(request, response, rendered.body.length);
    if (isNamedBy(request.headers[IF_NONE_MATCH], rendered.etag)) {
      response.status(304).end();
      return;
    }
    const body = isShorter ? await this.compression.encode(response, rendered.body) : rendered.body;
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /**
   * Drops a page that was changed. This instance shows the change immediately, and others show it within 15 seconds.
   */
  forget(slug: string): void {
    this.pages.forget(slug);
  }
}

/** Clients that accept any type receive the problem as JSON. */
function sendNotFound(request: Request, response: Response): void {
  response.setHeader('Vary', 'Accept');
  if (request.accepts(['json', 'html']) !== 'html') throw problems.notFound();
  response.status(404);
  response.setHeader('Content-Security-Policy', NOT_FOUND_POLICY);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  const body = notFoundPage(rootFor(request));
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
