import type { OpenAPIObject } from '@nestjs/swagger';
import { BODY_LIMIT, pushReply } from './ping.middleware';

/** A ping URL in the API document. A test sends each one, with its values, to the middleware. */
interface DocumentedAddress {
  operationId: string;
  summary: string;
  description: string;
  /** The values of the path parameters. The first value of each is the example. */
  parts: Readonly<Record<string, readonly string[]>>;
  query?: Readonly<Record<string, { description: string; example: string }>>;
}

const UUID = '7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04';
const PING_KEY = 'hV8mQ2xT5rNc0bWq7KzYd1';
const RID = {
  rid: {
    description: 'A UUID that identifies the run, to distinguish overlapping runs.',
    example: '0d8e2f4a-3b1c-4a5d-8e6f-7a9b0c1d2e3f',
  },
};
const CREATE = {
  create: {
    description:
      '`1`: create the heartbeat if it does not exist, with a daily schedule and a grace period of one hour. The response is then 201.',
    example: '1',
  },
};
const SIGNALS = ['start', 'fail', 'log', '3'];
const SIGNAL = '`start`, `fail`, `log`, or an exit code: 0 is a success, 1 to 255 are failures.';
const HOW = `Send GET, HEAD, or POST. Any body is accepted, and its first ${BODY_LIMIT} bytes are stored. 200 means that the ping is stored.`;

export const PING_ADDRESSES: Readonly<Record<string, DocumentedAddress>> = {
  '/ping/{ping_id}': {
    operationId: 'ping',
    summary: 'Report a successful run of a job',
    description: `The URL itself is the secret; no API key is needed. The URL also works without \`/ping\`, as on healthchecks. ${HOW}`,
    parts: { ping_id: [UUID] },
    query: RID,
  },
  '/ping/{ping_id}/{signal}': {
    operationId: 'pingSignal',
    summary: 'Report the start or the failure of a run, or a log',
    description: `${SIGNAL} If the first part of the path is the \`ping_key\` of a website, the second part is the \`key\` of an endpoint, and the request reports a successful run. ${HOW}`,
    parts: { ping_id: [UUID], signal: SIGNALS },
    query: { ...RID, ...CREATE },
  },
  '/ping/{ping_key}/{key}/{signal}': {
    operationId: 'pingSignalByKey',
    summary: 'Report a signal by the keys of website and endpoint',
    description: `Uses the \`ping_key\` of the website and the \`key\` of the endpoint. ${SIGNAL} ${HOW}`,
    parts: { ping_key: [PING_KEY], key: ['backup'], signal: SIGNALS },
    query: { ...RID, ...CREATE },
  },
  '/api/push/{push_token}': {
    operationId: 'push',
    summary: 'Report a result in the format of Uptime Kuma',
    description: `Any status other than \`up\` is a failure. The responses are JSON: \`{"ok": true}\`. ${HOW}`,
    parts: { push_token: ['hV8mQ2xT5rNc0bWq7KzYd1Pf'] },
    query: {
      status: { description: 'The status. `up` by default.', example: 'up' },
      msg: {
        description:
          'The reason for the failure. The alert shows its first 300 characters. If there is no body, it is stored as the body.',
        example: 'disk full',
      },
      ping: {
        description: 'The duration of the run in milliseconds. Used if the start of the run was not reported.',
        example: '31.6',
      },
    },
  },
};

const TEXTS: Readonly<Record<string, { description: string; example: string }>> = {
  200: { description: 'The ping and the check are stored.', example: 'OK' },
  400: { description: 'The URL or `rid` is not valid.', example: 'invalid url format' },
  404: { description: 'The URL does not exist.', example: 'not found' },
  429: {
    description:
      'The heartbeat got more than one ping per second (or ten at once), or the quota of the organization is used up.',
    example: 'too many requests',
  },
  503: { description: 'Try again, for example with `curl --retry 5`.', example: 'try again' },
};
/**
 * Adds the ping URLs, which are not routes. `x-plain` marks URLs for other programs. They respond in plain text without
 * problem bodies, so general API rules exclude them.
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
      description: 'The number of bytes of a body that are stored.',
      schema: { type: 'string' },
      example: String(BODY_LIMIT),
    },
  },
  content: isPush
    ? { 'application/json': { schema: { type: 'object' }, example: pushReply(status, example) } }
    : { 'text/plain': { schema: { type: 'string' }, example } },
});
