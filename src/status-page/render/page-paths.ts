import type { PageLook } from '../status-snapshot';

/** The place at which a page was requested. It determines the page's links. */
export interface PagePlace {
  /** The path prefix of the service, see `rootFor`. In absolute URLs, the URL of the service or of the page's host. */
  root: string;
  /** True under the page's own host name, where the page is at the root. */
  hosted: boolean;
}

/** The URLs of a page's forms. */
export interface PagePaths {
  home: string;
  json: string;
  feed: string;
  calendar: string;
  logo: string;
  icon: string;
  history: string;
  incident: (id: string) => string;
}

export function pathsOf(slug: string, { root, hosted }: PagePlace): PagePaths {
  const base = hosted ? root : `${root}/status/${slug}`;
  return {
    home: hosted ? `${root}/` : base,
    json: hosted ? `${root}/status.json` : `${base}.json`,
    feed: `${base}/feed.atom`,
    calendar: `${base}/calendar.ics`,
    logo: `${base}/logo`,
    icon: `${base}/icon.svg`,
    history: `${base}/history`,
    incident: (id) => `${base}/incidents/${id}`,
  };
}

/**
 * Returns the absolute URLs of a page, or `null` if the installation doesn't know its own URL. The page's host name
 * takes precedence over `PUBLIC_URL`.
 */
export function absolutePaths(
  { slug, look: { domain } }: { slug: string; look: Pick<PageLook, 'domain'> },
  publicUrl: string | null,
): PagePaths | null {
  if (domain !== null) return pathsOf(slug, { root: `https://${domain}`, hosted: true });
  return publicUrl === null ? null : pathsOf(slug, { root: publicUrl, hosted: false });
}
