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
import { Cost, costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { Idempotent } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import type { Page } from '../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import { AlertQuery, AlertView, CreateAlertDto, UpdateAlertDto } from './alert.dto';
import { AlertService } from './alert.service';

const ALERT_ID = { name: 'id', example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Alerts')
@Controller('api/v1/alerts')
export class AlertController {
  constructor(private readonly alerts: AlertService) {}

  @Get()
  @Access('read')
  @Cost(costOfList(1000))
  @ApiOperation({
    operationId: 'listAlerts',
    summary: 'List alerts',
    description: 'The alert rules of your organization, oldest first.',
  })
  @ApiOkResponse({ type: AlertView, isArray: true, description: 'One page of alerts.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@CurrentCaller() caller: Caller, @Query() query: AlertQuery): Promise<Page<AlertView>> {
    return this.alerts.list(caller, query);
  }

  @Get(':id')
  @Access('read')
  @ApiParam(ALERT_ID)
  @ApiOperation({
    operationId: 'getAlert',
    summary: 'Get an alert',
    description: 'One alert rule; credentials in its config are masked.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: AlertView, description: 'The alert.' })
  @Problems('not_found')
  get(@CurrentCaller() caller: Caller, @Param('id', new PrefixedIdPipe('alert')) id: string): Promise<AlertView> {
    return this.alerts.get(caller, id);
  }

  @Post()
  @Access('write')
  @LocatedAt('/api/v1/alerts')
  @Idempotent()
  @ApiOperation({
    operationId: 'createAlert',
    summary: 'Create an alert',
    description:
      'Counts from the endpoint’s running streak. A secret that the channel generated is shown in this answer only.',
  })
  @ApiCreatedResponse({ ...WITH_ETAG, type: AlertView, description: 'The new alert.' })
  @BodyProblems('not_found', 'quota_exceeded', 'target_not_allowed', 'conflict')
  @AlsoChecked(AlertService, (alerts, fields: Partial<CreateAlertDto>, { caller }) =>
    alerts.findingsInNew(caller, fields),
  )
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateAlertDto): Promise<AlertView> {
    return this.alerts.create(caller, dto);
  }

  @Put(':id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(ALERT_ID)
  @ApiOperation({
    operationId: 'updateAlert',
    summary: 'Update an alert',
    description:
      'Partial: only the fields sent change; `type` only together with `config`. Thresholds count from the next result. `enabled: false` resolves an open incident. Another type or config resolves it through the old one, and the next failing result opens a new one; a trigger that surely has not arrived yet is sent through the new config instead.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: AlertView, description: 'The alert as it is now.' })
  @BodyProblems('not_found', 'target_not_allowed', 'conflict')
  @AlsoChecked(AlertService, (alerts, fields: UpdateAlertDto, { caller, params }) =>
    alerts.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('alert')) id: string,
    @Body() dto: UpdateAlertDto,
  ): Promise<AlertView> {
    return this.alerts.update(caller, id, dto);
  }

  @Delete(':id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(ALERT_ID)
  @ApiOperation({
    operationId: 'deleteAlert',
    summary: 'Delete an alert',
    description: 'An open incident is resolved first, through the config that told it. Past events stay.',
  })
  @ApiNoContentResponse({ description: 'The alert is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('alert')) id: string): Promise<void> {
    return this.alerts.remove(orgId, id);
  }
}
