import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import { VERSION } from '../version';
import { OpenApiParts } from './openapi-parts';
import { withOperationsCompleted } from './operations';
import { inReadingOrder, withTags } from './reading-order';
import { withRequestExamples } from './request-examples';
import { asOpenApi31, withDefaultsInWords, withProblemsExplained, withPublicNames } from './schemas';

const descriptionAt = (
  base: string,
): string => `Websites, the endpoints that watch them, alert rules and every event they raised.

**Authentication**: \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. A key belongs to one organization and has a role: \`read\`, \`write\` or \`admin\`. Browsers of people have a session instead, in one of their organizations at a time: with \`X-Organization: org_…\` a request is 409 \`conflict\` when it is in another one.

**Ids** carry a prefix and are opaque. **Times** are ISO 8601 in UTC with milliseconds. **Durations** in the fields \`interval\` and \`timeout\` are seconds.

**Lists** are arrays; \`Link: <…>; rel="next"\` and \`X-Next-Cursor\` lead to the next page, \`X-Total-Count\` tells the size of a resource list, unless it is filtered and has more than 1000 items. A page ends early when its body would have more than 1 MiB, so only the header tells which page is the last.

**Rate limits** count tokens: a key has 100 a second and 200 at once unless the installation says otherwise, all keys of an organization together three times as many. Most requests take one; long lists, latency, uptime and filters of the audit log take more. An organization may also have only a fifth of the open requests. Beyond it comes 429 with \`Retry-After\`.

**Safe to repeat**: a POST that makes something takes an \`Idempotency-Key\`. Repeated within 24 hours with the same key and body it makes nothing and sends the first response again, with \`Idempotency-Replayed: true\`. Other POSTs refuse the header. GET, PUT and DELETE can be repeated anyway; there it has no effect.

**Safe to change**: one resource comes with an \`ETag\` of its settings. PUT and DELETE take it as \`If-Match\` and answer 412 \`precondition_failed\` when somebody else has changed the settings since; nothing is done then. Routes that do not honour it refuse it. A GET never answers 304 there, because status and results change without the tag; PUT and DELETE with an \`If-None-Match\` that names the resource as it is get 412.

**Updates** are partial: the fields you send change. Read-only fields you send back are ignored, unknown fields are refused.

**Errors** are \`application/problem+json\` (RFC 9457). Switch on \`code\`; texts may change. What each means, and what to do: [problems](${base}/docs#problems). Ignore fields you do not know: the API grows additively.`;

const SESSION =
  'The session of a person, as `POST /auth/session` begins it; over https its name begins with `__Host-`.';

/** The steps that adapt Nest's document, in order. Each step gets the result of the previous one. */
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
 * Returns the document of all routes, as served and as committed in docs/. `base` is `PUBLIC_URL` if the service is
 * below a path. Client generators prepend it to the paths.
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
 * Serves `/api/v1/openapi.json` without a key, because the document contains no data of an organization. It is built
 * once, on first use, and all clients share the bytes. The reference at `/docs` shows it, and its files are served with
 * the dashboard's. `base` is as in `openApiDocument`.
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
