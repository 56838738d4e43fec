/** Returns the service's base path. The reference is located at `/docs` under this path. */
const base = (): string => location.pathname.replace(/\/docs\/?$/, '');

/** Returns the path that the browser requests for a service path such as `/api/v1/openapi.json`. */
export const at = (path: string): string => base() + path;
