import { exampleOf, PREVIEWED_KINDS } from '../kind/examples';
import type { Notification } from '../notification';
import { type NotificationText, notificationText } from '../notification-text';
import { isRecord } from '../../platform/text/json';
import { messageValues } from '../template/message-values';
import type { TemplateValues } from '../template/json-value';
import { webhookBody } from './webhook-payload';

/** Returns the values for the placeholders of a body: the signed JSON, and short values such as `title`. */
export const webhookValues = (notification: Notification, text: NotificationText): TemplateValues => ({
  ...webhookBody(notification),
  ...messageValues(notification, text),
});

/** The paths of all placeholders, in order. A notification without a value at a path has an empty string there. */
export const WEBHOOK_PLACEHOLDERS: ReadonlySet<string> = new Set(
  PREVIEWED_KINDS.flatMap((kind) => {
    const notification = { ...exampleOf(kind, 'https://uptime.example.com'), through: { id: '', name: '' } };
    return pathsOf(webhookValues(notification, notificationText(notification)), '');
  }).sort(),
);

function pathsOf(value: TemplateValues, prefix: string): string[] {
  return Object.entries(value).flatMap(([key, each]) => {
    const path = prefix + key;
    return isRecord(each) ? [path, ...pathsOf(each, `${path}.`)] : [path];
  });
}
