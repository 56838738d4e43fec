import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { ServedBeyondQuota } from '../../platform/access/cost';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { RefusesIfMatch } from '../../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../../platform/problem/problems.decorator';
import { AcknowledgeDto, AcknowledgementView } from './acknowledgement.dto';
import { AcknowledgementService } from './acknowledgement.service';

const ENDPOINT_ID = { name: 'id', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' };
const NO_SETTINGS = 'An acknowledgement has no settings to lose: the last one counts.';

@ApiTags('Alerts')
@Controller('api/v1/endpoints/:id/acknowledgement')
export class AcknowledgementController {
  constructor(private readonly acknowledgements: AcknowledgementService) {}

  @Get()
  @Access('read')
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'getAcknowledgement',
    summary: 'Get the acknowledgement of an endpoint',
    description: 'Who has it in hand. 404 when nobody has.',
  })
  @ApiOkResponse({ type: AcknowledgementView, description: 'The acknowledgement.' })
  @Problems('not_found')
  get(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('endpoint')) id: string): Promise<AcknowledgementView> {
    return this.acknowledgements.get(orgId, id);
  }

  @Put()
  @Access('write')
  @ServedBeyondQuota()
  @RefusesIfMatch(NO_SETTINGS)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'acknowledge',
    summary: 'Acknowledge an endpoint',
    description:
      'From now on none of its alerts triggers; those that are triggered resolve as ever. PagerDuty and Opsgenie are told, once for each incident. Replaces the one that there is. Ends by itself when the endpoint is up and none of its alerts is triggered, at `until`, and when the endpoint is paused or deleted. 409 when the endpoint is not down and none of its alerts is triggered.',
  })
  @ApiOkResponse({ type: AcknowledgementView, description: 'The acknowledgement as it is now.' })
  @BodyProblems('not_found', 'conflict')
  @AlsoChecked(AcknowledgementService, (acknowledgements, fields: AcknowledgeDto) =>
    acknowledgements.findingsIn(fields),
  )
  put(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @Body() dto: AcknowledgeDto,
  ): Promise<AcknowledgementView> {
    return this.acknowledgements.put(caller, id, dto);
  }

  @Delete()
  @Access('write')
  @RefusesIfMatch(NO_SETTINGS)
  @HttpCode(204)
  @ApiParam(ENDPOINT_ID)
  @ApiOperation({
    operationId: 'deleteAcknowledgement',
    summary: 'Take back an acknowledgement',
    description: 'The next bad check may trigger again. Pagers are not told.',
  })
  @ApiNoContentResponse({ description: 'Nobody has it in hand.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('endpoint')) id: string): Promise<void> {
    return this.acknowledgements.remove(orgId, id);
  }
}
