import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DashboardAssets } from './dashboard-assets';
import { DashboardMiddleware } from './dashboard.middleware';
import { SystemController } from './system.controller';
import { SystemService } from './system.service';

/** The files of the dashboard and of the API reference, and the state of the system, which only the dashboard shows. */
@Module({ controllers: [SystemController], providers: [DashboardAssets, SystemService] })
export class DashboardModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(DashboardMiddleware).forRoutes('/', 'favicon.svg', 'assets/*file', 'docs', 'docs/assets/*file');
  }
}
