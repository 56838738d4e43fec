import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { rootFor } from './own-address';

const LOCATED_AT = Symbol('http:located-at');

/** Adds a `Location` header for the created resource. */
@Injectable()
class LocationInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const request = context.switchToHttp().getRequest<Request<Record<string, string>>>();
    const path = this.reflector.get<string>(LOCATED_AT, context.getHandler());
    const base = path.replace(/:(\w+)/g, (whole, name: string) => request.params[name] ?? whole);
    return next.handle().pipe(
      map((created: unknown) => {
        if (typeof created === 'object' && created !== null && 'id' in created)
          response.setHeader('Location', `${rootFor(request)}${base}/${String(created.id)}`);
        return created;
      }),
    );
  }
}

/**
 * Responds with 201 and `Location: <base>/<id>`, where the ID is taken from the returned view. `:id` in the base is
 * replaced with the ID from the request.
 */
export const LocatedAt = (base: string) =>
  applyDecorators(SetMetadata(LOCATED_AT, base), UseInterceptors(LocationInterceptor));
