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
/** Sorts after every id. */
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Ids are made by the clock of an instance, `created_at` is that of the decision: they are never a day apart. */
const SLACK_MS = DAY_MS;

/** The feed of triggered and resolved events of an organization. */
@Injectable()
export class AlertEventService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Newest first: one statement, and one for their deliveries. Events that are recorded later do not shift a page that starts at a cursor. */
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
 * A range of one index, of (alert, incident, endpoint, website or organization, id), by the narrowest of what is asked for and by its
 * whole order: the planner, which does not know how rare an endpoint's events are, may walk over those of all otherwise.
 * Conditions that no index serves (`IS NOT DISTINCT FROM`) keep it from another one. Times are a range of ids, with room for
 * clocks that differ. Of what is in the range a type takes about half: that is what the planner believes of a `CASE`, while
 * it takes `=` for rare until there are statistics, and would sort everything.
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
  // Its index is partial, which the planner does not see in the range.
  if (column === 'incident_id') conditions.push('AND e.incident_id IS NOT NULL');
  return [
    `SELECT ${COLUMNS} FROM alert_event e
      WHERE (e.${column}, e.id) >= ($1::uuid, $2::uuid) AND (e.${column}, e.id) < ($1::uuid, $3::uuid) ${conditions.join(' ')}
      ORDER BY e.${column} DESC, e.id DESC LIMIT $4`,
    parameters,
  ];
}
