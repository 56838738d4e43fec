import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { costOfFilteredList, costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import { type Page, ShortPageQuery } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import {
  CreateIncidentDto,
  CreateIncidentUpdateDto,
  EditIncidentUpdateDto,
  IncidentDetailView,
  IncidentEndpointView,
  IncidentQuery,
  IncidentUpdateView,
  IncidentView,
  MergeIncidentsDto,
  SplitIncidentDto,
  UpdateIncidentDto,
} from './incident.dto';
import { INCIDENT_EXAMPLES } from './incident-examples';
import { IncidentService } from './incident.service';
import { IncidentRegrouping } from './incident-regrouping.service';
import { IncidentUpdates } from './incident-updates.service';

const PATH = '/api/v1/incidents';
const LAST_TEXT = 'An update has no settings to lose: the last text counts.';

@ApiTags('Incidents')
@Controller('api/v1/incidents')
export class IncidentController {
  constructor(
    private readonly incidents: IncidentService,
    private readonly updates: IncidentUpdates,
    private readonly regrouping: IncidentRegrouping,
  ) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfFilteredList(100, ['website_id', 'endpoint_id', 'public', 'kind', 'state']),
    operationId: 'listIncidents',
    summary: 'List incidents',
    description:
      'Endpoints that went down together, and what people said about it. Newest start first, without endpoints and updates. Ended ones are kept as long as events.',
    returns: { page: IncidentView, description: 'One page of incidents.' },
  })
  list(@OrgId() orgId: string, @Query() query: IncidentQuery): Promise<Page<IncidentView>> {
    return this.incidents.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'getIncident',
    summary: 'Get an incident',
    description: 'With its first 100 endpoints and all updates.',
    returns: { ok: IncidentDetailView, ...WITH_ETAG, description: 'The incident.', examples: INCIDENT_EXAMPLES },
  })
  get(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<IncidentDetailView> {
    return this.incidents.get(orgId, id);
  }

  @Route('GET', ':id/endpoints', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'listIncidentEndpoints',
    summary: 'List the endpoints of an incident',
    description: 'Those that are still bad first, then the longest bad.',
    returns: { page: IncidentEndpointView, description: 'One page of its endpoints.' },
  })
  endpoints(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Query() query: ShortPageQuery,
  ): Promise<Page<IncidentEndpointView>> {
    return this.incidents.endpoints(orgId, id, query);
  }

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createIncident',
    summary: 'Create an incident by hand',
    description:
      'For what no check sees. It counts for no uptime, raises no alert and notifies nobody; with a public text it is on the status pages that show something of its scope. `resolved` ends it. An organization may have 100 open ones.',
    returns: { created: IncidentDetailView, at: PATH, ...WITH_ETAG, description: 'The new incident.' },
    problems: ['not_found', 'quota_exceeded'],
  })
  @AlsoChecked(IncidentService, (incidents, fields: Partial<CreateIncidentDto>) => incidents.findingsInNew(fields))
  create(@OrgId() orgId: string, @Body() dto: CreateIncidentDto): Promise<IncidentDetailView> {
    return this.incidents.create(orgId, dto);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateIncident',
    summary: 'Update an incident',
    description: 'Partial: the title, and by hand the scope. What is said about it is an update.',
    returns: { ok: IncidentDetailView, ...WITH_ETAG, description: 'The incident as it is now.' },
    problems: ['conflict'],
  })
  @AlsoChecked(IncidentService, (incidents, fields: UpdateIncidentDto) => incidents.findingsIn(fields))
  update(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Body() dto: UpdateIncidentDto,
  ): Promise<IncidentDetailView> {
    return this.incidents.update(orgId, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteIncident',
    summary: 'Delete an incident',
    description: 'One by hand, with its updates. 409 of a detected one: it is what happened.',
    returns: { noContent: 'The incident is deleted.' },
    problems: ['conflict'],
  })
  remove(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<void> {
    return this.incidents.remove(orgId, id);
  }

  @Route('POST', ':id/updates', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createIncidentUpdate',
    summary: 'Say something about an incident',
    description:
      'For the organization alone, or with `public` also for its status pages; the first public one makes the incident public. People may say 100 things about one incident.',
    returns: { created: IncidentUpdateView, at: `${PATH}/:id/updates`, description: 'The new update.' },
    problems: ['conflict', 'quota_exceeded'],
  })
  say(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Body() dto: CreateIncidentUpdateDto,
  ): Promise<IncidentUpdateView> {
    return this.updates.say(orgId, id, dto);
  }

  @Route('PUT', ':id/updates/:updateId', {
    access: 'write',
    ifMatch: { refused: LAST_TEXT },
    operationId: 'editIncidentUpdate',
    summary: 'Correct an update',
    description: 'Its text; sets `edited_at`. 409 of an automatic one.',
    returns: { ok: IncidentUpdateView, description: 'The update as it is now.' },
    problems: ['conflict'],
  })
  edit(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @IdParam('incidentUpdate', 'updateId') updateId: string,
    @Body() dto: EditIncidentUpdateDto,
  ): Promise<IncidentUpdateView> {
    return this.updates.edit(orgId, id, updateId, dto);
  }

  @Route('DELETE', ':id/updates/:updateId', {
    access: 'write',
    ifMatch: { refused: LAST_TEXT },
    operationId: 'deleteIncidentUpdate',
    summary: 'Take an update back',
    description:
      'It leaves status pages and feeds; the audit log keeps it. With the last public one the incident is public no more. The status stays. 409 of an automatic one.',
    returns: { noContent: 'The update is gone.' },
    problems: ['conflict'],
  })
  takeBack(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @IdParam('incidentUpdate', 'updateId') updateId: string,
  ): Promise<void> {
    return this.updates.remove(orgId, id, updateId);
  }

  @Route('POST', ':id/split', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'splitIncident',
    summary: 'Split an incident',
    description:
      'Takes some of its endpoints out: they become an incident of their own, with their times. Updates stay, but for those of an incident that was merged into it and leaves with all of its endpoints. 409 when it has ended, is by hand or would be left empty.',
    returns: { created: IncidentDetailView, at: PATH, ...WITH_ETAG, description: 'The new incident.' },
    problems: ['conflict'],
  })
  split(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Body() dto: SplitIncidentDto,
  ): Promise<IncidentDetailView> {
    return this.regrouping.split(orgId, id, dto);
  }

  @Route('POST', ':id/merge', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'mergeIncidents',
    summary: 'Merge incidents',
    description:
      'Their endpoints, times and updates move into this one; they become `merged` and leave lists, pages and feeds. Ended ones may be merged: the result is open while an endpoint is bad. 409 with itself, one by hand or one that is merged.',
    returns: { ok: IncidentDetailView, ...WITH_ETAG, description: 'The incident as it is now.' },
    problems: ['conflict'],
  })
  merge(
    @OrgId() orgId: string,
    @IdParam('incident') id: string,
    @Body() dto: MergeIncidentsDto,
  ): Promise<IncidentDetailView> {
    return this.regrouping.merge(orgId, id, dto);
  }
}
