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
  `A published page shows names, state, ${SHOWN_DAYS} days and outages to everybody who knows its address; of a failure only a coarse ` +
  'reason such as `connection refused`, no target and no text of an error.';

@ApiTags('Status pages')
@Controller('api/v1/status-pages')
export class PublicPageController {
  constructor(private readonly pages: PublicPageService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'listStatusPages',
    summary: 'List status pages',
    description: 'Those of websites included. 100 a page when `limit` is not given.',
    returns: { page: PublicPageView, description: 'One page of status pages.' },
  })
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<PublicPageView>> {
    return this.pages.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getPublicPage',
    summary: 'Get a status page',
    description: 'Its settings.',
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
    description: `Partial: only the fields sent change; \`groups\` as a whole. ${SHOWN}`,
    returns: { ok: PublicPageView, ...WITH_ETAG, description: 'The page as it is now.' },
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
    description: 'Its address is free for others at once. What it shows stays.',
    returns: { noContent: 'The page is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('statusPage') id: string): Promise<void> {
    return this.pages.remove(orgId, id);
  }
}
