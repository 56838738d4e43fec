/** Where the service is on its host: the reference is at `/docs` below it. */
const base = (): string => location.pathname.replace(/\/docs\/?$/, '');

/** A path of the service, such as `/api/v1/openapi.json`, as the browser has to ask for it. */
export const at = (path: string): string => base() + path;
