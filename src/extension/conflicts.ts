import { inspect } from 'node:util';
import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { ACCESS } from '../platform/access/caller';
import { Database } from '../platform/database/database';
import { StartError } from '../platform/config/start-error';
import { type Route, routeConflicts } from './routes';

type Controller = ReturnType<DiscoveryService['getControllers']>[number];
type Handler = Parameters<Reflector['get']>[1];

/** Stops startup if a route has no access rule, or if two parts of the application claim the same route or table. */
@Injectable()
export class Conflicts implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly modules: ModulesContainer,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    const tables = this.database.manager.connection.entityMetadatas.map(({ tableName, target, name, columns }) => ({
      tableName,
      target,
      name,
      columns: columns.map((column) => `${column.propertyPath} ${column.databaseName}`),
    }));
    const conflicts = [...routeConflicts(this.routes()), ...tableConflicts(tables)];
    if (conflicts.length > 0) throw new StartError(conflicts.join('\n'));
  }

  private routes(): Route[] {
    return this.discovery.getControllers().flatMap((controller) => {
      const { instance } = controller;
      if (typeof instance !== 'object' || instance === null) return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
        const handler = prototype[method];
        return typeof handler === 'function' ? this.routesOf(controller, method, handler) : [];
      });
    });
  }

  private routesOf({ metatype, host: module }: Controller, method: string, handler: Handler): Route[] {
    const verb: unknown = this.reflector.get('method', handler);
    if (!metatype || typeof verb !== 'number') return [];
    const hosts: unknown = this.reflector.get('host', metatype);
    const said = (key: string | symbol): unknown => this.reflector.getAllAndOverride<unknown>(key, [handler, metatype]);
    const about = {
      verb: RequestMethod[verb] ?? '',
      host: hosts === undefined ? null : inspect(hosts),
      handler: `${metatype.name}.${method}`,
      hasRule: said(ACCESS) !== undefined,
      hasVersion: said('__version__') !== undefined,
    };
    const prefix = module ? this.prefixOf(module.metatype) : undefined;
    return pathsOf(prefix).flatMap((start) =>
      pathsOf(this.reflector.get('path', metatype)).flatMap((base) =>
        pathsOf(this.reflector.get('path', handler)).map((path) => ({
          ...about,
          path: `/${[start, base, path].filter(Boolean).join('/')}`,
        })),
      ),
    );
  }

  /** Returns the path that Nest's `RouterModule` uses as a prefix for all controllers of a module. */
  private prefixOf(module: Handler): unknown {
    return this.reflector.get(`__module_path__${this.modules.applicationId}`, module);
  }
}

const pathsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map((path) =>
    typeof path === 'string' ? path.replace(/^\/+|(?<!\/)\/+$/g, '') : '',
  );

/** The parts of an entity that show whether two entities are the same. */
interface Table {
  tableName: string;
  target: unknown;
  name: string;
  columns: readonly string[];
}

/**
 * Returns one sentence for each table that two classes claim. If two classes have the same name, and one has all
 * columns of the other, they are copies of one class. This happens when a test loads two versions of the service in one
 * process.
 */
export function tableConflicts(tables: readonly Table[]): string[] {
  const hasAllOf = (one: Table, other: Table): boolean => other.columns.every((column) => one.columns.includes(column));
  const isCopy = (one: Table, other: Table): boolean =>
    one.name === other.name && (hasAllOf(one, other) || hasAllOf(other, one));
  return tables.flatMap((table, index) => {
    const { tableName, target, name } = table;
    const first = tables.findIndex((other) => other.tableName === tableName);
    const owner = tables[first];
    if (!owner || first === index || owner.target === target || isCopy(owner, table)) return [];
    const which = owner.name === name ? `, both named ${name}` : `: ${owner.name} and ${name}`;
    return [`The table "${tableName}" has two entities${which}. Choose another table.`];
  });
}
