import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../platform/access/caller';
import { Cost, costOfSearch } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import type { Page } from '../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import { UpdateWebsiteDto, WebsiteQuery, WebsiteView } from './website.dto';
import { WebsiteService } from './website.service';

const WEBSITE_ID = { name: 'id', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' };

/** A website may come with its first endpoints, so `endpoint/website-setup.service` creates it. */
@ApiTags('Websites')
@Controller('api/v1/websites')
export class WebsiteController {
  constructor(private readonly websites: WebsiteService) {}

  @Get()
  @Access('read')
  @Cost(costOfSearch)
  @ApiOperation({
    operationId: 'listWebsites',
    summary: 'List websites',
    description:
      'The websites of your organization, oldest first; with `q` those whose name or url contains it, with `tag` those that have it.',
  })
  @ApiOkResponse({ type: WebsiteView, isArray: true, description: 'One page of websites.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: WebsiteQuery): Promise<Page<WebsiteView>> {
    return this.websites.list(orgId, query);
  }

  @Get(':id')
  @Access('read')
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'getWebsite',
    summary: 'Get a website',
    description: 'One website with its status and the number of its endpoints.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: WebsiteView, description: 'The website.' })
  @Problems('not_found')
  get(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('website')) id: string): Promise<WebsiteView> {
    return this.websites.get(orgId, id);
  }

  @Put(':id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'updateWebsite',
    summary: 'Update a website',
    description:
      'Partial: only the fields sent change. `enabled: false` pauses every endpoint and resolves what is open.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: WebsiteView, description: 'The website as it is now.' })
  @BodyProblems('not_found', 'conflict')
  @AlsoChecked(WebsiteService, (websites, fields: UpdateWebsiteDto, { caller, params }) =>
    websites.findingsIn(caller.orgId, params['id'], fields),
  )
  update(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('website')) id: string,
    @Body() dto: UpdateWebsiteDto,
  ): Promise<WebsiteView> {
    return this.websites.update(orgId, id, dto);
  }

  @Delete(':id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'deleteWebsite',
    summary: 'Delete a website',
    description:
      'Permanently deletes its endpoints, alerts, events and all monitoring history. Open incidents are resolved first.',
  })
  @ApiNoContentResponse({ description: 'The website is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('website')) id: string): Promise<void> {
    return this.websites.remove(orgId, id);
  }
}
