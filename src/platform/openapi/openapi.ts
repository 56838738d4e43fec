import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import { OpenApiParts } from './openapi-parts';
import { inReadingOrder } from './reading-order';
import { documentTransportProblems } from './transport-problems';

const DESCRIPTION = `Websites, the endpoints that watch them, alert rules and every event they raised.

**Authentication**: \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. A key belongs to one organization and has a role: \`read\`, \`write\` or \`admin\`.

**Ids** carry a prefix and are opaque. **Times** are ISO 8601 in UTC with milliseconds. **Durations** in the fields \`interval\` and \`timeout\` are seconds.

**Lists** are arrays; \`Link: <…>; rel="next"\` and \`X-Next-Cursor\` lead to the next page, \`X-Total-Count\` tells the size of a resource list. A page ends early when its body would have more than 1 MiB, so only the header tells which page is the last.

**Rate limits** count tokens: a key has 100 a second and 200 at once unless the installation says otherwise, all keys of an organization together three times as many. Most requests take one; long lists, latency, uptime and filters of the audit log take more. An organization may also have only a fifth of the open requests. Beyond it comes 429 with \`Retry-After\`.

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
  return sortTags(document);
}

function sortTags(document: OpenAPIObject): OpenAPIObject {
  const names = Object.values(document.paths).flatMap((path) =>
    Object.values(path as object).flatMap((operation: { tags?: string[] }) => operation.tags ?? []),
  );
  const tags = [...new Set(names)].map((name) => ({ name, description: TAGS[name] ?? name }));
  return { ...document, tags };
}

const TAGS: Readonly<Record<string, string>> = {
  Websites: 'What an organization watches. Owns endpoints.',
  Endpoints: 'One check each: what is asked, how often, and how the answer is judged.',
  Alerts: 'Rules that notify when an endpoint fails, and the events they raised.',
  Deliveries: 'What became of each notification.',
  Checks: 'Running a check at once.',
  History: 'Single checks, uptime and latency over any range.',
  Organizations: 'Who am I; and, for the operator, all organizations.',
  'API keys': 'Keys of your organization.',
  'Audit log': 'Who changed what in your organization.',
};

/**
 * `/api/v1/openapi.json` and the reference at `/docs`, both without a key: the document holds no data of an organization.
 * It is built on first use.
 */
export function mountOpenApi(app: NestExpressApplication): void {
  let document: OpenAPIObject | null = null;
  const build = () => (document ??= openApiDocument(app));
  app.use('/docs', referenceHeaders);
  const express: Express = app.getHttpAdapter().getInstance();
  // Made once: all clients that have not read it yet share the bytes.
  let text: Buffer | null = null;
  express.get('/api/v1/openapi.json', (_, response) => {
    response.type('json').send((text ??= Buffer.from(JSON.stringify(build()))));
  });
  SwaggerModule.setup('docs', app, build, {
    customSiteTitle: 'Uptime monitor API',
    raw: false,
    swaggerOptions: {
      persistAuthorization: false,
      docExpansion: 'list',
      displayRequestDuration: true,
      validatorUrl: null,
    },
  });
}

/** We serve the reference's own scripts and styles; besides them it needs inline styles and data: images. */
const referenceHeaders: RequestHandler = (_, response, next) => {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  );
  next();
};
