export interface Route {
  /** `GET`, `ALL`, and so on. */
  readonly verb: string;
  /** `/api/v1/websites/:id` */
  readonly path: string;
  /** The host, if the controller only accepts requests to a specific one. */
  readonly host: string | null;
  /** `WebsiteController.list` */
  readonly handler: string;
  readonly hasRule: boolean;
  readonly hasVersion: boolean;
}

const nameOf = ({ verb, path }: Route): string => `${verb} ${path}`;

/**
 * Returns one sentence for each invalid route. Routes are in registration order, and the first match handles a request.
 */
export function routeConflicts(routes: readonly Route[]): string[] {
  return routes.flatMap((route, index) => {
    const { handler, hasRule, hasVersion } = route;
    const first = routes.slice(0, index).find((other) => takesAllOf(other, route));
    return [
      ...(hasRule
        ? []
        : [`${handler} (${nameOf(route)}) does not declare who may call it: add @Access('read'), 'write' or 'admin'.`]),
      ...(hasVersion
        ? [
            `${handler} (${nameOf(route)}) has a version, which is not supported: put the version into the path, as /api/v1 does.`,
          ]
        : []),
      ...(first ? [taken(first, route)] : []),
    ];
  });
}

const taken = (first: Route, route: Route): string =>
  shapeOf(first) === shapeOf(route)
    ? `${nameOf(route)} is served twice: by ${first.handler} and by ${route.handler}. Choose another path.`
    : `${nameOf(route)} never reaches ${route.handler}, because ${first.handler} serves ${nameOf(first)} first. Choose another path.`;

/** Parameter names do not distinguish routes. */
const shapeOf = (route: Route): string => nameOf(route).replace(/:[^/]+/g, ':');

/** Returns true if `other` matches every request that `route` matches. */
function takesAllOf(other: Route, route: Route): boolean {
  if (other.verb !== 'ALL' && other.verb !== route.verb) return false;
  if (other.host !== null && other.host !== route.host) return false;
  const wide = other.path.split('/');
  const narrow = route.path.split('/');
  return wide.length === narrow.length && wide.every((part, at) => isParameter(part) || part === narrow[at]);
}

/** Returns true if the whole path segment is a parameter, as in `/websites/:id`, but not in `/:id.json`. */
const isParameter = (part: string): boolean => /^:\w+$/.test(part);
