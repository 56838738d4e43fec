import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { AcknowledgeDto, AcknowledgementView, NO_SETTINGS } from './acknowledgement.dto';
import { AcknowledgementService } from './acknowledgement.service';

@ApiTags('Alerts')
@Controller('api/v1/endpoints/:id/acknowledgement')
export class AcknowledgementController {
  constructor(private readonly acknowledgements: AcknowledgementService) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'getAcknowledgement',
    summary: 'Get the acknowledgement of an endpoint',
    description: 'Shows who acknowledged the endpoint. 404 if it is not acknowledged.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement.' },
  })
  get(@OrgId() orgId: string, @IdParam('endpoint') id: string): Promise<AcknowledgementView> {
    return this.acknowledgements.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'incidents.respond',
    servedBeyondQuota: true,
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'acknowledge',
    summary: 'Acknowledge an endpoint',
    description:
      'While an endpoint is acknowledged, its alerts do not trigger. Alerts that are already triggered still resolve. PagerDuty and Opsgenie are updated once per alert. A new acknowledgement replaces the previous one. It ends automatically when the endpoint is up and has no triggered alert, at `until`, or when the endpoint is paused or deleted. 409 if the endpoint is not down and has no triggered alert.',
    returns: { ok: AcknowledgementView, description: 'The new acknowledgement.' },
    problems: ['conflict'],
  })
  @AlsoChecked(AcknowledgementService, (acknowledgements, fields: AcknowledgeDto) =>
    acknowledgements.findingsIn(fields),
  )
  put(
    @OrgId() orgId: string,
    @IdParam('endpoint') id: string,
    @Body() dto: AcknowledgeDto,
  ): Promise<AcknowledgementView> {
    return this.acknowledgements.put(orgId, id, dto);
  }

  @Route('DELETE', '', {
    access: 'incidents.respond',
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'deleteAcknowledgement',
    summary: 'Delete the acknowledgement of an endpoint',
    description: 'The next failed check can trigger an alert again. Pagers are not notified.',
    returns: { noContent: 'The endpoint is no longer acknowledged.' },
  })
  remove(@OrgId() orgId: string, @IdParam('endpoint') id: string): Promise<void> {
    return this.acknowledgements.remove(orgId, id);
  }
}
