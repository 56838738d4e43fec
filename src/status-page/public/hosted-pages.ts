import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { BADGE_WINDOWS, type BadgeWindow } from '../render/status-badge';
import { type DomainAuthor, PageDomains } from './page-domains';
import { type AskedPage, PublicStatusService, readPageName } from './public-status.service';

const FORMS: Readonly<Record<string, AskedPage['form']>> = {
  '/': 'html',
  '/status.json': 'json',
  '/badge.svg': 'svg',
  '/feed.atom': 'atom',
  '/logo': 'logo',
  '/history': 'history',
  '/history.json': 'history.json',
};
/** Below `/status/<slug>`, which its own links name. */
const BELOW = ['/feed.atom', '/logo', '/history', '/history.json'];
/** The icon of pages and dashboard alike. */
const ICON = '/favicon.svg';
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);
const API = '/api/';

/** Where a page is shown. */
export interface ShownPage {
  slug: string;
  enabled: boolean;
  domain: string | null;
}

/**
 * Under the host name of a page there is that page and nothing else: no dashboard, no other page. Whoever sends a key is
 * answered by the API all the same, and supervisors by the probes: a page that got the installation's own name must not be
 * the end of it. Only `Host` counts, no forwarded header: whoever forges it sees a page that is public anyway.
 */
@Injectable()
export class HostedPages {
  constructor(
    private readonly domains: PageDomains,
    private readonly status: PublicStatusService,
  ) {}

  /** Express middleware; must come before everything that may answer. */
  readonly serve: RequestHandler = async (request, response, next) => {
    const slug = this.domains.slugOf(request.headers.host);
    // Whether this name is served by https, PUBLIC_URL does not say.
    if (slug !== null) response.removeHeader('Strict-Transport-Security');
    if (slug === null || request.path === ICON || isForInstallation(request)) return next();
    await this.show(slug, request, response);
    return undefined;
  };

  /** Why a page may not have this host name; `null` when it may. `host`: by which name the author reached the service. */
  refusal(domain: string, author: DomainAuthor, host: string | undefined): string | null {
    return this.domains.refusal(domain, author, host);
  }

  /** The path of a page under the host of `PUBLIC_URL`. */
  pathOf(slug: string): string {
    return this.domains.pathOf(slug);
  }

  /** This instance shows a change at once, others within 15 seconds. `null`: there was none, or it is gone. */
  changed(before: ShownPage | null, after: ShownPage | null): void {
    for (const page of [before, after]) if (page) this.status.forget(page.slug);
    const domain = after?.enabled ? after.domain : null;
    this.domains.changed(before?.domain ?? null, domain, after?.slug ?? '');
  }

  private async show(slug: string, request: Request, response: Response): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const asked = isRead ? pageAt(request.path, slug) : null;
    const { uptime, month } = request.query;
    await this.status.send(asked, { uptime: windowOf(uptime), month }, request, response);
  }
}

/** A cookie is no key: a browser that is signed in shows the page. */
const isForInstallation = ({ path, headers }: Request): boolean =>
  HEALTH_PATHS.has(path) ||
  (path.startsWith(API) && (headers.authorization !== undefined || headers['x-api-key'] !== undefined));

/** What a path means under the host name of a page; its usual addresses, which it links to, work there, too. */
export function pageAt(path: string, slug: string): AskedPage | null {
  const form = FORMS[path];
  if (form !== undefined) return { slug, form };
  const below = BELOW.find((end) => path === `/status/${slug}${end}`);
  if (below !== undefined) return pageAt(below, slug);
  const asked = path.startsWith('/status/') ? readPageName(path.slice('/status/'.length)) : null;
  return asked?.slug === slug ? asked : null;
}

function windowOf(value: unknown): BadgeWindow | undefined {
  if (value === undefined) return undefined;
  const window = Object.keys(BADGE_WINDOWS).find((each) => each === value);
  if (window === undefined) throw problems.invalidQuery([UNKNOWN_WINDOW]);
  return window as BadgeWindow;
}

const UNKNOWN_WINDOW: FieldProblem = {
  pointer: '?uptime',
  code: 'invalid_format',
  message: `uptime must be one of ${Object.keys(BADGE_WINDOWS).join(', ')}`,
};
