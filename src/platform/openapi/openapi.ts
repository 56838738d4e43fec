import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import { OpenApiParts } from './openapi-parts';
import { documentIdempotency } from './idempotency-problems';
import { documentPreconditions } from './precondition-problems';
import { asOpenApi31 } from './openapi-31';
import { inReadingOrder } from './reading-order';
import { addRequestExamples } from './request-examples';
import { withDefaultsInWords } from './schema-defaults';
import { withPublicNames } from './schema-names';
import { documentTransportProblems, type Operation } from './transport-problems';

const DESCRIPTION = `Websites, the endpoints that watch them, alert rules and every event they raised.

**Authentication**: \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. A key belongs to one organization and has a role: \`read\`, \`write\` or \`admin\`.

**Ids** carry a prefix and are opaque. **Times** are ISO 8601 in UTC with milliseconds. **Durations** in the fields \`interval\` and \`timeout\` are seconds.

**Lists** are arrays; \`Link: <…>; rel="next"\` and \`X-Next-Cursor\` lead to the next page, \`X-Total-Count\` tells the size of a resource list, unless it is filtered and has more than 1000 items. A page ends early when its body would have more than 1 MiB, so only the header tells which page is the last.

**Rate limits** count tokens: a key has 100 a second and 200 at once unless the installation says otherwise, all keys of an organization together three times as many. Most requests take one; long lists, latency, uptime and filters of the audit log take more. An organization may also have only a fifth of the open requests. Beyond it comes 429 with \`Retry-After\`.

**Safe to repeat**: a POST that makes something takes an \`Idempotency-Key\`. Repeated within 24 hours with the same key and body it makes nothing and sends the first response again, with \`Idempotency-Replayed: true\`. Other POSTs refuse the header. GET, PUT and DELETE can be repeated anyway; there it has no effect.

**Safe to change**: one resource comes with an \`ETag\` of its settings. PUT and DELETE take it as \`If-Match\` and answer 412 \`precondition_failed\` when somebody else has changed the settings since; nothing is done then. Routes that do not honour it refuse it. \`If-None-Match\` has no effect there: status and results change without the tag.

**Updates** are partial: the fields you send change. Read-only fields you send back are ignored, unknown fields are refused.

**Errors** are \`application/problem+json\` (RFC 9457). Switch on \`code\`; texts may change. Ignore fields you do not know: the API grows additively.`;

/** The document of all routes, as served and as committed in docs/. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const parts = app.get(OpenApiParts);
  const config = new DocumentBuilder()
    .setTitle('Uptime monitor')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This installation')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' }, 'api_key')
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('api_key')
    .build();
  const document = inReadingOrder(SwaggerModule.createDocument(app, config, { extraModels: parts.models }));
  parts.complete(document);
  documentTransportProblems(document);
  documentIdempotency(document);
  documentPreconditions(document);
  documentPages(document);
  const whole = withDefaultsInWords(asOpenApi31(withPublicNames(sortTags(document))));
  addRequestExamples(whole);
  return whole;
}

const NEXT = 'of the next page; absent on the last one, and only there.';
const PAGE_HEADERS = {
  'X-Total-Count': {
    description: 'Items of the whole list, where they are counted.',
    schema: { type: 'integer' },
    example: 1,
  },
  Link: {
    description: `The address ${NEXT}`,
    schema: { type: 'string' },
    example: '</api/v1/websites?cursor=eyJpZCI6IjAxIn0>; rel="next"',
  },
  'X-Next-Cursor': {
    description: `The \`cursor\` ${NEXT}`,
    schema: { type: 'string' },
    example: 'eyJpZCI6IjAxIn0',
  },
} as const;

/** Adds the headers of a page to each list: to what takes a `cursor`. */
function documentPages(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    const list = path.get as Operation | undefined;
    const page = list?.responses['200'];
    if (page && list.parameters?.some(({ name }) => name === 'cursor')) page.headers = { ...PAGE_HEADERS };
  }
}

function sortTags(document: OpenAPIObject): OpenAPIObject {
  const names = Object.values({ ...document.paths, ...document.webhooks }).flatMap((path) =>
    Object.values(path as object).flatMap((operation: { tags?: string[] }) => operation.tags ?? []),
  );
  const tags = [...new Set(names)].map((name) => ({ name, description: TAGS[name] ?? name }));
  return { ...document, tags };
}

const TAGS: Readonly<Record<string, string>> = {
  Websites: 'What an organization watches. Owns endpoints.',
  Endpoints: 'One check each: what is asked, how often, and how the answer is judged.',
  Alerts: 'Rules that notify when an endpoint fails, and the events they raised.',
  Contacts: 'Channels that are configured once, for any number of alerts.',
  Deliveries: 'What became of each notification.',
  Checks: 'Running a check at once.',
  History: 'Single checks, uptime and latency over any range.',
  Stream: 'What happens, as it happens.',
  'Maintenance windows': 'When nobody is told, and checks do not count.',
  'Status pages': 'What everybody may see of a website.',
  Configuration: 'Configuration as code.',
  Organizations: 'Who am I; and, for the operator, all organizations.',
  'API keys': 'Keys of your organization.',
  'Audit log': 'Who changed what in your organization.',
  Sessions: 'How the dashboard signs in.',
  System: 'The state of the installation.',
  Webhooks: 'What the service sends to you.',
};

const gzipped = promisify(gzip) as (body: Buffer) => Promise<Buffer>;

/**
 * `/api/v1/openapi.json`, without a key: the document holds no data of an organization. It is built on first use, once:
 * all clients that have not read it yet share the bytes. The reference at `/docs` shows it; its files are served with the
 * dashboard's.
 */
export function mountOpenApi(app: NestExpressApplication): void {
  let plain: Buffer | null = null;
  let compressed: Promise<Buffer> | null = null;
  const express: Express = app.getHttpAdapter().getInstance();
  const send = async (request: Request, response: Response): Promise<void> => {
    plain ??= Buffer.from(JSON.stringify(openApiDocument(app)));
    response.type('json').vary('Accept-Encoding');
    if (request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') {
      response.send(plain);
      return;
    }
    compressed ??= gzipped(plain);
    response.setHeader('Content-Encoding', 'gzip').send(await compressed);
  };
  express.get('/api/v1/openapi.json', (request, response, next) => {
    send(request, response).then(undefined, next);
  });
}
