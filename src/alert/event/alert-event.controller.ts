import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../../platform/access/caller';
import type { Page } from '../../platform/http/page';
import { Problems } from '../../platform/problem/problems.decorator';
import { AlertEventQuery, AlertEventView } from './alert-event.dto';
import { AlertEventService } from './alert-event.service';

/** Listed in the module before `AlertController`, whose `:id` would take "events" for an alert. */
@ApiTags('Alerts')
@Controller('api/v1/alerts/events')
export class AlertEventController {
  constructor(private readonly events: AlertEventService) {}

  @Get()
  @Access('read')
  @ApiOperation({
    operationId: 'listAlertEvents',
    summary: 'List alert events',
    description:
      'Triggered and resolved events across all alerts of your organization, newest first. Events outlive their alert; deleting a website deletes its events.',
  })
  @ApiOkResponse({ type: AlertEventView, isArray: true, description: 'One page of events.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: AlertEventQuery): Promise<Page<AlertEventView>> {
    return this.events.list(orgId, query);
  }
}
