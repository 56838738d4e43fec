import { isUtf8 } from 'node:buffer';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Problem, problems } from '../../problem/problem';
import { ByOwner } from '../../capacity/by-owner';
import { BodyReadBy, bytesReader, MAX_BODY_BYTES } from './read-body';

export interface TextBodyRule {
  /** The accepted media types, without parameters. */
  types: readonly string[];
  maxBytes: number;
}

/** How many bodies above the usual limit may be read at the same time, per organization and per process. */
const LARGE = { perOrganization: 4, inAll: 8 };
const large = new ByOwner(LARGE.inAll, LARGE.perOrganization);

/** Matches a media type whose only parameter is the charset. */
const UTF8_TYPE = /^([^;\s]*)\s*(?:;\s*charset\s*=\s*"?utf-8"?)?$/i;

/** Accepts a text body. The handler receives it with `@SentText()`. */
export function TextBody({ types, maxBytes }: TextBodyRule): MethodDecorator {
  const read = bytesReader(maxBytes);
  return BodyReadBy(async (request, response) => {
    if (mayBeLarge(request)) enterAsLarge(request.caller?.orgId ?? '', response);
    const type = UTF8_TYPE.exec((request.headers['content-type'] ?? '').trim())?.[1];
    if (type === undefined || !types.includes(type.toLowerCase()))
      throw new Problem('unsupported_media_type', `Send the body in UTF-8 as one of ${types.join(', ')}.`);
    const bytes = await read(request, response);
    if (!isUtf8(bytes)) throw new Problem('invalid_encoding', 'The body is not valid UTF-8.');
    return bytes.toString('utf8');
  });
}

/** Passes the whole body to the handler as a string, or an empty string if there is no body. */
export const SentText = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { body } = context.switchToHttp().getRequest<{ body: unknown }>();
  return typeof body === 'string' ? body : '';
});

const mayBeLarge = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;

/** Holds the slot until the response is complete, because the text is needed until then. */
function enterAsLarge(orgId: string, response: Response): void {
  if (!large.hasShareFor(orgId)) throw problems.rateLimited(1);
  if (!large.tryTake(orgId)) throw problems.temporarilyUnavailable();
  response.once('close', () => large.release(orgId));
}
