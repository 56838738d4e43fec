import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { costOfReport } from '../../platform/access/cost';
import { AlsoCsv } from '../../platform/http/csv/also-csv.decorator';
import type { Page } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import {
  MAX_REPORTED,
  type ReportEndpointView,
  ReportOutagesQuery,
  ReportOutageView,
  UptimeReportQuery,
  UptimeReportView,
} from './report.dto';
import { ReportService } from './report.service';

const SCOPE = `Without \`website_id\` and \`tag\`, it covers all endpoints. A report covers at most ${MAX_REPORTED} endpoints.`;

@ApiTags('Reports')
@Controller('api/v1/reports')
export class ReportController {
  constructor(private readonly reports: ReportService) {}

  @Route('GET', 'uptime', {
    access: 'read',
    cost: costOfReport,
    operationId: 'getUptimeReport',
    summary: 'Get a report of uptime',
    description: `Compares the availability of endpoints in a month with a target. ${SCOPE} The availability is based on the time of outages, and \`GET /endpoints/{id}/uptime\` on the number of checks. With \`Accept: text/csv\`, the response has one row per endpoint.`,
    returns: { ok: UptimeReportView, description: 'The report.' },
    problems: ['not_found', 'invalid_query'],
  })
  @AlsoCsv<ReportEndpointView, UptimeReportView>({
    file: 'uptime-report',
    items: ({ endpoints }) => endpoints,
    columns: [
      'id',
      'name',
      'website_id',
      'website_name',
      'availability',
      'coverage',
      'downtime_seconds',
      'allowed_seconds',
      'budget_left_seconds',
      'budget_used',
      'planned_seconds',
      'outages',
      'verdict',
      'checks',
      'failures',
      'unknown',
    ],
    constants: ({ month, timezone, from, until, target }) => ({ month, timezone, from, until, target }),
  })
  uptime(@OrgId() orgId: string, @Query() query: UptimeReportQuery): Promise<UptimeReportView> {
    return this.reports.uptime(orgId, query);
  }

  @Route('GET', 'outages', {
    access: 'read',
    cost: costOfReport,
    operationId: 'listReportOutages',
    summary: 'List the outages of a report',
    description: `Lists all outages of the endpoints in a month, newest first. ${SCOPE} With \`Accept: text/csv\` and without \`limit\`, the response has all of them.`,
    returns: { page: ReportOutageView, description: 'One page of outages.' },
    problems: ['not_found', 'invalid_query'],
  })
  @AlsoCsv<ReportOutageView>({
    file: 'outages',
    columns: [
      'endpoint_id',
      'endpoint_name',
      'website_name',
      'started_at',
      'ended_at',
      'duration_seconds',
      'error.code',
      'error.message',
      'planned',
    ],
  })
  outages(@OrgId() orgId: string, @Query() query: ReportOutagesQuery): Promise<Page<ReportOutageView>> {
    return this.reports.outages(orgId, query);
  }
}
