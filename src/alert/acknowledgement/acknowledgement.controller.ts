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
    description: 'Who has it in hand. 404 when nobody has.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement.' },
  })
  get(@OrgId() orgId: string, @IdParam('endpoint') id: string): Promise<AcknowledgementView> {
    return this.acknowledgements.get(orgId, id);
  }

  @Route('PUT', '', {
    access: 'write',
    servedBeyondQuota: true,
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'acknowledge',
    summary: 'Acknowledge an endpoint',
    description:
      'From now on none of its alerts triggers; those that are triggered resolve as ever. PagerDuty and Opsgenie are told, once for each incident. Replaces the one that there is. Ends by itself when the endpoint is up and none of its alerts is triggered, at `until`, and when the endpoint is paused or deleted. 409 when the endpoint is not down and none of its alerts is triggered.',
    returns: { ok: AcknowledgementView, description: 'The acknowledgement as it is now.' },
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
    access: 'write',
    ifMatch: { refused: NO_SETTINGS },
    operationId: 'deleteAcknowledgement',
    summary: 'Take back an acknowledgement',
    description: 'The next bad check may trigger again. Pagers are not told.',
    returns: { noContent: 'Nobody has it in hand.' },
  })
  remove(@OrgId() orgId: string, @IdParam('endpoint') id: string): Promise<void> {
    return this.acknowledgements.remove(orgId, id);
  }
}
