import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { costOfList } from '../../platform/access/cost';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { IncidentTimelineView, TIMELINE_EXAMPLE } from './incident-timeline.dto';
import { IncidentTimelineService } from './incident-timeline.service';

@ApiTags('Incidents')
@Controller('api/v1/incidents/:id/timeline')
export class IncidentTimelineController {
  constructor(private readonly timelines: IncidentTimelineService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(400),
    operationId: 'getIncidentTimeline',
    summary: 'Get the timeline of an incident',
    description:
      'Everything that happened, newest first: each outage of each endpoint, the messages that were sent and what became of them, acknowledgements, and updates. While the incident is open, `planned` contains the messages that will be sent next unless someone acknowledges it.',
    returns: {
      ok: IncidentTimelineView,
      description: 'The timeline.',
      examples: { open: { summary: 'An escalation is planned', value: TIMELINE_EXAMPLE } },
    },
  })
  get(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<IncidentTimelineView> {
    return this.timelines.get(orgId, id);
  }
}
