import type { Notification } from '../notification';

/** The tone of a notification: an outage, a warning, the end of either, or neutral. */
export type NotificationTone = 'bad' | 'warning' | 'good' | 'neutral';

/** A fact in a notification, such as "Error: connection_refused". */
export interface NotificationFact {
  label: string;
  value: string;
}

/** The subject of a notification. */
export type NotificationAbout = 'episode' | 'contact' | 'certificate' | 'incident' | 'test';

/** Everything that depends on the kind of a notification. A new kind is one more of these. */
export interface MessageKind {
  about: NotificationAbout;
  /** The action of a pager. */
  paging: 'trigger' | 'resolve' | 'acknowledge';
  /** The count that it adds to in a digest: alerts that are or may be down, recoveries, contacts, or certificates. */
  countsAs: 'triggered' | 'resolved' | 'contact' | 'certificate';
  /** The label of `startedAt` in the facts. Default: "Down since" or "Degraded since". */
  since?: string;
  tone(notification: Notification): NotificationTone;
  /** Returns the first line of a push notification, such as "Checkout API is down". `name` is the subject. */
  title(notification: Notification, name: string): string;
  /** Returns one sentence on one line, without a period. It is the same for every attempt. `name` is the subject. */
  sentence(notification: Notification, name: string): string;
  /** Returns the text of its line in a digest. */
  inDigest(notification: Notification): string;
  /** Returns the facts that only this kind has. */
  facts?(notification: Notification): NotificationFact[];
}
