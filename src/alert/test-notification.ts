import type { Notification } from '../channel/channel';
import { formatId } from '../platform/ids/id';
import type { AlertSnapshot } from './incident/alert-snapshot';

/** What a test tells of the alert. */
export type TestedAlert = Pick<
  AlertSnapshot,
  | 'id'
  | 'description'
  | 'condition'
  | 'endpointId'
  | 'endpointName'
  | 'endpointUrl'
  | 'endpointType'
  | 'websiteId'
  | 'websiteName'
  | 'websiteUrl'
>;

/** A message marked as a test. `id`: uuid of its delivery. */
export const testNotification = (alert: TestedAlert, id: string, now: Date): Notification => ({
  kind: 'test',
  id: formatId('delivery', id),
  incidentKey: `${formatId('alert', alert.id)}-test-${formatId('delivery', id)}`,
  triggerId: null,
  repeat: false,
  alert: { id: formatId('alert', alert.id), description: alert.description },
  endpoint: {
    id: formatId('endpoint', alert.endpointId),
    name: alert.endpointName,
    url: alert.endpointUrl,
    type: alert.endpointType,
  },
  website: { id: formatId('website', alert.websiteId), name: alert.websiteName, url: alert.websiteUrl },
  condition: alert.condition,
  isDegraded: false,
  reason: null,
  error: null,
  failureCount: 0,
  successCount: 0,
  startedAt: null,
  createdAt: now.toISOString(),
  durationSeconds: null,
  check: null,
  digest: null,
});
