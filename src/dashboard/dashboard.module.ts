import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DashboardAssets } from './dashboard-assets';
import { DashboardMiddleware } from './dashboard.middleware';
import { SystemController } from './system.controller';
import { SystemService } from './system.service';

/** The page people look at, and what only it asks for. */
@Module({ controllers: [SystemController], providers: [DashboardAssets, SystemService] })
export class DashboardModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(DashboardMiddleware).forRoutes('/', 'favicon.svg', 'assets/*file');
  }
}
