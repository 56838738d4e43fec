import { RequestMethod } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ACCESS, type AccessRule, COUNTED_BY } from '../../../src/platform/access/caller';

export interface Route {
  /** For example, `GET /api/v1/websites/:id`. */
  name: string;
  method: string;
  path: string;
  access: AccessRule | undefined;
  /** A description of the limit for a public route that isn't counted like the others. */
  countedBy: string | undefined;
}

/** Returns all of the application's routes, based on its controllers. */
export function routesOf(app: NestExpressApplication): Route[] {
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => {
    if (!metatype) return [];
    const prototype = metatype.prototype as Record<string, object>;
    const base = String(Reflect.getMetadata('path', metatype) ?? '');
    return scanner.getAllMethodNames(prototype).flatMap((name): Route[] => {
      const handler = prototype[name];
      if (!handler || !Reflect.hasMetadata('path', handler)) return [];
      const method = RequestMethod[Reflect.getMetadata('method', handler) as number] ?? 'GET';
      const path = `/${[base, String(Reflect.getMetadata('path', handler))]
        .map((part) => part.replace(/^\/|\/$/g, ''))
        .filter(Boolean)
        .join('/')}`;
      const access = (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, metatype)) as
        AccessRule | undefined;
      const countedBy = Reflect.getMetadata(COUNTED_BY, handler) as string | undefined;
      return [{ name: `${method} ${path}`, method, path, access, countedBy }];
    });
  });
}
