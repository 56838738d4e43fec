import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { costOfWebsiteHistory } from '../../platform/access/cost';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { WebsiteHistoryQuery, WebsiteHistoryView } from './website-history.dto';
import { WebsiteHistoryService } from './website-history.service';

@ApiTags('History')
@Controller('api/v1/websites/:id/history')
export class WebsiteHistoryController {
  constructor(private readonly history: WebsiteHistoryService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfWebsiteHistory,
    operationId: 'getWebsiteHistory',
    summary: 'Get the history of a website',
    description:
      'Returns the website’s checks by day, taken from the daily stats of its endpoints, and the newest outages.',
    returns: { ok: WebsiteHistoryView, description: 'The days and outages.' },
  })
  read(
    @OrgId() orgId: string,
    @IdParam('website') id: string,
    @Query() query: WebsiteHistoryQuery,
  ): Promise<WebsiteHistoryView> {
    return this.history.read(orgId, id, query);
  }
}
