import { type INestApplicationContext, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { actFromCommandLine } from '../../../src/audit/authorship';
import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import { IdentityModule } from '../../../src/identity/identity.module';
import { OrganizationService } from '../../../src/identity/organization/organization.service';
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { InvitationsService } from '../../../src/identity/people/invitations.service';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { DatabaseModule } from '../../../src/platform/database/database.module';
import { EventsModule } from '../../../src/platform/events/events.module';
import { HttpModule } from '../../../src/platform/http/http.module';
import { JobsModule } from '../../../src/platform/jobs/jobs.module';
import { NetModule } from '../../../src/platform/net/net.module';
import { ObservabilityModule } from '../../../src/platform/observability/observability.module';
import { SecretsModule } from '../../../src/platform/secrets/secrets.module';

export interface IdentityServices {
  readonly keys: ApiKeyService;
  readonly organizations: OrganizationService;
  readonly people: InstallationPeople;
  readonly invitations: InvitationsService;
  readonly config: Config;
}

export const servicesOf = (app: Pick<INestApplicationContext, 'get'>): IdentityServices => ({
  keys: app.get(ApiKeyService),
  organizations: app.get(OrganizationService),
  people: app.get(InstallationPeople),
  invitations: app.get(InvitationsService),
  config: app.get(Config),
});

/**
 * Logs only that the command is waiting for a server. It never logs to stdout, which is reserved for keys and links.
 */
const WAITING: LoggerService = {
  log: () => {},
  error: () => {},
  warn: (message: unknown, context?: unknown) => {
    if (context === 'Database') process.stderr.write(`${String(message)}\n`);
  },
};

/**
 * Runs `work` on the service's database with the modules for keys and people, but without routes and checks. The audit
 * log shows the command as the author.
 */
export async function withServices<T>(config: Config, work: (services: IdentityServices) => Promise<T>): Promise<T> {
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
  class CommandModule {}

  const context = await NestFactory.createApplicationContext(CommandModule, { logger: WAITING, abortOnError: false });
  try {
    return await work(servicesOf(context));
  } finally {
    await context.close();
  }
}
