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
    description: 'Off by default.',
    returns: { ok: StatusPageView, ...WITH_ETAG, description: 'The settings.' },
  })
  get(@OrgId() orgId: string, @IdParam('website') id: string): Promise<StatusPageView> {
    return this.pages.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateStatusPage',
    summary: 'Publish, hide or move a status page',
    description:
      `Partial. A published page shows the names of the website and its endpoints, their state, ${SHOWN_DAYS} days and outages to ` +
      'everybody who knows its address; of a failure only a coarse reason such as `connection refused`, no target and no text ' +
      'of an error. `PUT /status-pages/:id` has its other settings.',
    returns: { ok: StatusPageView, ...WITH_ETAG, description: 'The settings as they are now.' },
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
