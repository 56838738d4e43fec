import { toAlertEventView } from '../alert/event/alert-event.dto';
import type { AlertEvent } from '../alert/event/alert-event.entity';
import { errorCodeAt, outcomeOf, toMilliseconds } from '../history/check-encoding';
import { checkId } from '../history/check-id';
import { formatId } from '../platform/ids/id';
import type { StreamRow } from './stream-reader';

/** One server-sent event in its wire form. `id` becomes the reader's `Last-Event-ID`. */
export function frame(type: string, data: unknown, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The event of a row: `alert` or `check`; `null` when what it tells of has been deleted since. */
export function messageOf(row: StreamRow, event: AlertEvent | null, checkIdSecret: Buffer): string | null {
  if (event) return frame('alert', toAlertEventView(event), formatId('event', event.id));
  if (row.endpoint_id === null || row.endpoint_key === null || row.website_id === null || row.checked_at === null)
    return null;
  const id = checkId(checkIdSecret, row.endpoint_key, row.checked_at);
  const error = errorCodeAt(row.error ?? -1);
  const change = {
    id,
    endpoint_id: formatId('endpoint', row.endpoint_id),
    endpoint_name: row.endpoint_name,
    website_id: formatId('website', row.website_id),
    status: outcomeOf(row.status ?? 2),
    previous_status: outcomeOf(row.previous_status ?? 2),
    checked_at: row.checked_at.toISOString(),
    duration_ms: toMilliseconds(row.duration_us ?? -1),
    status_code: row.status_code !== null && row.status_code >= 0 ? row.status_code : null,
    error: error === null ? null : { code: error },
  };
  return frame('check', change, id);
}
