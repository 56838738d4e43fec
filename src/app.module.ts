import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AlertModule } from './alert/alert.module';
import { ConfigurationModule } from './configuration/configuration.module';
import { ContactModule } from './contact/contact.module';
import { ChannelModule } from './channel/channel.module';
import { CheckerModule } from './checker/checker.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { DeliveryModule } from './delivery/delivery.module';
import { EndpointModule } from './endpoint/endpoint.module';
import { MaintenanceModule } from './maintenance/maintenance.module';
import type { Composition } from './extension/composition';
import { ExtensionModule } from './extension/extension.module';
import { HeartbeatModule } from './heartbeat/heartbeat.module';
import { HistoryModule } from './history/history.module';
import { IncidentModule } from './incident/incident.module';
import { MonitoringModule } from './monitoring/monitoring.module';
import { AuditModule } from './audit/audit.module';
import { AuthGuard } from './identity/auth.guard';
import { Credentials } from './identity/credentials';
import { ChangeQuotaGuard } from './identity/quota/change-quota.guard';
import { IdentityModule } from './identity/identity.module';
import type { Config } from './platform/config/config';
import { ConfigModule } from './platform/config/config.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventsModule } from './platform/events/events.module';
import { HttpModule } from './platform/http/http.module';
import { IdempotencyGuard } from './platform/http/idempotency/idempotent.decorator';
import { PreconditionGuard } from './platform/http/precondition/precondition.decorator';
import { JobsModule } from './platform/jobs/jobs.module';
import { UnknownQueryGuard } from './platform/http/unknown-query.guard';
import { BodyGuard } from './platform/http/body/body.guard';
import { RequestValidationPipe } from './platform/http/body/validation.pipe';
import { NetModule } from './platform/net/net.module';
import { ObservabilityModule } from './platform/observability/observability.module';
import { OpenApiModule } from './platform/openapi/openapi-parts';
import { ProblemFilter } from './platform/http/problem.filter';
import { SecretsModule } from './platform/secrets/secrets.module';
import { ProbeModule } from './probe/probe.module';
import { ReportModule } from './report/report.module';
import { StatusPageModule } from './status-page/status-page.module';
import { StreamModule } from './stream/stream.module';
import { TimeModule } from './platform/time/time.module';
import { WebsiteModule } from './website/website.module';

/** Tables whose rows are updated by every check or delivery. */
const HOT_TABLES = ['endpoint_schedule', 'endpoint_state', 'notification'];

@Module({})
export class AppModule {
  /** `environment` contains the settings of extensions. */
  static forRoot(
    config: Config,
    composition: Composition,
    environment: Readonly<Record<string, string | undefined>>,
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        ScheduleModule.forRoot(),
        DatabaseModule.forRoot(composition.migrations, HOT_TABLES),
        TimeModule,
        EventsModule,
        SecretsModule,
        NetModule,
        ObservabilityModule,
        JobsModule,
        HttpModule,
        AuditModule,
        IdentityModule,
        OpenApiModule,
        CheckerModule,
        ChannelModule,
        ProbeModule,
        WebsiteModule,
        EndpointModule,
        MaintenanceModule,
        HistoryModule,
        IncidentModule,
        DeliveryModule,
        ContactModule,
        AlertModule,
        MonitoringModule,
        HeartbeatModule,
        StreamModule,
        StatusPageModule,
        ReportModule,
        ConfigurationModule,
        DashboardModule,
        ExtensionModule.forRoot(composition, environment),
        ...composition.modules,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        Credentials,
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: UnknownQueryGuard },
        { provide: APP_GUARD, useClass: IdempotencyGuard },
        { provide: APP_GUARD, useClass: PreconditionGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_GUARD, useClass: ChangeQuotaGuard },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
