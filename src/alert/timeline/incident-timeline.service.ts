import { Injectable } from '@nestjs/common';
import { toDeliveryContact } from '../../delivery/delivery-contact';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import { IncidentService } from '../../incident/incident.service';
import { Database } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { formatId } from '../../platform/ids/id';
import { SECOND_MS } from '../../platform/time/time-units';
import type { IncidentTimelineItemView, IncidentTimelineView, PlannedNotificationView } from './incident-timeline.dto';
import {
  MOST_ITEMS,
  MOST_PLANNED,
  type OutageItem,
  type PlannedItem,
  readOutages,
  readPlanned,
  readTold,
  type ToldItem,
} from './timeline-queries';

/** Shows everything that happened in an incident, in one list, and what will happen next. */
@Injectable()
export class IncidentTimelineService {
  constructor(
    private readonly database: Database,
    private readonly incidents: IncidentService,
    private readonly coverage: MaintenanceCoverage,
    private readonly clock: DatabaseClock,
  ) {}

  /** Throws `not_found`. Cost: six statements, and two more while messages are planned. */
  async get(orgId: string, id: string): Promise<IncidentTimelineView> {
    const incident = await this.incidents.get(orgId, id);
    const outages = await readOutages(this.database, id);
    const told = await readTold(this.database, orgId, id);
    const planned = incident.state === 'open' ? await this.planned(id) : [];
    const { acknowledgement, past_acknowledgements, updates } = incident;
    const taken = [...(acknowledgement ? [acknowledgement] : []), ...past_acknowledgements];
    // A message about an outage can have the same time, and comes after it.
    const items = [
      ...told.slice(0, MOST_ITEMS).map(itemOfMessage),
      ...outages.slice(0, MOST_ITEMS).flatMap(itemsOfOutage),
      ...taken.map((each): IncidentTimelineItemView => ({
        ...NOTHING,
        at: each.at,
        kind: 'acknowledged',
        acknowledgement: each,
      })),
      ...updates.map((update): IncidentTimelineItemView => ({ ...NOTHING, at: update.at, kind: 'update', update })),
    ];
    return {
      items: items.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
      planned: planned.map(toPlanned),
      more: outages.length > MOST_ITEMS || told.length > MOST_ITEMS,
    };
  }

  private async planned(id: string): Promise<PlannedItem[]> {
    const now = this.clock.now();
    const planned = await readPlanned(this.database, id, now);
    if (planned.length === 0) return [];
    const muted = await this.coverage.mutedAt(this.database, planned, now);
    return planned.filter(({ endpointId }) => !muted.has(endpointId)).slice(0, MOST_PLANNED);
  }
}

const NOTHING = { endpoint: null, delivery: null, acknowledgement: null, update: null };

/** Returns the start of an outage, and its end if it has ended. */
function itemsOfOutage(row: OutageItem): IncidentTimelineItemView[] {
  const { endpointId, endpointName, startedAt, endedAt, errorCode, errorMessage, outage } = row;
  const error = errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
  const endpoint = { id: formatId('endpoint', endpointId), name: endpointName, outage, error, duration_seconds: null };
  const down = { ...NOTHING, at: startedAt.toISOString(), kind: 'down' as const, endpoint };
  if (endedAt === null) return [down];
  const duration_seconds = Math.round((endedAt.getTime() - startedAt.getTime()) / SECOND_MS);
  const up = { at: endedAt.toISOString(), kind: 'recovered' as const, endpoint: { ...endpoint, duration_seconds } };
  return [{ ...NOTHING, ...up }, down];
}

const itemOfMessage = (row: ToldItem): IncidentTimelineItemView => ({
  ...NOTHING,
  at: row.at.toISOString(),
  kind: 'delivery',
  delivery: {
    contact: toDeliveryContact(row),
    channel_type: row.channelType,
    kind: row.kind,
    state: row.state,
    detail: row.detail,
    error: row.error,
    took_seconds:
      row.state === 'delivered' && row.finishedAt
        ? Math.max(0, (row.finishedAt.getTime() - row.queuedAt.getTime()) / SECOND_MS)
        : null,
    count: row.count,
    endpoints: row.endpoints.filter((name) => name !== null),
  },
});

const toPlanned = (row: PlannedItem): PlannedNotificationView => ({
  at: row.at.toISOString(),
  kind: row.kind,
  contact: toDeliveryContact(row),
  channel_type: row.channelType,
  alert_id: formatId('alert', row.alertId),
  endpoint_id: formatId('endpoint', row.endpointId),
  endpoint_name: row.endpointName,
});
