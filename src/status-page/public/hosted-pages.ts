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
  '/calendar.ics': 'ics',
  '/icon.svg': 'icon',
  '/favicon.svg': 'icon',
  '/favicon.ico': 'icon',
  '/robots.txt': 'robots',
  '/logo': 'logo',
  '/history': 'history',
  '/history.json': 'history.json',
};
/** The paths that the page also has below `/status/<slug>`, as on the installation's own host. */
const BELOW = ['/feed.atom', '/calendar.ics', '/icon.svg', '/logo', '/history', '/history.json'];
const INCIDENT = '/incidents/';
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);
const API = '/api/';

/** The slug and domain of a page. */
export interface ShownPage {
  slug: string;
  enabled: boolean;
  domain: string | null;
}

/**
 * Serves a page under its own hostname. Nothing else is available there, neither the dashboard nor another page.
 * Requests with an API key and health probes still work. Otherwise a page with the installation's own hostname would
 * make the installation unreachable. Only `Host` counts, not a forwarded header, because a client that forges it sees a
 * page that is public anyway.
 */
@Injectable()
export class HostedPages {
  constructor(
    private readonly domains: PageDomains,
    private readonly status: PublicStatusService,
  ) {}

  /** Express middleware that must come before all other handlers. */
  readonly serve: RequestHandler = async (request, response, next) => {
    const slug = this.domains.slugOf(request.headers.host);
    // PUBLIC_URL doesn't indicate whether this hostname is served over HTTPS.
    if (slug !== null) response.removeHeader('Strict-Transport-Security');
    if (slug === null || isForInstallation(request)) return next();
    await this.show(slug, request, response);
    return undefined;
  };

  /**
   * Returns why a page may not have this hostname, or `null` if it may. `host` is the hostname under which the author
   * reached the service.
   */
  refusal(domain: string, author: DomainAuthor, host: string | undefined): string | null {
    return this.domains.refusal(domain, author, host);
  }

  /** Returns the path of a page on the host of `PUBLIC_URL`. */
  pathOf(slug: string): string {
    return this.domains.pathOf(slug);
  }

  /**
   * Announces a change. This instance shows it immediately, and others show it within 15 seconds. Pass `null` for a
   * page that didn't exist or was deleted.
   */
  changed(before: ShownPage | null, after: ShownPage | null): void {
    for (const page of [before, after]) if (page) this.status.forget(page.slug);
    const domain = after?.enabled ? after.domain : null;
    this.domains.changed(before?.domain ?? null, domain, after?.slug ?? '');
  }

  private async show(slug: string, request: Request, response: Response): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const asked = isRead ? pageAt(request.path, slug) : null;
    const { uptime, month, refresh } = request.query;
    await this.status.send(asked, { uptime: windowOf(uptime), month, refresh }, request, response, true);
  }
}

/** A cookie doesn't count as a key, so that a signed-in browser shows the page. */
const isForInstallation = ({ path, headers }: Request): boolean =>
  HEALTH_PATHS.has(path) ||
  (path.startsWith(API) && (headers.authorization !== undefined || headers['x-api-key'] !== undefined));

/**
 * Returns the page that a path refers to under a page's own hostname. The usual paths of the page, which it links to,
 * also work.
 */
export function pageAt(path: string, slug: string): AskedPage | null {
  const form = FORMS[path];
  if (form !== undefined) return { slug, form };
  if (path.startsWith(INCIDENT)) return { slug, form: 'incident', incident: path.slice(INCIDENT.length) };
  const prefix = `/status/${slug}`;
  const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '';
  if (BELOW.includes(rest) || rest.startsWith(INCIDENT)) return pageAt(rest, slug);
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
