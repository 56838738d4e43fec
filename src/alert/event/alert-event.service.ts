import { Injectable } from '@nestjs/common';
import { And, type FindOptionsWhere, LessThan, MoreThanOrEqual } from 'typeorm';
import { Database } from '../../platform/database/database';
import { Cursors, MEDIUM_ROWS } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { parseId } from '../../platform/ids/id';
import { type AlertEventQuery, type AlertEventView, toAlertEventView } from './alert-event.dto';
import { AlertEvent } from './alert-event.entity';

const LIST = 'alert-events';
const DEFAULT_LIMIT = 50;

/** The feed of triggered and resolved events of an organization. */
@Injectable()
export class AlertEventService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Newest first, one statement. Events that are recorded later do not shift a page that starts at a cursor. */
  async list(orgId: string, query: AlertEventQuery): Promise<Page<AlertEventView>> {
    const page = await this.cursors.paginate<AlertEvent>({
      orgId,
      list: LIST,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: MEDIUM_ROWS,
      idOf: ({ id }) => id,
      read: (before, count) =>
        this.database.dataSource.manager.find(AlertEvent, {
          where: { orgId, ...filtersOf(query), ...(before === null ? {} : { id: LessThan(before) }) },
          order: { id: 'DESC' },
          take: count,
        }),
    });
    return page.map(toAlertEventView);
  }
}

/** Ids were validated with the query; a missing one filters nothing. */
function filtersOf(query: AlertEventQuery): FindOptionsWhere<AlertEvent> {
  const where: FindOptionsWhere<AlertEvent> = {};
  const alertId = parseId('alert', query.alert_id);
  const endpointId = parseId('endpoint', query.endpoint_id);
  const websiteId = parseId('website', query.website_id);
  if (alertId !== null) where.alertId = alertId;
  if (endpointId !== null) where.endpointId = endpointId;
  if (websiteId !== null) where.websiteId = websiteId;
  if (query.type !== undefined) where.type = query.type;
  const times = [
    ...(query.since ? [MoreThanOrEqual(query.since)] : []),
    ...(query.until ? [LessThan(query.until)] : []),
  ];
  if (times.length > 0) where.createdAt = And(...times);
  return where;
}
