import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { Cost, costOfTaggedList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { Idempotent } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import type { Page } from '../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import { CreateEndpointDto, EndpointQuery, EndpointView, NewEndpointQuery, UpdateEndpointDto } from './endpoint.dto';
import { EndpointService } from './endpoint.service';

const ENDPOINT_ID = { name: 'id', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' };
const WEBSITE_ID = { name: 'websiteId', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Endpoints')
@Controller('api/v1')
export class EndpointController {
  constructor(private readonly endpoints: EndpointService) {}

  @Get('websites/:websiteId/endpoints')
  @Access('read')
  @Cost(costOfTaggedList(1000))
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'listEndpoints',
    summary: 'List endpoints of a website',
    description: 'Oldest first; with `tag` those that have it.',
  })
  @ApiOkResponse({ type: EndpointView, isArray: true, description: 'One page of endpoints.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(
    @CurrentCaller() caller: Caller,
    @Param('websiteId', new PrefixedIdPipe('website')) websiteId: string,
    @Query() query: EndpointQuery,
  ): Promise<Page<EndpointView>> {
    return this.endpoints.list(caller, websiteId, query);
  }

  @Post('websites/:websiteId/endpoints')
  @Access('write')
  @LocatedAt('/api/v1/endpoints')
  @Idempotent()
  @ApiParam(WEBSITE_ID)
  @ApiOperation({
    operationId: 'createEndpoint',
    summary: 'Create an endpoint',
    description:
      'The first check runs at once. In the same transaction it gets an alert through each contact that is `default`, with the `alert_defaults` of the contact; `?alerts=none` makes it without.',
  })
  @ApiCreatedResponse({ ...WITH_ETAG, type: EndpointView, description: 'The new endpoint.' })
  @BodyProblems('invalid_query', 'not_found', 'quota_exceeded', 'target_not_allowed', 'conflict')
  @AlsoChecked(EndpointService, (endpoints, fields: Partial<CreateEndpointDto>, { caller, params }) =>
    endpoints.findingsInNew(caller, params['websiteId'], fields),
  )
  create(
    @CurrentCaller() caller: Caller,
    @Param('websiteId', new PrefixedIdPipe('website')) websiteId: string,
    @Query() query: NewEndpointQuery,
    @Body() dto: CreateEndpointDto,
  ): Promise<EndpointView> {
    return this.endpoints.create(caller, websiteId, dto, query);
  }

  @Get('endpoints/:id')
  @Access('read')
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'getEndpoint',
    summary: 'Get an endpoint',
    description: 'One endpoint with its status.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: EndpointView, description: 'The endpoint.' })
  @Problems('not_found')
  get(@CurrentCaller() caller: Caller, @Param('id', new PrefixedIdPipe('endpoint')) id: string): Promise<EndpointView> {
    return this.endpoints.get(caller, id);
  }

  @Put('endpoints/:id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'updateEndpoint',
    summary: 'Update an endpoint',
    description: 'Partial: only the fields sent change. `enabled: false` pauses it and resolves what is open.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: EndpointView, description: 'The endpoint as it is now.' })
  @BodyProblems('not_found', 'quota_exceeded', 'target_not_allowed', 'conflict')
  @AlsoChecked(EndpointService, (endpoints, fields: UpdateEndpointDto, { caller, params }) =>
    endpoints.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @Body() dto: UpdateEndpointDto,
  ): Promise<EndpointView> {
    return this.endpoints.update(caller, id, dto);
  }

  @Delete('endpoints/:id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'deleteEndpoint',
    summary: 'Delete an endpoint',
    description: 'With its alert rules and its history. Open incidents are resolved first.',
  })
  @ApiNoContentResponse({ description: 'The endpoint is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('endpoint')) id: string): Promise<void> {
    return this.endpoints.remove(orgId, id);
  }
}
