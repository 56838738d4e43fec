import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { AcknowledgeDto, AcknowledgementView, NO_SETTINGS } from './acknowledgement.dto';
import { IncidentAcknowledgementService } from './incident-acknowledgement.service';

@ApiTags('Incidents')
@Controller('api/v1/incidents/:id/acknowledgement')
export class IncidentAcknowledgementController {
  constructor(private readonly acknowledgements: IncidentAcknowledgementService) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'getIncidentAcknowledgement',
    summary: 'Get the acknowledgement of an incident',
    description: 'Shows who acknowledged the whole incident. 404 if it is not acknowledged.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement.' },
  })
  get(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<AcknowledgementView> {
    return this.acknowledgements.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'incidents.respond',
    servedBeyondQuota: true,
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'acknowledgeIncident',
    summary: 'Acknowledge an incident',
    description:
      'Acknowledges every endpoint of the incident that is not acknowledged yet. Endpoints that join later at the same address, or as parent or child, are `held`: their alerts do not trigger. Endpoints that join through their website still trigger alerts. PagerDuty and Opsgenie are updated under the key of each alert. A new acknowledgement replaces the previous one. It ends with the incident, or at `until`. 409 unless the incident is detected and open.',
    returns: { ok: AcknowledgementView, description: 'The new acknowledgement.' },
    problems: ['conflict'],
  })
  @AlsoChecked(IncidentAcknowledgementService, (acknowledgements, fields: AcknowledgeDto) =>
    acknowledgements.findingsIn(fields),
  )
  put(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Body() dto: AcknowledgeDto,
  ): Promise<AcknowledgementView> {
    return this.acknowledgements.put(orgId, id, dto);
  }

  @Route('DELETE', '', {
    access: 'incidents.respond',
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'deleteIncidentAcknowledgement',
    summary: 'Delete the acknowledgement of an incident',
    description:
      'Deletes the acknowledgement from the incident and from the endpoints that it acknowledged. Acknowledgements of individual endpoints are kept. The next failed check of an endpoint can trigger an alert again. Pagers are not notified.',
    returns: { noContent: 'The incident is no longer acknowledged.' },
  })
  remove(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<void> {
    return this.acknowledgements.remove(orgId, id);
  }
}
