import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../../platform/access/caller';
import { HonoursIfMatch, WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../../platform/problem/problems.decorator';
import { StatusPageView, UpdateStatusPageDto } from './website-page.dto';
import { DAYS } from '../status-snapshot';
import { WebsitePageService } from './website-page.service';

const WEBSITE_ID = { name: 'id', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Status pages')
@Controller('api/v1/websites/:id/status-page')
export class WebsitePageController {
  constructor(private readonly pages: WebsitePageService) {}

  @Get()
  @Access('read')
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'getStatusPage',
    summary: 'Get the settings of a public status page',
    description: 'Off by default.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: StatusPageView, description: 'The settings.' })
  @Problems('not_found')
  get(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('website')) id: string): Promise<StatusPageView> {
    return this.pages.get(orgId, id);
  }

  @Put()
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'updateStatusPage',
    summary: 'Publish, hide or move a status page',
    description:
      `Partial. A published page shows the names of the website and its endpoints, their state, ${DAYS} days and outages to ` +
      'everybody who knows its address; of a failure only a coarse reason such as `connection refused`, no target and no text ' +
      'of an error. `PUT /status-pages/:id` has its other settings.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: StatusPageView, description: 'The settings as they are now.' })
  @BodyProblems('not_found', 'conflict', 'quota_exceeded')
  update(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('website')) id: string,
    @Body() dto: UpdateStatusPageDto,
  ): Promise<StatusPageView> {
    return this.pages.update(orgId, id, dto);
  }
}
