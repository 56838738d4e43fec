import type { Break, Passing } from './breaking-proxy';

/** A break, and the test that must find it. */
export interface Found extends Break {
  /** The full name of the test, without the name of the suite. */
  by: string;
}

function inJson(passing: Passing, change: (body: Record<string, unknown>) => unknown): void {
  if (!passing.body.startsWith('{') && !passing.body.startsWith('[')) return;
  passing.body = JSON.stringify(change(JSON.parse(passing.body) as Record<string, unknown>));
}

const without = (field: string) => (body: Record<string, unknown>) => {
  const { [field]: _, ...rest } = body;
  return rest;
};
const withoutHeader = (passing: Passing, name: string) => void delete passing.headers[name];
const status = (from: number, to: number) => (passing: Passing) => {
  if (passing.status === from) passing.status = to;
};
const pathIs = ({ path }: Passing, pattern: RegExp) => pattern.test(path);

/**
 * One fault each, as proxies and reimplementations have them. `key` may write. It belongs to a proxy that uses its
 * own key.
 */
export const breaksWith = (key: string): Readonly<Record<string, Found>> => ({
  'says 403 for what is not there': {
    by: 'addresses GET /api/v1/websites/{id} gets the same 404 for an unknown and a malformed ID',
    response: status(404, 403),
  },
  'says 404 for a wrong method': {
    by: 'addresses PATCH /api/v1/websites gets 405, and Allow lists the possible methods',
    response: status(405, 404),
  },
  'says 200 for what was created': {
    by: 'a website is created from name and url with 201, a Location, and every field',
    response: status(201, 200),
  },
  'drops Location': {
    by: 'an endpoint is created from name, url, and type with 201, a Location, and defaults for everything else',
    response: (passing) => withoutHeader(passing, 'location'),
  },
  'drops WWW-Authenticate': {
    by: 'access GET /api/v1/websites without a key gets 401 with WWW-Authenticate',
    response: (passing) => withoutHeader(passing, 'www-authenticate'),
  },
  'asks with a key of its own, so that nothing is masked': {
    by: 'a secret of an endpoint is masked for read keys, alone and in lists',
    request: ({ method, headers }) => {
      if (method === 'GET') headers['authorization'] = `Bearer ${key}`;
    },
  },
  'drops fields that it does not know': {
    by: 'input POST /api/v1/websites refuses an unknown field by its pointer',
    request: (passing) => inJson(passing, without('nonsense')),
  },
  'drops parameters that it does not know': {
    by: 'input GET /api/v1/websites refuses an unknown query parameter by its name',
    request: (passing) => void (passing.path = passing.path.replace(/[?&]nonsense=1/, '')),
  },
  'tells of one wrong field at a time': {
    by: 'an alert is refused with all wrong fields at once',
    response: (passing) =>
      inJson(passing, (body) =>
        Array.isArray(body['errors']) ? { ...body, errors: body['errors'].slice(0, 1) } : body,
      ),
  },
  'lists events oldest first': {
    by: 'an alert with the thresholds 3 and 2 has one trigger event and one resolve event, newest first',
    response: (passing) => {
      if (pathIs(passing, /\/alerts\/events/))
        inJson(passing, (body) => (Array.isArray(body) ? (body as unknown[]).reverse() : body));
    },
  },
  'counts thresholds from one more': {
    by: 'an alert with the thresholds 3 and 2 triggers at the third failure in a row and resolves at the second success, not earlier',
    request: (passing) => {
      if (passing.method === 'POST' && pathIs(passing, /\/alerts$/))
        inJson(passing, (body) => ({ ...body, failure_threshold: Number(body['failure_threshold']) + 1 }));
    },
  },
  'tells of the end though it was asked not to': {
    by: 'a triggered alert resolves without a notification if it does not notify of recoveries',
    request: (passing) => inJson(passing, without('send_on_resolved')),
  },
  'signs with another secret': {
    by: 'an alert with a webhook signs its messages, so that the receiver can verify the sender',
    request: (passing) =>
      inJson(passing, (body) =>
        body['type'] === 'webhook'
          ? { ...body, config: without('secret')(body['config'] as Record<string, unknown>) }
          : body,
      ),
  },
  'ignores the cursor': {
    by: 'the list of endpoints of a website has the same entries in the same order, whether it is read at once or in pages',
    request: (passing) => void (passing.path = passing.path.replace(/&cursor=[^&]*/, '')),
  },
  'drops Link': {
    by: 'the list of alerts of an endpoint links to its next page in Link, with the cursor in X-Next-Cursor',
    response: (passing) => withoutHeader(passing, 'link'),
  },
  'counts the page instead of the list': {
    by: 'the list of alerts of an endpoint is in chronological order, has no next page on its last page, and counts all entries if it counts',
    response: (passing) => {
      const list: unknown = passing.body.startsWith('[') ? JSON.parse(passing.body) : null;
      if (Array.isArray(list)) passing.headers['x-total-count'] = String(list.length);
    },
  },
  'drops a field of what is read': {
    by: 'success GET /api/v1/websites/{id} succeeds, with status, headers, and body as documented',
    response: (passing) => inJson(passing, (body) => (Array.isArray(body) ? body : without('endpoint_count')(body))),
  },
  'writes times without milliseconds': {
    by: 'a website changes only in the fields that are sent',
    response: (passing) => void (passing.body = passing.body.replace(/\.\d{3}Z"/g, 'Z"')),
  },
  'drops Idempotency-Key': {
    by: 'a POST with an Idempotency-Key gets the first response again if it is repeated, and creates nothing',
    request: (passing) => withoutHeader(passing, 'idempotency-key'),
  },
  'drops If-Match': {
    by: 'a PUT or DELETE with If-Match gets 412 after someone else changed the resource, and changes nothing',
    request: (passing) => withoutHeader(passing, 'if-match'),
  },
  'sends problems as ordinary JSON': {
    by: 'addresses an unknown URL gets 404 with a problem',
    response: ({ headers }) =>
      void (headers['content-type'] = (headers['content-type'] ?? '').replace('problem+json', 'json')),
  },
  'gives requests another id': {
    by: 'a request keeps its request ID if it sends a valid one, and gets a new one otherwise',
    request: (passing) => withoutHeader(passing, 'x-request-id'),
  },
  'serves the document of an older version': {
    by: 'success the document of the service has the whole contract: operations, parameters, fields, and values',
    response: (passing) => {
      if (pathIs(passing, /openapi\.json/)) passing.body = passing.body.replaceAll('alert_open', 'alerting');
    },
  },
  'forgets who may write': {
    by: 'access POST /api/v1/websites with a read key gets 403',
    request: ({ headers }) => void (headers['authorization'] &&= `Bearer ${key}`),
  },
});

export const UNBROKEN = 'breaks nothing';

/** Each break with the test that must find it. */
export const FOUND: readonly [broken: string, by: string][] = Object.entries(breaksWith('')).map(([name, { by }]) => [
  name,
  by,
]);
