import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, RequestHandler } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { registerAudited } from './audit/audited-change';
import { carryAuthorship } from './audit/authorship';
import { compose } from './extension/composition';
import type { Extension } from './extension/extension';
import { PingMiddleware } from './heartbeat/ping.middleware';
import { RateLimits } from './identity/rate-limits';
import { setCookieScope } from './identity/own-cookie';
import { setPublicOrigin } from './identity/same-origin';
import { Bootstrap } from './identity/organization/bootstrap';
import type { Config } from './platform/config/config';
import { refuseWhileDraining, LoadShedder } from './platform/http/load/load-shedder';
import { publicPathOf, setPublicPath } from './platform/http/own-address';
import { requestId } from './platform/http/request-id';
import { Compression } from './platform/http/compression';
import { EntityTags } from './platform/http/precondition/entity-tags';
import { ServerAdapter } from './platform/http/server.adapter';
import { registerIdKinds } from './platform/ids/id';
import { Health } from './platform/observability/health';
import { Metrics } from './platform/observability/metrics';
import { serviceLogger } from './platform/observability/service-logger';
import { mountOpenApi } from './platform/openapi/openapi';
import { HostedPages } from './status-page/public/hosted-pages';

/**
 * Creates the whole application: connected, migrated, and with its first key (see `Bootstrap`), but not listening yet.
 * Tests and `main.ts` start it the same way. `extensions` come from other packages, and `environment` contains their
 * settings. Throws: `StartError` if an extension conflicts with another one or with the service.
 */
export async function createApp(
  config: Config,
  extensions: readonly Extension[] = [],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<NestExpressApplication> {
  const composition = compose(extensions);
  registerIdKinds(composition.ids);
  registerAudited(composition.audited);
  // AsyncLocalStorage carries the author of a change from here to the audit log.
  const adapter = new ServerAdapter(carryAuthorship, config);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config, composition, environment),
    adapter,
    {
      bodyParser: false,
      abortOnError: false,
      logger: serviceLogger(config),
    },
  );
  // If the list is empty, the client's address is the address of the connection.
  app.set('trust proxy', config.trustedProxies);
  setPublicOrigin(adapter.getInstance<Application>(), config.publicUrl);
  setPublicPath(adapter.getInstance<Application>(), config.publicUrl);
  setCookieScope(adapter.getInstance<Application>(), config.publicUrl);
  measure(adapter, app.get(Metrics));
  const tags = app.get(EntityTags);
  adapter.completeReplies((body) => tags.ofResponse(body), app.get(Compression));
  app.use(requestId);
  app.use(refuseWhileDraining(app.get(Health)));
  app.use(securityHeaders(config));
  app.use(keptNowhere);
  app.use(app.get(LoadShedder).refuseWhileOverloaded);
  app.use(app.get(HostedPages).serve);
  app.use(app.get(PingMiddleware).serve);
  app.use(app.get(RateLimits).refuseFloods);
  mountOpenApi(app, publicPathOf(config.publicUrl) === '' ? '' : (config.publicUrl ?? ''));
  await ready(app);
  return app;
}

/** Closes all connections and locks if startup fails. */
async function ready(app: NestExpressApplication): Promise<void> {
  try {
    await app.init();
    await app.get(Bootstrap).prepare();
  } catch (error) {
    await app.close().catch(() => {});
    throw error;
  }
}

function measure(adapter: ServerAdapter, metrics: Metrics): void {
  const closed = metrics.labelledCounter({
    name: 'uptime_connections_closed_total',
    help: 'Connections of clients that the service closed because of its limits.',
    values: { reason: ['address', 'process', 'unread'] },
  });
  adapter.watchClosed((reason) => closed.inc({ reason }));
  metrics.watch(
    { name: 'uptime_responses_unread_bytes', help: 'Bytes of responses that clients have not read yet.' },
    () => adapter.unread.bytes,
  );
}

/** ASVS requires at least a year. Subdomains are excluded, because the service doesn't know them. */
const HSTS = { maxAge: 365 * 24 * 60 * 60, includeSubDomains: false };

/** The same strict headers for all responses, including the API reference, whose page also has no inline code. */
const securityHeaders = ({ publicUrl }: Pick<Config, 'publicUrl'>) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    strictTransportSecurity: publicUrl?.startsWith('https:') ? HSTS : false,
    xFrameOptions: { action: 'deny' },
  });

/**
 * Forbids caching by default, because most responses contain names or belong to one organization. Handlers may override
 * it.
 */
const keptNowhere: RequestHandler = (_, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};
