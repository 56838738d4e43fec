import {
  applyDecorators,
  SetMetadata,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { Problem } from '../../problem/problem';
import { HEADER, wellFormedKey } from './asked-request';

const IDEMPOTENCY = Symbol('http:idempotency');

/** Whether a POST route honors an `Idempotency-Key` header. If not, `refuses` is the reason. */
type IdempotencyRule = { honours: true } | { honours: false; refuses: string };

const rule = (value: IdempotencyRule) => SetMetadata(IDEMPOTENCY, value);

/**
 * Honors an `Idempotency-Key` header on routes that only create something in the database. The whole handler runs in
 * one transaction, which also stores the response. The handler must not use the network or wait for anything.
 */
export const Idempotent = () =>
  applyDecorators(
    rule({ honours: true }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A key that lets you repeat the request safely. If you send the same key and body again within 24 hours, you get the first response again, and nothing is created twice. Choose a new random value for each resource that you create.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
      example: '0b9f3a52-4c1e-4d7b-9a65-1f6f0f5a11c8',
    }),
  );

/**
 * Rejects an `Idempotency-Key` header on a POST route. `why` is a sentence for the client. Routes with neither
 * decorator also reject it.
 */
export const RefusesIdempotencyKey = (why: string) => rule({ honours: false, refuses: why });

const BY_DEFAULT = 'The response to this request is not stored, so it cannot be sent again.';

/** Rejects requests with an `Idempotency-Key` header before anything is done if the POST route doesn't honor it. */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers, method, rawHeaders } = context.switchToHttp().getRequest<Request>();
    if (headers[HEADER] === undefined || method !== 'POST') return true;
    const rule = this.reflector.get<IdempotencyRule | undefined>(IDEMPOTENCY, context.getHandler());
    if (!rule?.honours) {
      const detail = `${rule?.refuses ?? BY_DEFAULT} Remove the Idempotency-Key header; nothing was done.`;
      throw new Problem('idempotency_key_not_supported', detail);
    }
    if (wellFormedKey(rawHeaders) === null) {
      const detail = 'Send only one Idempotency-Key header, with 1 to 255 printable ASCII characters.';
      throw new Problem('invalid_idempotency_key', detail);
    }
    return true;
  }
}
