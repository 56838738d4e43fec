/** Returns the service's base path. The reference is at `/docs` below it. */
const base = (): string => location.pathname.replace(/\/docs\/?$/, '');

/** Returns the path that the browser requests for a path of the service, such as `/api/v1/openapi.json`. */
export const at = (path: string): string => base() + path;
