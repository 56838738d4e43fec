import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { costOfChecks, costOfLatency, costOfUptime } from '../platform/access/cost';
import { IdParam } from '../platform/http/id-param.decorator';
import { AlsoCsv } from '../platform/http/csv/also-csv.decorator';
import type { Page } from '../platform/http/page';
import { Route } from '../platform/http/route.decorator';
import { CheckListService } from './read/check-list.service';
import { ChecksQuery, CheckView } from './read/check.dto';
import { LatencyBucketView, LatencyQuery } from './read/latency.dto';
import { LatencyService } from './read/latency.service';
import { UptimeQuery, UptimeView } from './read/uptime.dto';
import { UptimeService } from './read/uptime.service';

@ApiTags('History')
@Controller('api/v1/endpoints/:id')
export class HistoryController {
  constructor(
    private readonly checks: CheckListService,
    private readonly uptimes: UptimeService,
    private readonly latencies: LatencyService,
  ) {}

  @Route('GET', 'checks', {
    access: 'read',
    cost: costOfChecks,
    operationId: 'listChecks',
    summary: 'List the checks of an endpoint',
    description:
      'Lists every recorded check with its phases and, if it failed, the reason. Newest first. With `Accept: text/csv` and without `limit`, the response has all checks of the range.',
    returns: { page: CheckView, description: 'One page of checks.' },
  })
  @AlsoCsv<CheckView>({
    file: 'checks',
    columns: [
      'id',
      'endpoint_id',
      'location',
      'checked_at',
      'outcome',
      'duration_ms',
      'phases.dns_ms',
      'phases.connect_ms',
      'phases.tls_ms',
      'phases.first_byte_ms',
      'phases.transfer_ms',
      'status_code',
      'address',
      'attempts',
      'planned',
      'error.code',
      'error.message',
    ],
  })
  listChecks(
    @OrgId() orgId: string,
    @IdParam('endpoint') id: string,
    @Query() query: ChecksQuery,
  ): Promise<Page<CheckView>> {
    return this.checks.list(orgId, id, query);
  }

  @Route('GET', 'uptime', {
    access: 'read',
    cost: costOfUptime,
    operationId: 'getUptime',
    summary: 'Get the uptime of an endpoint',
    description:
      'Returns the uptime with its coverage, outages, and latency over a window or any range, up to and including the last check.',
    returns: { ok: UptimeView, description: 'The uptime, outages, and latency.' },
  })
  uptime(@OrgId() orgId: string, @IdParam('endpoint') id: string, @Query() query: UptimeQuery): Promise<UptimeView> {
    return this.uptimes.read(orgId, id, query);
  }

  @Route('GET', 'latency', {
    access: 'read',
    cost: costOfLatency,
    operationId: 'getLatency',
    summary: 'Get the latency of an endpoint over time',
    description: 'Returns at most 1500 buckets of equal length, oldest first and without gaps.',
    returns: { list: LatencyBucketView, description: 'The buckets.' },
  })
  latency(
    @OrgId() orgId: string,
    @IdParam('endpoint') id: string,
    @Query() query: LatencyQuery,
  ): Promise<LatencyBucketView[]> {
    return this.latencies.series(orgId, id, query);
  }
}
