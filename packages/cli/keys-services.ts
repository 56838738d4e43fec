import { type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { actFromCommandLine } from '../../src/audit/authorship';
import { ApiKeyService } from '../../src/identity/api-key/api-key.service';
import { IdentityModule } from '../../src/identity/identity.module';
import { OrganizationService } from '../../src/identity/organization/organization.service';
import type { Config } from '../../src/platform/config/config';
import { ConfigModule } from '../../src/platform/config/config.module';
import { DatabaseModule } from '../../src/platform/database/database.module';
import { EventsModule } from '../../src/platform/events/events.module';
import { HttpModule } from '../../src/platform/http/http.module';
import { JobsModule } from '../../src/platform/jobs/jobs.module';
import { NetModule } from '../../src/platform/net/net.module';
import { ObservabilityModule } from '../../src/platform/observability/observability.module';
import { SecretsModule } from '../../src/platform/secrets/secrets.module';
import type { KeysServices } from './keys-actions';

/** Of the log only that a server is waited for, and not on stdout, which is for the key. */
const WAITING: LoggerService = {
  log: () => {},
  error: () => {},
  warn: (message: unknown, context?: unknown) => {
    if (context === 'Database') process.stderr.write(`${String(message)}\n`);
  },
};

/** The service's own modules for keys, on its database, without its routes and checks. Everything is done in the command's name. */
export async function withServices<T>(config: Config, work: (services: KeysServices) => Promise<T>): Promise<T> {
  actFromCommandLine();
  @Module({
    imports: [
      ConfigModule.forRoot(config),
      DatabaseModule.forRoot(),
      EventsModule,
      SecretsModule,
      NetModule,
      ObservabilityModule,
      JobsModule,
      HttpModule,
      IdentityModule,
    ],
  })
  class KeysModule {}

  const context = await NestFactory.createApplicationContext(KeysModule, { logger: WAITING, abortOnError: false });
  try {
    return await work({ keys: context.get(ApiKeyService), organizations: context.get(OrganizationService) });
  } finally {
    await context.close();
  }
}
