import {
  applyDecorators,
  SetMetadata,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { SAFE_METHODS } from '../../access/safe-methods';
import { Problem, problems } from '../../problem/problem';
import { IF_MATCH, IF_NONE_MATCH, isNamedBy, matches, parseTags, underPrecondition } from './precondition';
import { EntityTags } from './entity-tags';

/** Passes the `If-Match` and `If-None-Match` headers to `requireMatch`. See `@HonoursIfMatch`. */
@Injectable()
class PreconditionInterceptor implements NestInterceptor {
  constructor(private readonly tags: EntityTags) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const [sent, unwanted] = [headers[IF_MATCH], headers[IF_NONE_MATCH]];
    if (sent === undefined && unwanted === undefined) return next.handle();
    const wanted = sent === undefined ? null : parseTags(sent);
    return from(
      underPrecondition(
        (stored) => {
          const tag = this.tags.of(stored);
          if (wanted && !matches(wanted, tag))
            throw problems.preconditionFailed(wanted.tags.every((each) => each.startsWith('W/')));
          if (isNamedBy(unwanted, tag)) throw new Problem('precondition_failed', NAMED);
        },
        () => lastValueFrom(next.handle()),
      ),
    );
  }
}

const PRECONDITION = Symbol('http:precondition');

/** Whether a route that changes something honors `If-Match`. If not, `refuses` is the reason. */
type PreconditionRule = { honours: true } | { honours: false; refuses: string };

const rule = (value: PreconditionRule) => SetMetadata(PRECONDITION, value);

const EXAMPLE = '"3vT0yQm5kJx2bR8cWn1ZaA"';

/** Honors `If-Match` on routes that change or delete a single resource. Their service must call `requireMatch`. */
export const HonoursIfMatch = () =>
  applyDecorators(
    rule({ honours: true }),
    UseInterceptors(PreconditionInterceptor),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The `ETag` of the resource as you read it. If the settings have changed since then, nothing is done and you get 412 `precondition_failed`. You can send several tags separated by commas, or `*`. A weak tag never matches.',
      schema: { type: 'string', minLength: 1 },
      example: EXAMPLE,
    }),
  );

/**
 * Rejects `If-Match` on a PUT or DELETE route. `why` is a sentence for the client. Routes with neither decorator also
 * reject it.
 */
export const RefusesIfMatch = (why: string) => rule({ honours: false, refuses: why });

/** Documents the `ETag` header for a response that contains a single resource. */
export const WITH_ETAG = {
  headers: {
    ETag: {
      description:
        'The tag of the settings. Results, status, and flags do not change it. Send it back as `If-Match`. It is the same for every key.',
      schema: { type: 'string' },
      example: EXAMPLE,
    },
  },
} as const;

const BY_DEFAULT = 'Only requests that change or delete one resource accept an If-Match header.';
const NAMED =
  'The If-None-Match header matches the current resource, or is *. Remove the header to change the resource; nothing was done.';

/** Rejects requests with an `If-Match` header before anything is done if the route doesn't honor it. */
@Injectable()
export class PreconditionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = context.switchToHttp().getRequest<Request>();
    const sent = headers[IF_MATCH];
    if (sent === undefined || SAFE_METHODS.has(method)) return true;
    const rule = this.reflector.get<PreconditionRule | undefined>(PRECONDITION, context.getHandler());
    if (!rule?.honours) {
      const detail = `${rule?.refuses ?? BY_DEFAULT} Remove the If-Match header; nothing was done.`;
      throw new Problem('if_match_not_supported', detail);
    }
    if (parseTags(sent) === null) {
      const detail =
        'Send the ETag of the resource exactly as you received it, including the quotes. You can send several tags separated by commas, or *.';
      throw new Problem('invalid_if_match', detail);
    }
    return true;
  }
}
