import type { Notification } from '../notification';
import { cut } from '../../platform/text/text-limits';
import { eventTitle, type NotificationText } from '../notification-text';
import type { NotificationTone } from '../kind/message-kind';
import { MESSAGE_KINDS } from '../kind/message-kinds';

/** The state that a notification reports. */
export type MessageState = 'down' | 'up' | 'degraded' | 'info';

const STATES: Readonly<Record<NotificationTone, MessageState>> = {
  bad: 'down',
  warning: 'degraded',
  good: 'up',
  neutral: 'info',
};

/** The most characters of a title. Titles are the first line of a push notification. */
const MAX_TITLE = 120;
/** The most characters of `message` and `text`. */
const MAX_TEXT = 10_000;

/** The values of a notification for templates, in addition to the signed JSON. */
export interface MessageValues {
  type: string;
  timestamp: string;
  title: string;
  message: string;
  text: string;
  id: string;
  incident_key: string;
  state: MessageState;
  page_url: string;
}

/** Returns the values of a notification. They depend only on the notification, so every attempt sends the same. */
export const messageValues = (notification: Notification, text: NotificationText): MessageValues => ({
  type: typeOf(notification),
  timestamp: notification.createdAt,
  title: cut(eventTitle(notification), MAX_TITLE),
  message: cut(text.sentence, MAX_TEXT),
  text: text.plain(MAX_TEXT),
  id: notification.id,
  incident_key: notification.incidentKey,
  state: STATES[text.tone],
  page_url: notification.links?.page ?? '',
});

const typeOf = ({ kind }: Notification): string => (kind === 'contact_failing' ? 'contact.failing' : `alert.${kind}`);

/** The key of the problem in a paging service. A test has a separate key, so that it never closes a real problem. */
export function pagingKey({ kind, incidentKey, contact, alert }: Notification): string {
  return kind === 'test' ? `test-${contact?.id ?? alert.id}` : incidentKey;
}

/** Returns the action of a paging service. */
export const pagingAction = ({ kind }: Notification): 'trigger' | 'resolve' | 'acknowledge' =>
  MESSAGE_KINDS[kind].paging;
