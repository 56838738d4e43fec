import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DashboardAssets } from './dashboard-assets';
import { DashboardMiddleware } from './dashboard.middleware';
import { HelpPages } from './help-pages';
import { SecurityTxt } from './security-txt';
import { SecurityTxtController } from './security-txt.controller';
import { SystemController } from './system.controller';
import { SystemService } from './system.service';

/** The files of the dashboard, the API reference, and the help, the system's state for the dashboard, and security.txt. */
@Module({
  controllers: [SystemController, SecurityTxtController],
  providers: [DashboardAssets, HelpPages, SystemService, SecurityTxt],
})
export class DashboardModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const help = ['help', 'help/*page', 'llms.txt'];
    consumer
      .apply(DashboardMiddleware)
      .forRoutes('/', 'favicon.svg', 'assets/*file', 'docs', 'docs/assets/*file', ...help);
  }
}
