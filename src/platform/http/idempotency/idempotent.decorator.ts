import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IdempotencyInterceptor } from './idempotency.interceptor';

export const IDEMPOTENCY = Symbol('http:idempotency');

/** Whether a route of the method POST honours an `Idempotency-Key`; `refuses` says why it does not. */
export type IdempotencyRule = { honours: true } | { honours: false; refuses: string };

const rule = (value: IdempotencyRule) => SetMetadata(IDEMPOTENCY, value);

/**
 * For routes that make something in the database and nothing else: with an `Idempotency-Key` the whole handler is one
 * transaction, in which the response is stored. The handler must therefore make no call to the network and wait for nothing.
 */
export const Idempotent = () =>
  applyDecorators(
    rule({ honours: true }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes the request safe to repeat: with the same key and body the first response is sent again for 24 hours, and nothing is made twice. Choose a new random value for each thing that is to be made.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
      example: '0b9f3a52-4c1e-4d7b-9a65-1f6f0f5a11c8',
    }),
  );

/** For the other routes of the method POST. `why` is a sentence for the client. Routes without either decorator refuse, too. */
export const RefusesIdempotencyKey = (why: string) => rule({ honours: false, refuses: why });
