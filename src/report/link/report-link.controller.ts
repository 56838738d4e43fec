import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { IdParam } from '../../platform/http/id-param.decorator';
import { type Page, PageQuery } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import { CreatedReportLinkView, CreateReportLinkDto, ReportLinkView } from './report-link.dto';
import { ReportLinkService } from './report-link.service';

@ApiTags('Reports')
@Controller('api/v1/reports/links')
export class ReportLinkController {
  constructor(private readonly links: ReportLinkService) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'listReportLinks',
    summary: 'List links to reports',
    description:
      'Lists the links of your organization, oldest first, without their tokens. Expired links are deleted after 30 days.',
    returns: { page: ReportLinkView, description: 'One page of links.' },
  })
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<ReportLinkView>> {
    return this.links.list(orgId, query);
  }

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: { refused: 'The response contains a token that is not stored, so it cannot be sent again.' },
    operationId: 'createReportLink',
    summary: 'Create a link to a report',
    description:
      'Anyone with the link can read the report as a web page until the link expires. The page shows the names of the ' +
      'endpoints, their availability, and outages with a general reason such as `connection refused`. It never shows ' +
      'URLs or error messages. The report is computed when the page is opened. An organization can have 100 links.',
    returns: { created: CreatedReportLinkView, description: 'The link with its path, which contains the token.' },
    problems: ['conflict', 'not_found'],
  })
  create(@OrgId() orgId: string, @Body() dto: CreateReportLinkDto): Promise<CreatedReportLinkView> {
    return this.links.create(orgId, dto);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: { refused: 'A link has no settings that can be changed.' },
    operationId: 'deleteReportLink',
    summary: 'Delete a link to a report',
    description: 'The link stops working within a minute.',
    returns: { noContent: 'The link is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('reportLink') id: string): Promise<void> {
    return this.links.remove(orgId, id);
  }
}
