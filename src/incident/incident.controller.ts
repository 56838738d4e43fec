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
const LAST_TEXT = 'An update contains only text, so the last version sent is kept.';

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
      'An incident groups endpoints that went down together, with the updates posted about it. Sorted by start time, newest first. The list does not include endpoints and updates. Ended incidents are kept as long as events.',
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
    description: 'Includes the first 100 endpoints of the incident and all its updates.',
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
    description: 'Endpoints that are still failing come first, then those that started to fail earliest.',
    returns: { page: IncidentEndpointView, description: 'One page of the endpoints in the incident.' },
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
    summary: 'Create an incident manually',
    description:
      'Use this for problems that no check detects. A manual incident does not affect uptime, triggers no alerts, and notifies no one. If it has a public update, it appears on the status pages that show any part of its scope. An update with the status `resolved` ends it. An organization can have 100 open manual incidents.',
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
    description:
      'Changes only the fields that you send: the title and, for manual incidents, the scope. To add information about the incident, post an update.',
    returns: { ok: IncidentDetailView, ...WITH_ETAG, description: 'The updated incident.' },
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
    description:
      'Deletes a manual incident and its updates. Detected incidents record what happened and cannot be deleted (409).',
    returns: { noContent: 'The incident is deleted.' },
    problems: ['conflict'],
  })
  remove(@OrgId() orgId: string, @IdParam('incident') id: string): Promise<void> {
    return this.incidents.remove(orgId, id);
  }

  @Route('POST', ':id/updates', {
    access: 'incidents.respond',
    idempotencyKey: 'honoured',
    operationId: 'createIncidentUpdate',
    summary: 'Post an incident update',
    description:
      'By default, only the organization can see an update. With `public`, it is also shown on status pages, and the incident becomes public with the first public update. One incident can have 100 updates, not counting automatic ones.',
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
    access: 'incidents.respond',
    ifMatch: { refused: LAST_TEXT },
    operationId: 'editIncidentUpdate',
    summary: 'Edit an incident update',
    description: 'Changes the text and sets `edited_at`. Automatic updates cannot be edited (409).',
    returns: { ok: IncidentUpdateView, description: 'The edited update.' },
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
    access: 'incidents.respond',
    ifMatch: { refused: LAST_TEXT },
    operationId: 'deleteIncidentUpdate',
    summary: 'Delete an incident update',
    description:
      'Removes the update from status pages and feeds. The audit log keeps it. If it was the last public update, the incident is no longer public. The status of the incident does not change. Automatic updates cannot be deleted (409).',
    returns: { noContent: 'The update is deleted.' },
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
      'Moves some of the endpoints, with their start and end times, to a new incident. The updates are not moved. If all endpoints of an incident that was merged into this one move, its updates move with them. 409 if the incident has ended, is manual, or would have no endpoints left.',
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
      'Moves the endpoints, with their start and end times, and the updates of the other incidents into this one. The other incidents get the state `merged` and no longer appear in lists, on status pages, or in feeds. Ended incidents can be merged: the result is open while any of its endpoints is failing. An incident cannot be merged with itself, with a manual incident, or with one that is already merged (409).',
    returns: { ok: IncidentDetailView, ...WITH_ETAG, description: 'The updated incident.' },
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
