/** Declared here, because tests that import this file are compiled without the browser's types. */
declare const location: Readonly<Record<'origin' | 'pathname', string>>;

/**
 * Returns the service's base path: empty at the root, or a path such as `/monitor`. The dashboard is a single page at
 * that path.
 */
const base = (): string => location.pathname.replace(/\/$/, '');

/** Returns the path that the browser requests for a service path such as `/docs`. */
export const at = (path: string): string => base() + path;

/** Returns the base URL of the service. */
export const home = (): string => location.origin + base();

/** Returns the path of the public status page with this slug. */
export const statusPageAt = (slug: string): string => at(`/status/${slug}`);
