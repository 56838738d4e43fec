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
    description: 'Who has all of it in hand. 404 when nobody has.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement.' },
  })
  get(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<AcknowledgementView> {
    return this.acknowledgements.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'write',
    servedBeyondQuota: true,
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'acknowledgeIncident',
    summary: 'Acknowledge an incident',
    description:
      'Acknowledges each endpoint in it that nobody has in hand, and those that join it later at the same address or as parent or child: they are `held`, their alerts do not trigger. One that joins by its website is told as ever. PagerDuty and Opsgenie are told under the key of each alert. Replaces the one that there is. Ends with the incident and at `until`. 409 unless it is a detected one that is open.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement as it is now.' },
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
    access: 'write',
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'deleteIncidentAcknowledgement',
    summary: 'Take back the acknowledgement of an incident',
    description:
      'Takes back what it wrote, and nothing that somebody said of an endpoint alone. The next bad check of an endpoint may trigger again. Pagers are not told.',
    returns: { noContent: 'Nobody has all of it in hand.' },
  })
  remove(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<void> {
    return this.acknowledgements.remove(orgId, id);
  }
}
