import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import './written-properties';
import { VERSION } from '../version';
import { OpenApiParts } from './openapi-parts';
import { withOperationsCompleted } from './operations';
import { inReadingOrder, withTags } from './reading-order';
import { withRequestExamples } from './request-examples';
import { asOpenApi31, withDefaultsInWords, withProblemsExplained, withPublicNames } from './schemas';

const descriptionAt = (
  base: string,
): string => `The API for websites, their endpoints, alert rules, and every event that they raise.

**Authentication**: send \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. A key belongs to one organization and has a role: \`read\`, \`responder\`, \`write\`, or \`admin\`. The browser of a signed-in user has a session instead, in one organization at a time. If you send \`X-Organization: org_…\` and the session is in another organization, you get 409 \`conflict\`.

**IDs** have a prefix and are opaque. **Times** are ISO 8601 in UTC with milliseconds. **Durations** in the fields \`interval\` and \`timeout\` are in seconds.

**Lists** are arrays. \`Link: <…>; rel="next"\` and \`X-Next-Cursor\` link to the next page. \`X-Total-Count\` is the number of items in the list, unless the list is filtered and has more than 1000 items. A page ends early if its body would exceed 1 MiB, so only the header shows which page is the last one.

**Rate limits** count tokens. By default, a key has 100 tokens per second and 200 at once, and all keys of an organization together have three times as many. Most requests use one token. Long lists, latency, uptime, and filters of the audit log use more. An organization may also have at most a fifth of the open requests. If you exceed a limit, you get 429 with \`Retry-After\`.

**Safe to repeat**: a POST that creates a resource accepts an \`Idempotency-Key\`. If you repeat it within 24 hours with the same key and body, nothing is created, and you get the first response again with \`Idempotency-Replayed: true\`. Other POST requests reject the header. You can always repeat GET, PUT, and DELETE, where the header has no effect.

**Safe to change**: the response for a single resource has an \`ETag\` of its settings. Send it as \`If-Match\` with PUT and DELETE. If someone else has changed the settings since then, nothing is done and you get 412 \`precondition_failed\`. Routes that do not support \`If-Match\` reject it. A GET never returns 304 for these resources, because status and results change without the tag. PUT and DELETE with an \`If-None-Match\` that matches the current resource get 412.

**Updates** are partial: only the fields that you send change. Read-only fields that you send back are ignored, and unknown fields are rejected.

**Errors** are \`application/problem+json\` (RFC 9457). Your program should switch on \`code\`, because texts may change. For each code and what to do, see [problems](${base}/docs#problems). Ignore fields that you do not know, because new fields may be added.`;

const SESSION =
  'The session of a user, which starts with `POST /auth/session`. Over https, the name of the cookie starts with `__Host-`.';

/** The steps that adapt Nest's document, in order. Each step receives the result of the previous one. */
const TRANSFORMS: readonly ((document: OpenAPIObject) => OpenAPIObject)[] = [
  withOperationsCompleted,
  withTags,
  withPublicNames,
  withProblemsExplained,
  asOpenApi31,
  withDefaultsInWords,
  withRequestExamples,
];

/**
 * Returns the document for all routes, as served and as committed in docs/. `base` is `PUBLIC_URL` if the service is
 * hosted under a path. Client generators prepend it to all paths.
 */
export function openApiDocument(app: INestApplication, base = ''): OpenAPIObject {
  const parts = app.get(OpenApiParts);
  const config = new DocumentBuilder()
    .setTitle('Uptime monitor')
    .setDescription(descriptionAt(base))
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(base === '' ? '/' : base, 'This installation')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' }, 'api_key')
    .addCookieAuth('uptime_session', { type: 'apiKey', in: 'cookie', description: SESSION }, 'session')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The token of a probe.' }, 'probe_token')
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('api_key')
    .build();
  const document = inReadingOrder(SwaggerModule.createDocument(app, config, { extraModels: parts.models }));
  parts.complete(document);
  return TRANSFORMS.reduce((whole, transform) => transform(whole), document);
}

const gzipped = promisify(gzip) as (body: Buffer) => Promise<Buffer>;

/**
 * Serves `/api/v1/openapi.json` without a key, because the document contains no organization's data. It is built once,
 * on first use, and all clients share the same bytes. The reference at `/docs` shows it, and the reference's files are
 * served together with the dashboard's. `base` is as in `openApiDocument`.
 */
export function mountOpenApi(app: NestExpressApplication, base: string): void {
  let plain: Buffer | null = null;
  let compressed: Promise<Buffer> | null = null;
  const express: Express = app.getHttpAdapter().getInstance();
  const send = async (request: Request, response: Response): Promise<void> => {
    plain ??= Buffer.from(JSON.stringify(openApiDocument(app, base)));
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
