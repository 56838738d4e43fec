import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Problem } from '../../problem/problem';
import { HEADER, wellFormedKey } from './asked-request';
import { IDEMPOTENCY, type IdempotencyRule } from './idempotent.decorator';

const BY_DEFAULT = 'This request is not repeated from a stored response.';

/** No POST ignores an `Idempotency-Key`: one that does not honour it is refused before anything is done. */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method, rawHeaders } = context.switchToHttp().getRequest<Request>();
    if (headers[HEADER] === undefined || method !== 'POST') return true;
    const rule = this.reflector.get<IdempotencyRule | undefined>(IDEMPOTENCY, context.getHandler());
    if (!rule?.honours) {
      const detail = `${rule?.refuses ?? BY_DEFAULT} Leave out the Idempotency-Key header; nothing was done.`;
      throw new Problem('idempotency_key_not_supported', detail);
    }
    if (wellFormedKey(rawHeaders) === null) {
      const detail = 'Send one Idempotency-Key header of 1 to 255 printable ASCII characters.';
      throw new Problem('invalid_idempotency_key', detail);
    }
    return true;
  }
}
