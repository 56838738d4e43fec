import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { registerAudited } from './audit/audited-change';
import { carryAuthorship } from './audit/authorship';
import { compose } from './extension/composition';
import type { Extension } from './extension/extension';
import { PingMiddleware } from './heartbeat/ping.middleware';
import { setPublicOrigin } from './identity/same-origin';
import { Bootstrap } from './identity/organization/bootstrap';
import type { Config } from './platform/config/config';
import { refuseWhileDraining, LoadShedder } from './platform/http/load/load-shedder';
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
 * The whole application, connected, migrated and with its first key (see `Bootstrap`), but not listening yet. Tests start it
 * the same way as `main.ts`. `extensions`: what packages of a team add; one that clashes with another one or with the service
 * is a `StartError` in words. `environment`: where their settings are read from.
 */
export async function createApp(
  config: Config,
  extensions: readonly Extension[] = [],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<NestExpressApplication> {
  const composition = compose(extensions);
  registerIdKinds(composition.ids);
  registerAudited(composition.audited);
  // Who makes a change travels by AsyncLocalStorage from here to the audit log.
  const adapter = new ServerAdapter(carryAuthorship, config.maxConnectionsPerAddress);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config, composition, environment),
    adapter,
    {
      bodyParser: false,
      abortOnError: false,
      logger: serviceLogger(config),
    },
  );
  // Empty, the address of the connection is the client's.
  app.set('trust proxy', config.trustedProxies);
  setPublicOrigin(adapter.getInstance<Application>(), config.publicUrl);
  measure(adapter, app.get(Metrics));
  const tags = app.get(EntityTags);
  adapter.completeReplies((body) => tags.ofResponse(body), app.get(Compression));
  app.use(requestId);
  app.use(refuseWhileDraining(app.get(Health)));
  app.use(securityHeaders());
  app.use(app.get(LoadShedder).refuseWhileOverloaded);
  app.use(app.get(HostedPages).serve);
  app.use(app.get(PingMiddleware).serve);
  mountOpenApi(app);
  await ready(app);
  return app;
}

/** What stops the start leaves no connection and no lock behind. */
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
  const closed = metrics.counter({
    name: 'uptime_connections_closed_total',
    help: 'Connections of clients that the service closed to keep its limits.',
    labelNames: ['reason'],
  });
  adapter.watchClosed((reason) => closed.inc({ reason }));
  metrics.watch(
    { name: 'uptime_responses_unread_bytes', help: 'Bytes of responses that their clients have not read yet.' },
    () => adapter.unread.bytes,
  );
}

/** Strict everywhere, the API reference included: its page has nothing inline either. */
const securityHeaders = () =>
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
    strictTransportSecurity: false,
  });
