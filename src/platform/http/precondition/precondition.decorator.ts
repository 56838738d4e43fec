import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { PreconditionInterceptor } from './precondition.interceptor';

export const PRECONDITION = Symbol('http:precondition');

/** Whether a route that changes something honours an `If-Match`; `refuses` says why it does not. */
export type PreconditionRule = { honours: true } | { honours: false; refuses: string };

const rule = (value: PreconditionRule) => SetMetadata(PRECONDITION, value);

const EXAMPLE = '"3vT0yQm5kJx2bR8cWn1ZaA"';

/** For routes that change or delete one resource. The service calls `requireMatch` for it. */
export const HonoursIfMatch = () =>
  applyDecorators(
    rule({ honours: true }),
    UseInterceptors(PreconditionInterceptor),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The `ETag` that the resource was read with: 412 `precondition_failed` when its settings have changed since, and nothing is done. Several with commas between, or `*`. A weak tag never matches.',
      schema: { type: 'string', minLength: 1 },
      example: EXAMPLE,
    }),
  );

/** For the other routes of the methods PUT and DELETE. `why` is a sentence for the client. Routes without either decorator refuse, too. */
export const RefusesIfMatch = (why: string) => rule({ honours: false, refuses: why });

/** Of a response that shows one resource, for the API reference. */
export const WITH_ETAG = {
  headers: {
    ETag: {
      description:
        'Of the settings: results, status and flags do not change it. Send it back as `If-Match`. The same for every key.',
      schema: { type: 'string' },
      example: EXAMPLE,
    },
  },
} as const;
