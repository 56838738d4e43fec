import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { costOfTaggedList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { CreateEndpointDto, EndpointQuery, EndpointView, NewEndpointQuery, UpdateEndpointDto } from './endpoint.dto';
import { EndpointService } from './endpoint.service';

@ApiTags('Endpoints')
@Controller('api/v1')
export class EndpointController {
  constructor(private readonly endpoints: EndpointService) {}

  @Route('GET', 'websites/:websiteId/endpoints', {
    access: 'read',
    cost: costOfTaggedList(1000),
    operationId: 'listEndpoints',
    summary: 'List endpoints of a website',
    description: 'Endpoints are listed oldest first. With `tag`, only endpoints that have this tag are listed.',
    returns: { page: EndpointView, description: 'One page of endpoints.' },
  })
  list(
    @CurrentCaller() caller: Caller,
    @IdParam('website', 'websiteId') websiteId: string,
    @Query() query: EndpointQuery,
  ): Promise<Page<EndpointView>> {
    return this.endpoints.list(caller, websiteId, query);
  }

  @Route('POST', 'websites/:websiteId/endpoints', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createEndpoint',
    summary: 'Create an endpoint',
    description:
      'Creates the endpoint and runs its first check immediately. In the same transaction, the endpoint gets an alert rule for each default contact, with that contact’s `alert_defaults`. Use `?alerts=none` to create the endpoint without alert rules.',
    returns: { created: EndpointView, at: '/api/v1/endpoints', ...WITH_ETAG, description: 'The new endpoint.' },
    problems: ['quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(EndpointService, (endpoints, fields: Partial<CreateEndpointDto>, { caller, params }) =>
    endpoints.findingsInNew(caller, params['websiteId'], fields),
  )
  create(
    @CurrentCaller() caller: Caller,
    @IdParam('website', 'websiteId') websiteId: string,
    @Query() query: NewEndpointQuery,
    @Body() dto: CreateEndpointDto,
  ): Promise<EndpointView> {
    return this.endpoints.create(caller, websiteId, dto, query);
  }

  @Route('GET', 'endpoints/:id', {
    access: 'read',
    operationId: 'getEndpoint',
    summary: 'Get an endpoint',
    description: 'One endpoint with its status.',
    returns: { ok: EndpointView, ...WITH_ETAG, description: 'The endpoint.' },
  })
  get(@CurrentCaller() caller: Caller, @IdParam('endpoint') id: string): Promise<EndpointView> {
    return this.endpoints.get(caller, id);
  }

  @Route('PUT', 'endpoints/:id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateEndpoint',
    summary: 'Update an endpoint',
    description:
      'Partial update: only the fields that you send change. `enabled: false` pauses the endpoint and resolves its open alerts.',
    returns: { ok: EndpointView, ...WITH_ETAG, description: 'The updated endpoint.' },
    problems: ['quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(EndpointService, (endpoints, fields: UpdateEndpointDto, { caller, params }) =>
    endpoints.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @IdParam('endpoint') id: string,
    @Body() dto: UpdateEndpointDto,
  ): Promise<EndpointView> {
    return this.endpoints.update(caller, id, dto);
  }

  @Route('DELETE', 'endpoints/:id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteEndpoint',
    summary: 'Delete an endpoint',
    description: 'Deletes the endpoint together with its alert rules and its history. Open alerts are resolved first.',
    returns: { noContent: 'The endpoint is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('endpoint') id: string): Promise<void> {
    return this.endpoints.remove(orgId, id);
  }
}
