import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../platform/access/caller';
import { Cost, costOfChecks, costOfLatency, costOfUptime } from '../platform/access/cost';
import type { Page } from '../platform/http/page';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { Problems } from '../platform/problem/problems.decorator';
import { CheckListService } from './read/check-list.service';
import { ChecksQuery, CheckView } from './read/check.dto';
import { LatencyBucketView, LatencyQuery } from './read/latency.dto';
import { LatencyService } from './read/latency.service';
import { UptimeQuery, UptimeView } from './read/uptime.dto';
import { UptimeService } from './read/uptime.service';

const ENDPOINT_ID = { name: 'id', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('History')
@Controller('api/v1/endpoints/:id')
export class HistoryController {
  constructor(
    private readonly checks: CheckListService,
    private readonly uptimes: UptimeService,
    private readonly latencies: LatencyService,
  ) {}

  @Get('checks')
  @Access('read')
  @Cost(costOfChecks)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'listChecks',
    summary: 'List checks of an endpoint',
    description: 'Every recorded check with its phases and, when it failed, why. Newest first.',
  })
  @ApiOkResponse({ type: CheckView, isArray: true, description: 'One page of checks.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  listChecks(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @Query() query: ChecksQuery,
  ): Promise<Page<CheckView>> {
    return this.checks.list(orgId, id, query);
  }

  @Get('uptime')
  @Access('read')
  @Cost(costOfUptime)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'getUptime',
    summary: 'Get the uptime of an endpoint',
    description:
      'Uptime with its coverage, outages and latency over a window or any range, exact up to the last check.',
  })
  @ApiOkResponse({ type: UptimeView, description: 'The figures.' })
  @Problems('invalid_query', 'not_found')
  uptime(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @Query() query: UptimeQuery,
  ): Promise<UptimeView> {
    return this.uptimes.read(orgId, id, query);
  }

  @Get('latency')
  @Access('read')
  @Cost(costOfLatency)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'getLatency',
    summary: 'Get the latency of an endpoint over time',
    description: 'Even buckets, oldest first and without holes, at most 1500.',
  })
  @ApiOkResponse({ type: LatencyBucketView, isArray: true, description: 'The buckets.' })
  @Problems('invalid_query', 'not_found')
  latency(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @Query() query: LatencyQuery,
  ): Promise<LatencyBucketView[]> {
    return this.latencies.series(orgId, id, query);
  }
}
