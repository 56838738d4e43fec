import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller } from '../../platform/access/caller';
import { Cost, costOfList } from '../../platform/access/cost';
import type { Page } from '../../platform/http/page';
import { Problems } from '../../platform/problem/problems.decorator';
import { OverviewItemView, OverviewQuery } from './overview.dto';
import { OverviewService } from './overview.service';

@ApiTags('History')
@Controller('api/v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get()
  @Access('read')
  @Cost(costOfList(1000))
  @ApiOperation({
    operationId: 'getOverview',
    summary: 'Get the overview',
    description:
      'Every endpoint of your organization with its status, uptime, latency and newest outcomes. Oldest first.',
  })
  @ApiOkResponse({ type: OverviewItemView, isArray: true, description: 'One page of endpoints.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(@CurrentCaller() caller: Caller, @Query() query: OverviewQuery): Promise<Page<OverviewItemView>> {
    return this.overview.list(caller, query);
  }
}
