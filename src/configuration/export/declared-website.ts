import { settingsOf } from '../../maintenance/maintenance-window.dto';
import type { WindowRow } from '../../maintenance/window-row';
import type { PublicPageRow } from '../../status-page/settings/public-page.dto';
import type { Website } from '../../website/website.entity';
import type { DeclaredStatusPage, DeclaredWebsite, DeclaredWindow } from '../document/document';
import { PAGE_DEFAULTS, WEBSITE_DEFAULTS, WINDOW_DEFAULTS } from '../plan/sent-fields';
import { type KeyPaths, pathsOf } from './key-paths';
import type { Chosen } from './without-defaults';

/** Returns a website without its endpoints. `page` is its status page, if it has ever had one. */
export const toDeclaredWebsite = (
  { name, url, enabled, tags }: Website,
  key: string,
  page: Pick<PublicPageRow, 'enabled' | 'slug'> | null,
  chosen: Chosen,
): DeclaredWebsite => ({
  key,
  name,
  url,
  ...chosen({ enabled, tags, status_page: page && { enabled: page.enabled, slug: page.slug } }, WEBSITE_DEFAULTS),
});

/** Returns `null` if all resources that it covers were deleted. */
export function toDeclaredWindow(row: WindowRow, key: string, paths: KeyPaths, chosen: Chosen): DeclaredWindow | null {
  const scope = scopeOf(row, paths);
  if (!scope) return null;
  const { name, scope: _scope, key: _key, ...settings } = settingsOf(row);
  return { key, name, ...chosen(settings, WINDOW_DEFAULTS), scope };
}

function scopeOf(
  { coversAll, websiteIds, endpointIds, tags }: WindowRow,
  paths: KeyPaths,
): DeclaredWindow['scope'] | null {
  if (coversAll) return { all: true };
  const scope = {
    ...nonEmpty('websites', pathsOf(paths.websites, websiteIds).sort()),
    ...nonEmpty('endpoints', pathsOf(paths.endpoints, endpointIds).sort()),
    ...nonEmpty('tags', [...tags]),
  };
  return Object.keys(scope).length > 0 ? scope : null;
}

/** Returns a separate status page without its logo. Its groups are kept in order. */
export function toDeclaredPage(row: PublicPageRow, key: string, paths: KeyPaths, chosen: Chosen): DeclaredStatusPage {
  const { title, slug, description, accent, domain, down_after_minutes, indexed, support_url, enabled } = row;
  return {
    key,
    title: title ?? '',
    slug,
    ...chosen({ description, accent, domain, down_after_minutes, indexed, support_url, enabled }, PAGE_DEFAULTS),
    groups: (row.groups ?? []).map(({ name, endpoints, websites }) => ({
      ...(name !== '' && { name }),
      ...nonEmpty('endpoints', pathsOf(paths.endpoints, endpoints)),
      ...nonEmpty('websites', pathsOf(paths.websites, websites)),
    })),
  };
}

const nonEmpty = <Name extends string>(name: Name, items: string[]): Partial<Record<Name, string[]>> =>
  (items.length > 0 ? { [name]: items } : {}) as Partial<Record<Name, string[]>>;

/** Returns true if a website's page has settings that can't be expressed in a document. */
export const hasMore = (page: PublicPageRow): boolean => {
  const { title, description, accent, domain, logo_hash: logo, groups, indexed, support_url: support } = page;
  const { down_after_minutes: after } = page;
  return (
    [title, accent, domain, logo, groups, support, after].some((setting) => setting !== null) ||
    description !== '' ||
    !indexed
  );
};
