import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { Cost, costOfList } from '../../platform/access/cost';
import { Idempotent } from '../../platform/http/idempotency/idempotent.decorator';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { LocatedAt } from '../../platform/http/location.interceptor';
import { type Page, PageQuery } from '../../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../../platform/problem/problems.decorator';
import { DAYS } from '../status-snapshot';
import { CreatePublicPageDto, PublicPageView, UpdatePublicPageDto } from './public-page.dto';
import { PublicPageService } from './public-page.service';

const PAGE_ID = { name: 'id', example: 'sp_01jd3k6q7be5y9x4v2m8n0r1st' };
const SHOWN =
  `A published page shows names, state, ${DAYS} days and outages to everybody who knows its address; of a failure only a coarse ` +
  'reason such as `connection refused`, no target and no text of an error.';

@ApiTags('Status pages')
@Controller('api/v1/status-pages')
export class PublicPageController {
  constructor(private readonly pages: PublicPageService) {}

  @Get()
  @Access('read')
  @Cost(costOfList(100))
  @ApiOperation({
    operationId: 'listStatusPages',
    summary: 'List status pages',
    description: 'Those of websites included. 100 a page when `limit` is not given.',
  })
  @ApiOkResponse({ type: PublicPageView, isArray: true, description: 'One page of status pages.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<PublicPageView>> {
    return this.pages.list(orgId, query);
  }

  @Get(':id')
  @Access('read')
  @ApiParam(PAGE_ID)
  @ApiOperation({ operationId: 'getPublicPage', summary: 'Get a status page', description: 'Its settings.' })
  @ApiOkResponse({ ...WITH_ETAG, type: PublicPageView, description: 'The page.' })
  @Problems('not_found')
  get(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('statusPage')) id: string): Promise<PublicPageView> {
    return this.pages.get(orgId, id);
  }

  @Post()
  @Access('write')
  @LocatedAt('/api/v1/status-pages')
  @Idempotent()
  @ApiOperation({ operationId: 'createStatusPage', summary: 'Create a status page', description: SHOWN })
  @ApiCreatedResponse({ ...WITH_ETAG, type: PublicPageView, description: 'The new page.' })
  @BodyProblems('conflict', 'quota_exceeded')
  @AlsoChecked(PublicPageService, (pages, fields: UpdatePublicPageDto, author) => pages.findingsIn(author, fields))
  create(
    @CurrentCaller() caller: Caller,
    @Headers('host') host: string | undefined,
    @Body() dto: CreatePublicPageDto,
  ): Promise<PublicPageView> {
    return this.pages.create(caller.orgId, { caller, host }, dto);
  }

  @Put(':id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(PAGE_ID)
  @ApiOperation({
    operationId: 'updatePublicPage',
    summary: 'Update a status page',
    description: `Partial: only the fields sent change; \`groups\` as a whole. ${SHOWN}`,
  })
  @ApiOkResponse({ ...WITH_ETAG, type: PublicPageView, description: 'The page as it is now.' })
  @BodyProblems('not_found', 'conflict')
  @AlsoChecked(PublicPageService, (pages, fields: UpdatePublicPageDto, author) => pages.findingsIn(author, fields))
  update(
    @CurrentCaller() caller: Caller,
    @Headers('host') host: string | undefined,
    @Param('id', new PrefixedIdPipe('statusPage')) id: string,
    @Body() dto: UpdatePublicPageDto,
  ): Promise<PublicPageView> {
    return this.pages.update(caller.orgId, { caller, host }, id, dto);
  }

  @Delete(':id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(PAGE_ID)
  @ApiOperation({
    operationId: 'deleteStatusPage',
    summary: 'Delete a status page',
    description: 'Its address is free for others at once. What it shows stays.',
  })
  @ApiNoContentResponse({ description: 'The page is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('statusPage')) id: string): Promise<void> {
    return this.pages.remove(orgId, id);
  }
}
