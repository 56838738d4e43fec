import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { AlertQuery, AlertView, CreateAlertDto, UpdateAlertDto } from './alert.dto';
import { AlertService } from './alert.service';

@ApiTags('Alerts')
@Controller('api/v1/alerts')
export class AlertController {
  constructor(private readonly alerts: AlertService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(1000),
    operationId: 'listAlerts',
    summary: 'List alert rules',
    description: 'The alert rules of your organization, oldest first.',
    returns: { page: AlertView, description: 'One page of alert rules.' },
  })
  list(@CurrentCaller() caller: Caller, @Query() query: AlertQuery): Promise<Page<AlertView>> {
    return this.alerts.list(caller, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getAlert',
    summary: 'Get an alert rule',
    description: 'Credentials in the config are masked.',
    returns: { ok: AlertView, ...WITH_ETAG, description: 'The alert rule.' },
  })
  get(@CurrentCaller() caller: Caller, @IdParam('alert') id: string): Promise<AlertView> {
    return this.alerts.get(caller, id);
  }

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createAlert',
    summary: 'Create an alert rule',
    description:
      'The thresholds include the checks of the endpoint’s current streak. If the channel generates a secret, it is shown only in this response.',
    returns: { created: AlertView, at: '/api/v1/alerts', ...WITH_ETAG, description: 'The new alert rule.' },
    problems: ['not_found', 'quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(AlertService, (alerts, fields: Partial<CreateAlertDto>, { caller }) =>
    alerts.findingsInNew(caller, fields),
  )
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateAlertDto): Promise<AlertView> {
    return this.alerts.create(caller, dto);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateAlert',
    summary: 'Update an alert rule',
    description:
      'Changes only the fields that you send. `type` can only be changed together with `config`. New thresholds apply from the next result. `enabled: false` resolves a triggered alert. If you change the type or config, a triggered alert is resolved through the old config, and the next failed check triggers it again. A trigger message that was certainly not delivered is sent through the new config instead.',
    returns: { ok: AlertView, ...WITH_ETAG, description: 'The updated alert rule.' },
    problems: ['target_not_allowed', 'conflict'],
  })
  @AlsoChecked(AlertService, (alerts, fields: UpdateAlertDto, { caller, params }) =>
    alerts.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @IdParam('alert') id: string,
    @Body() dto: UpdateAlertDto,
  ): Promise<AlertView> {
    return this.alerts.update(caller, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteAlert',
    summary: 'Delete an alert rule',
    description: 'A triggered alert is resolved first, through the config that sent the trigger. Past events are kept.',
    returns: { noContent: 'The alert rule is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('alert') id: string): Promise<void> {
    return this.alerts.remove(orgId, id);
  }
}
