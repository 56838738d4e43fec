import { Problem } from '../../problem/problem';
import { BodyReadBy, bytesReader, hasBody } from './read-body';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body is a form of our own pages, and becomes an object of texts. `maxBytes`: with all that is percent-encoded. */
export function FormBody(maxBytes: number): MethodDecorator {
  const read = bytesReader(maxBytes);
  return BodyReadBy(async (request, response) => {
    if (!hasBody(request)) return undefined;
    if (!FORM_TYPE.test(request.headers['content-type'] ?? ''))
      throw new Problem(
        'unsupported_media_type',
        'Send the body as "Content-Type: application/x-www-form-urlencoded".',
      );
    const bytes = await read(request, response);
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  });
}
