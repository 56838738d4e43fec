import type { OpenAPIObject } from '@nestjs/swagger';
import { BODY_LIMIT, pushReply } from './ping.middleware';

/** A ping URL in the document. A test sends each one, with its values, to the middleware. */
interface DocumentedAddress {
  operationId: string;
  summary: string;
  description: string;
  /** Values of the path's parts. The first value of each is the example. */
  parts: Readonly<Record<string, readonly string[]>>;
  query?: Readonly<Record<string, { description: string; example: string }>>;
}

const UUID = '7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04';
const PING_KEY = 'hV8mQ2xT5rNc0bWq7KzYd1';
const RID = {
  rid: { description: 'A UUID that tells runs apart which overlap.', example: '0d8e2f4a-3b1c-4a5d-8e6f-7a9b0c1d2e3f' },
};
const CREATE = {
  create: { description: '`1`: makes it where there is none, daily, an hour late; 201 then.', example: '1' },
};
const SIGNALS = ['start', 'fail', 'log', '3'];
const SIGNAL = '`start`, `fail`, `log`, or an exit code: 0 is a success, 1 to 255 a failure.';
const HOW = `GET, HEAD or POST, with any body, of which the first ${BODY_LIMIT} bytes are kept. 200 says that it is stored.`;

export const PING_ADDRESSES: Readonly<Record<string, DocumentedAddress>> = {
  '/ping/{ping_id}': {
    operationId: 'ping',
    summary: 'Tell that the run of a job went well',
    description: `The address is the secret, no key is sent. Also without \`/ping\`, as that of healthchecks. ${HOW}`,
    parts: { ping_id: [UUID] },
    query: RID,
  },
  '/ping/{ping_id}/{signal}': {
    operationId: 'pingSignal',
    summary: 'Tell the start or the failure of a run, or a log',
    description: `${SIGNAL} Behind the \`ping_key\` of a website stands the \`key\` of an endpoint instead: its run went well. ${HOW}`,
    parts: { ping_id: [UUID], signal: SIGNALS },
    query: { ...RID, ...CREATE },
  },
  '/ping/{ping_key}/{key}/{signal}': {
    operationId: 'pingSignalByKey',
    summary: 'The same, by the keys of website and endpoint',
    description: `The \`ping_key\` of the website, the \`key\` of the endpoint. ${SIGNAL} ${HOW}`,
    parts: { ping_key: [PING_KEY], key: ['backup'], signal: SIGNALS },
    query: { ...RID, ...CREATE },
  },
  '/api/push/{push_token}': {
    operationId: 'push',
    summary: 'Tell a result as Uptime Kuma takes it',
    description: `What is not \`up\` is a failure. Its responses are JSON: \`{"ok": true}\`. ${HOW}`,
    parts: { push_token: ['hV8mQ2xT5rNc0bWq7KzYd1Pf'] },
    query: {
      status: { description: '`up` without it.', example: 'up' },
      msg: {
        description:
          'The reason of a failure, of which the alert shows 300 characters. Stored as the body if there is no body.',
        example: 'disk full',
      },
      ping: {
        description: 'How long the run took, in milliseconds. It counts if the start of the run was not reported.',
        example: '31.6',
      },
    },
  },
};

const TEXTS: Readonly<Record<string, { description: string; example: string }>> = {
  200: { description: 'Ping and check are committed.', example: 'OK' },
  400: { description: 'The address or `rid` is badly written.', example: 'invalid url format' },
  404: { description: 'There is no such address.', example: 'not found' },
  429: {
    description: 'More than one a second, ten at once, of a heartbeat, or the quota of the organization.',
    example: 'too many requests',
  },
  503: { description: 'Try again: `curl --retry 5` does.', example: 'try again' },
};
/**
 * Adds the ping URLs, which are not routes. `x-plain` marks URLs for other programs. They respond in plain text without
 * problem bodies, so general rules of the API exclude them.
 */
export function withPings({ paths }: OpenAPIObject): void {
  for (const [path, address] of Object.entries(PING_ADDRESSES)) {
    const { operationId, summary, description, parts, query = {} } = address;
    const isPush = operationId === 'push';
    paths[path] = {
      get: {
        operationId,
        summary,
        description,
        tags: ['Pings'],
        security: [],
        parameters: [
          ...Object.entries(parts).map(([name, [example]]) => parameter('path', name, { example })),
          ...Object.entries(query).map(([name, of]) => parameter('query', name, of)),
        ],
        // A token can't be malformed. An invalid one is not found.
        responses: Object.fromEntries(
          Object.entries(TEXTS)
            .filter(([status]) => !isPush || status !== '400')
            .map(([status, text]) => [status, response(Number(status), text, isPush)]),
        ),
        'x-plain': true,
      } as unknown as Operation,
    };
  }
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const parameter = (
  place: 'path' | 'query',
  name: string,
  { example, description }: { example: string | undefined; description?: string },
) => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  ...(description !== undefined && { description }),
  schema: { type: 'string', example },
});

const response = (
  status: number,
  { description, example }: { description: string; example: string },
  isPush: boolean,
) => ({
  description,
  headers: {
    'Ping-Body-Limit': {
      description: 'Bytes of a body that are kept.',
      schema: { type: 'string' },
      example: String(BODY_LIMIT),
    },
  },
  content: isPush
    ? { 'application/json': { schema: { type: 'object' }, example: pushReply(status, example) } }
    : { 'text/plain': { schema: { type: 'string' }, example } },
});
