import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Access, OrgId } from '../platform/access/caller';
import { ServedBeyondQuota, Cost, costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { Idempotent, RefusesIdempotencyKey } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import type { Page } from '../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import {
  CreateMaintenanceWindowDto,
  MaintenanceOccurrenceView,
  MaintenanceWindowQuery,
  MaintenanceWindowView,
  OccurrenceQuery,
  UpdateMaintenanceWindowDto,
} from './maintenance-window.dto';
import { MaintenanceWindowService } from './maintenance-window.service';

const WINDOW_ID = { name: 'id', example: 'mw_01jd3k6q7be5y9x4v2m8n0r1st' };
const TWO_FORMS = 'One-off with `starts_at` and `ends_at`, or recurring with `cron`, `timezone` and `duration`.';

@ApiTags('Maintenance windows')
@Controller('api/v1/maintenance-windows')
export class MaintenanceWindowController {
  constructor(private readonly windows: MaintenanceWindowService) {}

  @Get()
  @Access('read')
  @Cost(costOfList(100))
  @ApiOperation({
    operationId: 'listMaintenanceWindows',
    summary: 'List maintenance windows',
    description:
      'Newest start first; a recurring window stands at its next one. Windows that have ended are kept for 400 days.',
  })
  @ApiOkResponse({ type: MaintenanceWindowView, isArray: true, description: 'One page of maintenance windows.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: MaintenanceWindowQuery): Promise<Page<MaintenanceWindowView>> {
    return this.windows.list(orgId, query);
  }

  @Get(':id')
  @Access('read')
  @ApiParam(WINDOW_ID)
  @ApiOperation({
    operationId: 'getMaintenanceWindow',
    summary: 'Get a maintenance window',
    description: 'Its settings, whether it is active, and its next occurrences.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: MaintenanceWindowView, description: 'The maintenance window.' })
  @Problems('not_found')
  get(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('maintenanceWindow')) id: string,
  ): Promise<MaintenanceWindowView> {
    return this.windows.get(orgId, id);
  }

  @Get(':id/occurrences')
  @Access('read')
  @ApiParam(WINDOW_ID)
  @ApiOperation({
    operationId: 'listMaintenanceOccurrences',
    summary: 'List the occurrences of a maintenance window',
    description: 'Oldest first. What is past as it was, what is to come as the window is now.',
  })
  @ApiOkResponse({ type: MaintenanceOccurrenceView, isArray: true, description: 'The first occurrences.' })
  @Problems('not_found', 'invalid_query')
  occurrences(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('maintenanceWindow')) id: string,
    @Query() query: OccurrenceQuery,
  ): Promise<MaintenanceOccurrenceView[]> {
    return this.windows.occurrencesOf(orgId, id, query);
  }

  @Post()
  @Access('write')
  @LocatedAt('/api/v1/maintenance-windows')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMaintenanceWindow',
    summary: 'Create a maintenance window',
    description: `${TWO_FORMS} Checks go on. An organization may have 1,000 windows that are not over.`,
  })
  @ApiCreatedResponse({ ...WITH_ETAG, type: MaintenanceWindowView, description: 'The new maintenance window.' })
  @BodyProblems('not_found', 'quota_exceeded', 'conflict')
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  create(@OrgId() orgId: string, @Body() dto: CreateMaintenanceWindowDto): Promise<MaintenanceWindowView> {
    return this.windows.create(orgId, dto);
  }

  @Post('preview')
  @Access('write')
  @ServedBeyondQuota()
  @HttpCode(200)
  @RefusesIdempotencyKey('A preview stores nothing and may be repeated.')
  @ApiOperation({
    operationId: 'previewMaintenanceWindow',
    summary: 'Preview a maintenance window',
    description:
      'The occurrences that a window with this body would have, changes of the clock included. Stores nothing.',
  })
  @ApiOkResponse({ type: MaintenanceOccurrenceView, isArray: true, description: 'The first occurrences.' })
  @BodyProblems('not_found', 'invalid_query')
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  preview(
    @OrgId() orgId: string,
    @Query() query: OccurrenceQuery,
    @Body() dto: CreateMaintenanceWindowDto,
  ): Promise<MaintenanceOccurrenceView[]> {
    return this.windows.preview(orgId, query, dto);
  }

  @Put(':id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(WINDOW_ID)
  @ApiOperation({
    operationId: 'updateMaintenanceWindow',
    summary: 'Update a maintenance window',
    description: `Partial: only the fields sent change. ${TWO_FORMS} While it is active a change holds for what is recorded from then on.`,
  })
  @ApiOkResponse({ ...WITH_ETAG, type: MaintenanceWindowView, description: 'The maintenance window as it is now.' })
  @BodyProblems('not_found', 'conflict')
  @AlsoChecked(MaintenanceWindowService, (windows, fields: UpdateMaintenanceWindowDto) => windows.findingsIn(fields))
  update(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('maintenanceWindow')) id: string,
    @Body() dto: UpdateMaintenanceWindowDto,
  ): Promise<MaintenanceWindowView> {
    return this.windows.update(orgId, id, dto);
  }

  @Post(':id/end')
  @Access('write')
  @ServedBeyondQuota()
  @HttpCode(200)
  @Idempotent()
  @ApiParam(WINDOW_ID)
  @ApiOperation({
    operationId: 'endMaintenance',
    summary: 'End the maintenance that runs',
    description:
      'The occurrence that runs ends now; a recurring window goes on with its next one. What is still down is checked within min(interval, 30 s).',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: MaintenanceWindowView, description: 'The maintenance window as it is now.' })
  @Problems('not_found', 'conflict')
  end(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('maintenanceWindow')) id: string,
  ): Promise<MaintenanceWindowView> {
    return this.windows.end(orgId, id);
  }

  @Delete(':id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(WINDOW_ID)
  @ApiOperation({
    operationId: 'deleteMaintenanceWindow',
    summary: 'Delete a maintenance window',
    description: 'What runs ends now. Checks that were marked as planned stay so.',
  })
  @ApiNoContentResponse({ description: 'The maintenance window is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('maintenanceWindow')) id: string): Promise<void> {
    return this.windows.remove(orgId, id);
  }
}
