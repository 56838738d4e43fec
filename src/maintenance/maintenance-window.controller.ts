import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import {
  CreateMaintenanceWindowDto,
  MaintenanceOccurrenceView,
  MaintenanceWindowQuery,
  MaintenanceWindowView,
  OccurrenceQuery,
  UpdateMaintenanceWindowDto,
} from './maintenance-window.dto';
import { MaintenanceWindowService } from './maintenance-window.service';

const TWO_FORMS =
  'A window is one-off, with `starts_at` and `ends_at`, or recurring, with `cron`, `timezone`, and `duration`.';

@ApiTags('Maintenance windows')
@Controller('api/v1/maintenance-windows')
export class MaintenanceWindowController {
  constructor(private readonly windows: MaintenanceWindowService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'listMaintenanceWindows',
    summary: 'List maintenance windows',
    description:
      'Sorted by start, newest first. A recurring window is sorted by its next start. Windows that have ended are kept for 400 days.',
    returns: { page: MaintenanceWindowView, description: 'One page of maintenance windows.' },
  })
  list(@OrgId() orgId: string, @Query() query: MaintenanceWindowQuery): Promise<Page<MaintenanceWindowView>> {
    return this.windows.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getMaintenanceWindow',
    summary: 'Get a maintenance window',
    description: 'Includes the settings of the window, whether it is active, and its next occurrences.',
    returns: { ok: MaintenanceWindowView, ...WITH_ETAG, description: 'The maintenance window.' },
  })
  get(@OrgId() orgId: string, @IdParam('maintenanceWindow') id: string): Promise<MaintenanceWindowView> {
    return this.windows.get(orgId, id);
  }

  @Route('GET', ':id/occurrences', {
    access: 'read',
    operationId: 'listMaintenanceOccurrences',
    summary: 'List the occurrences of a maintenance window',
    description:
      'Oldest first. Past occurrences are shown as they were, future ones according to the current settings of the window.',
    returns: { list: MaintenanceOccurrenceView, description: 'The first occurrences.' },
  })
  occurrences(
    @OrgId() orgId: string,
    @IdParam('maintenanceWindow') id: string,
    @Query() query: OccurrenceQuery,
  ): Promise<MaintenanceOccurrenceView[]> {
    return this.windows.occurrencesOf(orgId, id, query);
  }

  @Route('POST', '', {
    access: 'alerts.mute',
    idempotencyKey: 'honoured',
    operationId: 'createMaintenanceWindow',
    summary: 'Create a maintenance window',
    description: `${TWO_FORMS} Checks keep running during maintenance. A recurring window needs the role \`write\`. An organization can have 1,000 windows that have not ended.`,
    returns: {
      created: MaintenanceWindowView,
      at: '/api/v1/maintenance-windows',
      ...WITH_ETAG,
      description: 'The new maintenance window.',
    },
    problems: ['not_found', 'quota_exceeded', 'conflict'],
  })
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateMaintenanceWindowDto): Promise<MaintenanceWindowView> {
    return this.windows.create(caller, dto);
  }

  @Route('POST', 'preview', {
    access: 'alerts.mute',
    servedBeyondQuota: true,
    idempotencyKey: { refused: 'A preview stores nothing, so you can repeat it.' },
    operationId: 'previewMaintenanceWindow',
    summary: 'Preview a maintenance window',
    description:
      'Returns the occurrences that a window with this body would have, including clock changes. Nothing is stored.',
    returns: { list: MaintenanceOccurrenceView, description: 'The first occurrences.' },
    problems: ['not_found'],
  })
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  preview(
    @OrgId() orgId: string,
    @Query() query: OccurrenceQuery,
    @Body() dto: CreateMaintenanceWindowDto,
  ): Promise<MaintenanceOccurrenceView[]> {
    return this.windows.preview(orgId, query, dto);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateMaintenanceWindow',
    summary: 'Update a maintenance window',
    description: `Changes only the fields that you send. ${TWO_FORMS} While a window is active, a change applies to results that are recorded from then on.`,
    returns: { ok: MaintenanceWindowView, ...WITH_ETAG, description: 'The updated maintenance window.' },
    problems: ['conflict'],
  })
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  update(
    @OrgId() orgId: string,
    @IdParam('maintenanceWindow') id: string,
    @Body() dto: UpdateMaintenanceWindowDto,
  ): Promise<MaintenanceWindowView> {
    return this.windows.update(orgId, id, dto);
  }

  @Route('POST', ':id/end', {
    access: 'alerts.mute',
    servedBeyondQuota: true,
    idempotencyKey: 'honoured',
    operationId: 'endMaintenance',
    summary: 'End the current maintenance',
    description:
      'Ends the current occurrence now. A recurring window continues with its next occurrence. Endpoints that are still down are checked within 30 s, or within their interval if that is shorter.',
    returns: { ok: MaintenanceWindowView, ...WITH_ETAG, description: 'The updated maintenance window.' },
    problems: ['conflict'],
  })
  end(@OrgId() orgId: string, @IdParam('maintenanceWindow') id: string): Promise<MaintenanceWindowView> {
    return this.windows.end(orgId, id);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteMaintenanceWindow',
    summary: 'Delete a maintenance window',
    description: 'If the window is active, the maintenance ends now. Checks that were marked as planned stay planned.',
    returns: { noContent: 'The maintenance window is deleted.' },
  })
  remove(@OrgId() orgId: string, @IdParam('maintenanceWindow') id: string): Promise<void> {
    return this.windows.remove(orgId, id);
  }
}
