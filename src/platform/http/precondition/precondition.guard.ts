import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Problem } from '../../problem/problem';
import { HEADER, parseIfMatch } from './if-match';
import { PRECONDITION, type PreconditionRule } from './precondition.decorator';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const BY_DEFAULT = 'Only what changes or deletes one resource takes an If-Match.';

/** No change ignores an `If-Match`: a route that does not honour it refuses it before anything is done. */
@Injectable()
export class PreconditionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method } = context.switchToHttp().getRequest<Request>();
    const sent = headers[HEADER];
    if (sent === undefined || SAFE.has(method)) return true;
    const rule = this.reflector.get<PreconditionRule | undefined>(PRECONDITION, context.getHandler());
    if (!rule?.honours) {
      const detail = `${rule?.refuses ?? BY_DEFAULT} Leave out the If-Match header; nothing was done.`;
      throw new Problem('if_match_not_supported', detail);
    }
    if (parseIfMatch(sent) === null) {
      const detail =
        'Send the ETag of the resource as it was received, with its quotes; several with commas between, or *.';
      throw new Problem('invalid_if_match', detail);
    }
    return true;
  }
}
