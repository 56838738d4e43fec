import { isUtf8 } from 'node:buffer';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { raw, type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../../access/caller';
import { Problem, problems } from '../../problem/problem';
import { bodyProblem, MAX_BODY_BYTES } from '../json-body';
import { Shares } from '../load/shares';

export interface TextBodyRule {
  /** Media types without parameters. */
  types: readonly string[];
  maxBytes: number;
}

/** Bodies that are larger than those of other routes, read at once: of one organization, and of all in this process. */
const LARGE = { perOrganization: 4, inAll: 8 };
const organizations = new Shares(LARGE.perOrganization);
const everybody = new Shares(LARGE.inAll);

/**
 * The body is a text that the handler takes with `@SentText()`. It is read when the caller is known and may use the route.
 * Only for routes that `jsonBody` leaves alone. Throws `payload_too_large` as soon as there is more than `maxBytes`.
 */
export function TextBody(rule: TextBodyRule): MethodDecorator {
  return applyDecorators(UseInterceptors(interceptorOf(rule)));
}

/** The whole body as text; empty without one. */
export const SentText = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { body } = context.switchToHttp().getRequest<{ body: unknown }>();
  return typeof body === 'string' ? body : '';
});

/** `jsonBody` for all other paths: bodies below these are read by their routes. */
export const unlessBelow =
  (path: string, handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    request.path === path || request.path.startsWith(`${path}/`) ? next() : handler(request, response, next);

function interceptorOf({ types, maxBytes }: TextBodyRule): Type<NestInterceptor> {
  const readBytes = raw({ type: () => true, limit: maxBytes, inflate: false });

  @Injectable()
  class TextBodyInterceptor implements NestInterceptor {
    async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
      const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
      const response = context.switchToHttp().getResponse<Response>();
      if (mayBeLarge(request)) enterAsLarge(request.caller?.orgId ?? '', response);
      request.body = textOf(await bytesOf(request, response));
      return next.handle();
    }
  }

  function bytesOf(request: Request, response: Response): Promise<Buffer> {
    const type = /^\s*([^;\s]*)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (type === undefined || !types.includes(type.toLowerCase()))
      throw new Problem('unsupported_media_type', `Send the body in UTF-8 as one of ${types.join(', ')}.`);
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding.');
    return new Promise((resolve, reject) => {
      readBytes(request, response, (error?: unknown) => {
        const problem = error && bodyProblem(error, maxBytes);
        if (problem) reject(problem instanceof Error ? problem : new Error('the body could not be read'));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      });
    });
  }

  return TextBodyInterceptor;
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Problem('invalid_encoding', 'The body is not valid UTF-8.');
  return bytes.toString('utf8');
}

const mayBeLarge = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;

/** Until the response is through, because its text is needed until then. */
function enterAsLarge(orgId: string, response: Response): void {
  if (!organizations.enter(orgId)) throw problems.rateLimited(1);
  if (!everybody.enter('')) {
    organizations.leave(orgId);
    throw problems.temporarilyUnavailable();
  }
  response.once('close', () => {
    organizations.leave(orgId);
    everybody.leave('');
  });
}
