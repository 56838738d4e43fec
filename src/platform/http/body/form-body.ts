import { jsonReader } from './json-body';
import { BodyReadBy, bytesReader, hasBody } from './read-body';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body is a form of our own pages, which becomes an object of texts, or JSON that says the same. `maxBytes`: with all that is percent-encoded. */
export function FormBody(maxBytes: number): MethodDecorator {
  const [read, readJson] = [bytesReader(maxBytes), jsonReader(maxBytes)];
  return BodyReadBy(async (request, response) => {
    if (!hasBody(request) || !FORM_TYPE.test(request.headers['content-type'] ?? '')) return readJson(request, response);
    const bytes = await read(request, response);
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  });
}
