import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { problems } from '../../problem/problem';
import { EntityTags } from './entity-tags';
import { HEADER, parseIfMatch } from './if-match';
import { underPrecondition } from './precondition';

/** Brings the `If-Match` of a request to `requireMatch`. See `@HonoursIfMatch`. */
@Injectable()
export class PreconditionInterceptor implements NestInterceptor {
  constructor(private readonly tags: EntityTags) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const sent = context.switchToHttp().getRequest<Request>().headers[HEADER];
    const wanted = sent === undefined ? null : parseIfMatch(sent);
    if (wanted === null) return next.handle();
    return from(
      underPrecondition(
        (stored) => {
          if (!wanted.any && !wanted.tags.includes(this.tags.of(stored)))
            throw problems.preconditionFailed(wanted.tags.length === 0);
        },
        () => lastValueFrom(next.handle()),
      ),
    );
  }
}
