import type { Notification } from '../channel/notification';
import { formatId } from '../platform/ids/id';

/** The subject of a test: an alert, or a contact, which has no endpoint. */
export type TestSubject = Pick<Notification, 'alert' | 'endpoint' | 'website' | 'condition' | 'contact'>;

/** Returns a message marked as a test. `id` is the UUID of its delivery. */
export const testNotification = (subject: TestSubject, id: string, now: Date): Notification => ({
  kind: 'test',
  id: formatId('delivery', id),
  incidentKey: `${subject.contact?.id ?? subject.alert.id}-test-${formatId('delivery', id)}`,
  triggerId: null,
  repeat: false,
  ...subject,
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
