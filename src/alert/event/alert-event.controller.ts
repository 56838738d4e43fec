import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { AlsoCsv } from '../../platform/http/csv/also-csv.decorator';
import type { Page } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import { AlertEventQuery, AlertEventView } from './alert-event.dto';
import { AlertEventService } from './alert-event.service';

/** Listed in the module before `AlertController`, whose `:id` would match "events". */
@ApiTags('Alerts')
@Controller('api/v1/alerts/events')
export class AlertEventController {
  constructor(private readonly events: AlertEventService) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'listAlertEvents',
    summary: 'List alert events',
    description:
      'The triggered and resolved events of your organization’s alert rules, newest first. Events are kept after their alert rule is deleted. If you delete a website, its events are deleted. With `Accept: text/csv` and without `limit`, the response has all matching events.',
    returns: { page: AlertEventView, description: 'One page of events.' },
  })
  @AlsoCsv<AlertEventView>({
    file: 'alert-events',
    columns: [
      'id',
      'type',
      'created_at',
      'alert_id',
      'alert_type',
      'endpoint_id',
      'endpoint_name',
      'website_id',
      'website_name',
      'reason',
      'message',
      'error.code',
      'error.message',
      'failure_count',
      'success_count',
      'started_at',
      'duration_seconds',
    ],
  })
  list(@OrgId() orgId: string, @Query() query: AlertEventQuery): Promise<Page<AlertEventView>> {
    return this.events.list(orgId, query);
  }
}
