import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from '../platform/access/caller';
import { Database } from '../platform/database/database';
import { StartError } from '../platform/database/start-error';

type Handler = Parameters<Reflector['get']>[1];

/** A method of a controller that serves a path. */
interface Route {
  /** `GET /api/v1/websites` */
  readonly name: string;
  /** `WebsiteController.list` */
  readonly handler: string;
  readonly hasRule: boolean;
}

/** Stops the start when a route says nobody may call it, or two pieces of the application claim one route or one table. */
@Injectable()
export class Conflicts implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    const tables = this.database.manager.connection.entityMetadatas.map(({ tableName, name }) => ({ tableName, name }));
    const conflicts = [...routeConflicts(this.routes()), ...tableConflicts(tables)];
    if (conflicts.length > 0) throw new StartError(conflicts.join('\n'));
  }

  private routes(): Route[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      if (typeof instance !== 'object' || instance === null || !metatype) return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
        const handler = prototype[method];
        return typeof handler === 'function' ? this.routesOf(metatype, method, handler) : [];
      });
    });
  }

  private routesOf(controller: Handler, method: string, handler: Handler): Route[] {
    const verb: unknown = this.reflector.get('method', handler);
    if (typeof verb !== 'number') return [];
    const hasRule = this.reflector.getAllAndOverride<unknown>(ACCESS, [handler, controller]) !== undefined;
    const names = pathsOf(this.reflector.get('path', controller)).flatMap((base) =>
      pathsOf(this.reflector.get('path', handler)).map(
        (path) => `${RequestMethod[verb]} /${[base, path].filter(Boolean).join('/')}`,
      ),
    );
    return names.map((name) => ({ name, handler: `${controller.name}.${method}`, hasRule }));
  }
}

const pathsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map((path) =>
    typeof path === 'string' ? path.replace(/^\/+|\/+$/g, '') : '',
  );

/** Names of parameters tell no routes apart. */
const shapeOf = (name: string): string => name.replace(/:[^/]+/g, ':');

/** One sentence for each route that is wrong. */
export function routeConflicts(routes: readonly Route[]): string[] {
  return routes.flatMap(({ name, handler, hasRule }, index) => {
    const first = routes.findIndex((other) => shapeOf(other.name) === shapeOf(name));
    return [
      ...(hasRule
        ? []
        : [`${handler} (${name}) does not say who may call it: give it @Access('read'), 'write' or 'admin'.`]),
      ...(first < index
        ? [`${name} is served twice: by ${routes[first]?.handler} and by ${handler}. Choose another path.`]
        : []),
    ];
  });
}

/** One sentence for each table of two entities. Two copies of one entity are those of two applications in one process. */
export function tableConflicts(tables: readonly { tableName: string; name: string }[]): string[] {
  return tables.flatMap(({ tableName, name }, index) => {
    const first = tables.findIndex((other) => other.tableName === tableName);
    const owner = tables[first]?.name;
    if (first === index || owner === name) return [];
    return [`The table "${tableName}" has two entities: ${owner} and ${name}. Choose another table.`];
  });
}
