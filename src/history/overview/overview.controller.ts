import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { costOfList, costOfScope } from '../../platform/access/cost';
import type { Page } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import { OverviewDownView, OverviewItemView, OverviewQuery } from './overview.dto';
import { OverviewService } from './overview.service';

@ApiTags('History')
@Controller('api/v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(1000),
    operationId: 'getOverview',
    summary: 'Get the overview',
    description:
      'Lists every endpoint of your organization with its status, uptime, latency, and newest outcomes. Oldest endpoint first.',
    returns: { page: OverviewItemView, description: 'One page of endpoints.' },
    problems: ['not_found'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: OverviewQuery): Promise<Page<OverviewItemView>> {
    return this.overview.list(caller, query);
  }

  @Route('GET', 'down', {
    access: 'read',
    cost: costOfScope,
    operationId: 'getOverviewDown',
    summary: 'Get the number of endpoints that were down',
    description:
      'Shows how many endpoints of your organization were down at the same time in the last 24 hours. Planned outages are not included.',
    returns: { ok: OverviewDownView },
  })
  down(@OrgId() orgId: string): Promise<OverviewDownView> {
    return this.overview.down(orgId);
  }
}
