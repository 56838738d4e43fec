/** Of the browser: what tests import is compiled without its types. */
declare const location: Readonly<Record<'origin' | 'pathname', string>>;

/** Where the service is on its host: empty at the root, `/monitor` below a path. The dashboard is one page, whose address says so. */
const base = (): string => location.pathname.replace(/\/$/, '');

/** A path of the service, such as `/docs`, as the browser has to ask for it. */
export const at = (path: string): string => base() + path;

/** The URL of the service, which a path is added to. */
export const home = (): string => location.origin + base();

/** The public status page with this slug, as the browser has to ask for it. */
export const statusPageAt = (slug: string): string => at(`/status/${slug}`);
