import type { Notification } from '../../channel/notification';
import { formatId } from '../../platform/ids/id';
import type { AlertSnapshot } from './alert-snapshot';

/** The alert fields that every notification contains. */
export type AlertSubject = Pick<
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

export const subjectOf = (alert: AlertSubject): Pick<Notification, 'alert' | 'endpoint' | 'website' | 'condition'> => ({
  alert: { id: formatId('alert', alert.id), description: alert.description },
  endpoint: {
    id: formatId('endpoint', alert.endpointId),
    name: alert.endpointName,
    url: alert.endpointUrl,
    type: alert.endpointType,
  },
  website: { id: formatId('website', alert.websiteId), name: alert.websiteName, url: alert.websiteUrl },
  condition: alert.condition,
});
