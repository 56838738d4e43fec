/** A method of a controller that serves a path. */
export interface Route {
  /** `GET`, `ALL` … */
  readonly verb: string;
  /** `/api/v1/websites/:id` */
  readonly path: string;
  /** Only requests to this host, where the controller names one. */
  readonly host: string | null;
  /** `WebsiteController.list` */
  readonly handler: string;
  readonly hasRule: boolean;
  readonly hasVersion: boolean;
}

const nameOf = ({ verb, path }: Route): string => `${verb} ${path}`;

/** One sentence for each route that is wrong. In the order in which they are registered: the first that fits a request serves it. */
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

/** Names of parameters tell no routes apart. */
const shapeOf = (route: Route): string => nameOf(route).replace(/:[^/]+/g, ':');

/** Whether every request for `route` is one for `other`, too. */
function takesAllOf(other: Route, route: Route): boolean {
  if (other.verb !== 'ALL' && other.verb !== route.verb) return false;
  if (other.host !== null && other.host !== route.host) return false;
  const wide = other.path.split('/');
  const narrow = route.path.split('/');
  return wide.length === narrow.length && wide.every((part, at) => isParameter(part) || part === narrow[at]);
}

/** A whole part of a path, as in `/websites/:id`; not `/:id.json`. */
const isParameter = (part: string): boolean => /^:\w+$/.test(part);
