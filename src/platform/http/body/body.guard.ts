import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { ACCESS, type AccessRule, type AuthenticatedRequest } from '../../access/caller';
import { LoadShedder } from '../load/load-shedder';
import { hasBody, jsonReader, MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES, READ_BODY, type ReadBody } from './read-body';

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const readJson = jsonReader(MAX_BODY_BYTES);
const readSmallJson = jsonReader(MAX_PUBLIC_BODY_BYTES);

/**
 * Reads the body as the last guard, so that nothing is read for a caller who is unknown, rate limited, or not allowed
 * to use the route. This isn't an interceptor, because global interceptors were a third of the cost of a read. The
 * default is JSON of up to 128 KiB, or 4 KiB without a key. Other routes declare their body with `TextBody` or
 * `FormBody`. A body that is sent without a key may take 5 seconds and is counted separately.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly load: LoadShedder,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    return BODY_METHODS.has(request.method) ? this.read(context, request, http.getResponse<Response>()) : true;
  }

  private async read(context: ExecutionContext, request: AuthenticatedRequest, response: Response): Promise<true> {
    const targets = [context.getHandler(), context.getClass()];
    const own = this.reflector.getAllAndOverride<ReadBody | undefined>(READ_BODY, targets);
    const isPublic = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, targets) === 'public';
    const read = own ?? (isPublic ? readSmallJson : readJson);
    request.body =
      isPublic && hasBody(request)
        ? await this.load.sending(request, async () => read(request, response))
        : await read(request, response);
    return true;
  }
}
