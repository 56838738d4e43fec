import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module';
import { WebsiteModule } from '../website/website.module';
import { PublicStatusController } from './public-status.controller';
import { PublicStatusService } from './public-status.service';
import { StatusPageController } from './status-page.controller';
import { StatusPageService } from './status-page.service';
import { StatusSnapshots } from './status-snapshot';

/** Public status pages and badges, off by default for each website. */
@Module({
  imports: [WebsiteModule, HistoryModule],
  controllers: [StatusPageController, PublicStatusController],
  providers: [StatusPageService, StatusSnapshots, PublicStatusService],
})
export class StatusPageModule {}
