import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller } from '../../platform/access/caller';
import { Cost, costOfScope } from '../../platform/access/cost';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { Idempotent } from '../../platform/http/idempotency/idempotent.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems } from '../../platform/problem/problems.decorator';
import { AddContactAlertsDto, AddedContactAlertsView } from './contact-alerts.dto';
import { ContactAlertsService } from './contact-alerts.service';

/** The alerts of a contact are made here, because contacts know nothing of alerts. */
@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactAlertsController {
  constructor(private readonly alerts: ContactAlertsService) {}

  @Post(':id/alerts')
  @Access('write')
  @Cost(costOfScope)
  @HttpCode(200)
  @Idempotent()
  @ApiParam({ name: 'id', example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({
    operationId: 'addContactAlerts',
    summary: 'Add alerts through a contact to endpoints',
    description:
      'Makes an alert through the contact for each endpoint of the scope that has none: all or nothing. Sent again it makes what is missing by then. Fields that are left out begin with the `alert_defaults` of the contact.',
  })
  @ApiOkResponse({ type: AddedContactAlertsView, description: 'How many there are now.' })
  @BodyProblems('not_found', 'quota_exceeded')
  @AlsoChecked(ContactAlertsService, (alerts, fields: Partial<AddContactAlertsDto>) => alerts.findingsIn(fields))
  add(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('contact')) id: string,
    @Body() dto: AddContactAlertsDto,
  ): Promise<AddedContactAlertsView> {
    return this.alerts.add(caller.orgId, id, dto);
  }
}
