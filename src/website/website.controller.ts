import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { costOfSearch } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { UpdateWebsiteDto, WebsiteQuery, WebsiteView } from './website.dto';
import { WebsiteService } from './website.service';

/** `endpoint/website-setup.service` creates websites, because a new one may include its first endpoints. */
@ApiTags('Websites')
@Controller('api/v1/websites')
export class WebsiteController {
  constructor(private readonly websites: WebsiteService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfSearch,
    operationId: 'listWebsites',
    summary: 'List websites',
    description:
      'The websites of your organization, oldest first. With `q`, only websites whose name or URL contains this string; with `tag`, only websites that have the tag.',
    returns: { page: WebsiteView, description: 'One page of websites.' },
  })
  list(@CurrentCaller() caller: Caller, @Query() query: WebsiteQuery): Promise<Page<WebsiteView>> {
    return this.websites.list(caller, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getWebsite',
    summary: 'Get a website',
    description: 'One website with its status and the number of its endpoints.',
    returns: { ok: WebsiteView, ...WITH_ETAG, description: 'The website.' },
  })
  get(@CurrentCaller() caller: Caller, @IdParam('website') id: string): Promise<WebsiteView> {
    return this.websites.shownTo(caller, id);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateWebsite',
    summary: 'Update a website',
    description:
      'Partial update: only the fields that you send change. `enabled: false` pauses every endpoint and resolves open alerts.',
    returns: { ok: WebsiteView, ...WITH_ETAG, description: 'The updated website.' },
    problems: ['conflict'],
  })
  @AlsoChecked(WebsiteService, (websites, fields: UpdateWebsiteDto, { caller, params }) =>
    websites.findingsIn(caller.orgId, params['id'], fields),
  )
  update(@OrgId() orgId: string, @IdParam('website') id: string, @Body() dto: UpdateWebsiteDto): Promise<WebsiteView> {
    return this.websites.update(orgId, id, dto);
  }

  @Route('POST', ':id/ping-key/rotate', {
    access: 'write',
    idempotencyKey: { refused: 'Each request creates a new key.' },
    operationId: 'rotatePingKey',
    summary: 'Replace the ping key',
    description: 'Ping URLs with the old key, `/ping/<ping_key>/<key>`, stop working immediately.',
    returns: { ok: WebsiteView, ...WITH_ETAG, description: 'The website with its new `ping_key`.' },
  })
  rotatePingKey(@OrgId() orgId: string, @IdParam('website') id: string): Promise<WebsiteView> {
    return this.websites.rotatePingKey(orgId, id);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteWebsite',
    summary: 'Delete a website',
    description:
      'Permanently deletes the website with its endpoints, alerts, events, and all monitoring history. Open alerts are resolved first.',
    returns: { noContent: 'The website is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('website') id: string): Promise<void> {
    return this.websites.remove(orgId, id);
  }
}
