import { Body, Controller, Headers, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { costOfList } from '../../platform/access/cost';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import { type Page, PageQuery } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { SHOWN_DAYS } from '../shown-days';
import { CreatePublicPageDto, PublicPageView, UpdatePublicPageDto } from './public-page.dto';
import { PublicPageService } from './public-page.service';

const SHOWN =
  `A published page shows names, state, ${SHOWN_DAYS} days, and outages to anyone who knows its URL. For a ` +
  'failure, it shows only a general reason such as `connection refused`. Targets and error messages are never ' +
  'shown.';

@ApiTags('Status pages')
@Controller('api/v1/status-pages')
export class PublicPageController {
  constructor(private readonly pages: PublicPageService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'listStatusPages',
    summary: 'List status pages',
    description: 'Includes the status pages of websites. Returns 100 per page if you do not set `limit`.',
    returns: { page: PublicPageView, description: 'One page of status pages.' },
  })
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<PublicPageView>> {
    return this.pages.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getPublicPage',
    summary: 'Get a status page',
    description: 'Returns the settings of the page.',
    returns: { ok: PublicPageView, ...WITH_ETAG, description: 'The page.' },
  })
  get(@OrgId() orgId: string, @IdParam('statusPage') id: string): Promise<PublicPageView> {
    return this.pages.get(orgId, id);
  }

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createStatusPage',
    summary: 'Create a status page',
    description: SHOWN,
    returns: { created: PublicPageView, at: '/api/v1/status-pages', ...WITH_ETAG, description: 'The new page.' },
    problems: ['conflict', 'quota_exceeded'],
  })
  @AlsoChecked(PublicPageService, (pages, fields: UpdatePublicPageDto, author) => pages.findingsIn(author, fields))
  create(
    @CurrentCaller() caller: Caller,
    @Headers('host') host: string | undefined,
    @Body() dto: CreatePublicPageDto,
  ): Promise<PublicPageView> {
    return this.pages.create(caller.orgId, { caller, host }, dto);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updatePublicPage',
    summary: 'Update a status page',
    description: `Partial update: only the fields that you send change. \`groups\` is replaced as a whole. ${SHOWN}`,
    returns: { ok: PublicPageView, ...WITH_ETAG, description: 'The updated page.' },
    problems: ['conflict'],
  })
  @AlsoChecked(PublicPageService, (pages, fields: UpdatePublicPageDto, author) => pages.findingsIn(author, fields))
  update(
    @CurrentCaller() caller: Caller,
    @Headers('host') host: string | undefined,
    @IdParam('statusPage') id: string,
    @Body() dto: UpdatePublicPageDto,
  ): Promise<PublicPageView> {
    return this.pages.update(caller.orgId, { caller, host }, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteStatusPage',
    summary: 'Delete a status page',
    description: 'The URL of the page can be reused immediately. The websites and endpoints that it shows are kept.',
    returns: { noContent: 'The page is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('statusPage') id: string): Promise<void> {
    return this.pages.remove(orgId, id);
  }
}
