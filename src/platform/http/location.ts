import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Page } from './page';

const LOCATED_AT = Symbol('http:located-at');

/** For routes that create: answers 201 with `Location: <base>/<id>`, the id being the answer's own. */
export const LocatedAt = (base: string) => applyDecorators(SetMetadata(LOCATED_AT, base));

/** Writes what the body of an answer implies for its headers: a page's links, a new resource's address. */
@Injectable()
export class AnswerHeaders implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const base = this.reflector.get<string | undefined>(LOCATED_AT, context.getHandler());
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof Page) return paged(answer, http.getRequest<Request>(), response);
        if (base !== undefined && typeof answer === 'object' && answer !== null && 'id' in answer) {
          response.setHeader('Location', `${base}/${String(answer.id)}`);
        }
        return answer;
      }),
    );
  }
}

function paged(page: Page<unknown>, request: Request, response: Response): readonly unknown[] {
  if (page.total !== null) response.setHeader('X-Total-Count', String(page.total));
  if (page.nextCursor !== null) {
    const url = new URL(request.originalUrl, 'http://localhost');
    url.searchParams.set('cursor', page.nextCursor);
    response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
    response.setHeader('X-Next-Cursor', page.nextCursor);
  }
  return page.items;
}
