import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { costOfScope } from '../../platform/access/cost';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { AddContactAlertsDto, AddedContactAlertsView } from './contact-alerts.dto';
import { ContactAlertsService } from './contact-alerts.service';

/** A contact's alerts are created here, because contacts don't depend on alerts. */
@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactAlertsController {
  constructor(private readonly alerts: ContactAlertsService) {}

  @Route('POST', ':id/alerts', {
    access: 'write',
    cost: costOfScope,
    idempotencyKey: 'honoured',
    operationId: 'addContactAlerts',
    summary: 'Add alert rules for a contact',
    description:
      'Creates an alert rule that notifies through the contact for each endpoint in the scope that does not have one. Either all are created or none. If you send the request again, only the missing alert rules are created. Fields that you leave out default to the contact’s `alert_defaults`.',
    returns: { ok: AddedContactAlertsView, description: 'The number of created and existing alert rules.' },
    problems: ['quota_exceeded'],
  })
  @AlsoChecked(ContactAlertsService, (alerts, fields: Partial<AddContactAlertsDto>) => alerts.findingsIn(fields))
  add(
    @CurrentCaller() caller: Caller,
    @IdParam('contact') id: string,
    @Body() dto: AddContactAlertsDto,
  ): Promise<AddedContactAlertsView> {
    return this.alerts.add(caller.orgId, id, dto);
  }
}
