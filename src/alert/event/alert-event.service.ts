import { Injectable } from '@nestjs/common';
import { deliveriesOfEvents } from '../../delivery/delivery-summary';
import { Database } from '../../platform/database/database';
import { selectColumns } from '../../platform/database/select-columns';
import { Cursors, MEDIUM_ROWS } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { firstUuidAt, NIL_UUID, parseId } from '../../platform/ids/id';
import { DAY_MS } from '../../platform/time/time-units';
import { type AlertEventQuery, type AlertEventView, toAlertEventView } from './alert-event.dto';
import { AlertEvent } from './alert-event.entity';

const LIST = 'alert-events';
const DEFAULT_LIMIT = 50;
const COLUMNS = selectColumns(AlertEvent, 'e');
/** Sorts after every ID. */
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** IDs use an instance's clock, and `created_at` is the time of the decision. They are never a day apart. */
const SLACK_MS = DAY_MS;

/** An organization's feed of triggered and resolved events. */
@Injectable()
export class AlertEventService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Returns a page, newest first. Events that are recorded later don't shift a page that starts at a cursor. Cost: one
   * statement, and one for the deliveries.
   */
  async list(orgId: string, query: AlertEventQuery): Promise<Page<AlertEventView>> {
    const page = await this.cursors.paginate<AlertEvent>({
      orgId,
      list: LIST,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: MEDIUM_ROWS,
      read: (before, count) => this.database.query<AlertEvent>(...statementOf(orgId, query, before, count)),
      idOf: ({ id }) => id,
    });
    const ids = page.items.map(({ id }) => id);
    const deliveries = await deliveriesOfEvents(this.database, orgId, ids);
    return page.map((event) => ({
      ...toAlertEventView(event),
      ...(deliveries.get(event.id) ?? { delivery: null, contact: null }),
    }));
  }
}

/**
 * Reads a range of one index on (alert, incident, endpoint, website, or organization, id), the most selective one for
 * the filters, with its full sort order. Otherwise, the planner, which doesn't know how rare an endpoint's events are,
 * may scan the events of all endpoints. Conditions that no index supports (`IS NOT DISTINCT FROM`) prevent it from
 * using another index. Times become a range of IDs, with a margin for clock differences.
 * A type matches about half of the range. The planner assumes that for a `CASE`. For `=`, it assumes few matches until
 * there are statistics, and would sort everything.
 */
function statementOf(
  orgId: string,
  query: AlertEventQuery,
  before: string | null,
  count: number,
): [sql: string, parameters: unknown[]] {
  const wanted: [column: string, id: string | null][] = [
    ['alert_id', parseId('alert', query.alert_id)],
    ['incident_id', parseId('incident', query.incident_id)],
    ['endpoint_id', parseId('endpoint', query.endpoint_id)],
    ['website_id', parseId('website', query.website_id)],
    ['org_id', orgId],
  ];
  const [[column, owner] = ['org_id', orgId], ...others] = wanted.filter(([, id]) => id !== null);
  const first = query.since ? firstUuidAt(new Date(query.since.getTime() - SLACK_MS)) : NIL_UUID;
  const last = query.until ? firstUuidAt(new Date(query.until.getTime() + SLACK_MS)) : LAST_UUID;
  const parameters: unknown[] = [owner, first, before !== null && before < last ? before : last, count];
  const filters: [condition: string, value: unknown][] = [
    ...others.map(([name, id]): [string, unknown] => [`e.${name} IS NOT DISTINCT FROM ?`, id]),
    ['CASE WHEN e.type = ? THEN true ELSE false END', query.type],
    ['e.created_at >= ?', query.since],
    ['e.created_at < ?', query.until],
  ];
  const conditions = filters
    .filter(([, value]) => value !== undefined)
    .map(([condition, value]) => `AND ${condition.replace('?', () => `$${parameters.push(value)}`)}`);
  // The index is partial, and the planner can't infer its condition from the range.
  if (column === 'incident_id') conditions.push('AND e.incident_id IS NOT NULL');
  return [
    `SELECT ${COLUMNS} FROM alert_event e
      WHERE (e.${column}, e.id) >= ($1::uuid, $2::uuid) AND (e.${column}, e.id) < ($1::uuid, $3::uuid) ${conditions.join(' ')}
      ORDER BY e.${column} DESC, e.id DESC LIMIT $4`,
    parameters,
  ];
}
