import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { problems } from '../problem/problem';
import { cut } from '../text/text-limits';

/** Nest's metadata key for a handler's parameters. Entries for `@Query()` start with `4:`. */
const ROUTE_ARGUMENTS = '__routeArguments__';

/** Rejects query parameters on routes without a query DTO. If there is a DTO, validation rejects unknown parameters. */
@Injectable()
export class UnknownQueryGuard implements CanActivate {
  private readonly known = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const names = Object.keys(request.query);
    if (names.length > 0 && !this.takesQuery(context)) {
      throw problems.invalidQuery(
        names.map((name) => ({
          pointer: `?${cut(name, 100, '')}`,
          code: 'unknown_field' as const,
          message: 'this route has no such parameter',
        })),
      );
    }
    return true;
  }

  private takesQuery(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let takes = this.known.get(handler);
    if (takes === undefined) {
      const parameters = (Reflect.getMetadata(ROUTE_ARGUMENTS, context.getClass(), handler.name) ?? {}) as object;
      takes = Object.keys(parameters).some((key) => key.startsWith('4:'));
      this.known.set(handler, takes);
    }
    return takes;
  }
}
