import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { IdParam } from '../../platform/http/id-param.decorator';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { StatusPageView, UpdateStatusPageDto } from './website-page.dto';
import { SHOWN_DAYS } from '../shown-days';
import { WebsitePageService } from './website-page.service';

@ApiTags('Status pages')
@Controller('api/v1/websites/:id/status-page')
export class WebsitePageController {
  constructor(private readonly pages: WebsitePageService) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'getStatusPage',
    summary: 'Get the settings of a public status page',
    description: 'Public status pages are off by default.',
    returns: { ok: StatusPageView, ...WITH_ETAG, description: 'The settings.' },
  })
  get(@OrgId() orgId: string, @IdParam('website') id: string): Promise<StatusPageView> {
    return this.pages.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateStatusPage',
    summary: 'Publish, hide, or move a status page',
    description:
      'Partial update: only the fields that you send change. A published page shows the names of the website and ' +
      `its endpoints, their state, ${SHOWN_DAYS} days, and outages to anyone who knows its URL. For a failure, it ` +
      'shows only a general reason such as `connection refused`. Targets and error messages are never shown. Use ' +
      '`PUT /status-pages/:id` for the other settings of the page.',
    returns: { ok: StatusPageView, ...WITH_ETAG, description: 'The updated settings.' },
    problems: ['conflict', 'quota_exceeded'],
  })
  update(
    @OrgId() orgId: string,
    @IdParam('website') id: string,
    @Body() dto: UpdateStatusPageDto,
  ): Promise<StatusPageView> {
    return this.pages.update(orgId, id, dto);
  }
}
