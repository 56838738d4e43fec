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
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

const LOCATED_AT = Symbol('http:located-at');

/** Writes the address of what was created. */
@Injectable()
class LocationInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const base = this.reflector.get<string>(LOCATED_AT, context.getHandler());
    return next.handle().pipe(
      map((answer: unknown) => {
        if (typeof answer === 'object' && answer !== null && 'id' in answer)
          response.setHeader('Location', `${base}/${String(answer.id)}`);
        return answer;
      }),
    );
  }
}

/** For routes that create: answers 201 with `Location: <base>/<id>`, the id being the answer's own. */
export const LocatedAt = (base: string) =>
  applyDecorators(SetMetadata(LOCATED_AT, base), UseInterceptors(LocationInterceptor));
